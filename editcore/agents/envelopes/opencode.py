"""How OpenCode's apply_patch applies an envelope.

    hunk |@@                read as | x = 1      a line without a mark is dropped, an empty one too, and so is a
         | x = 1                    |-y = 2      hunk without `@@` above it
         |
         |-y = 2

Evidence: read (anomalyco/opencode, packages/opencode/src/patch/index.ts at 03832cbd, of 2026). The tool around it
computes every file from the text before the patch and writes in the end.

Policy: first. The four steps of Codex. Line endings: split at line feeds only; a replaced block has those of the
patch. The file ends in a line feed afterwards, whether or not it did (at f585ef5e, for a time, it stayed as it was).

Known failures: text around the markers, lines without a mark and hunks without `@@` are dropped in silence, and success
is reported; `*** End of File` ends the section, so that hunks below it are dropped; the second section of a file is
computed from the file before the first and wins; an Add overwrites; a move onto itself deletes the file. Its fold also
takes the ellipsis for three dots, which is not rebuilt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from editcore.agents.envelopes.chunks import place_of
from editcore.agents.envelopes.rewriting import STEPS, updated
from editcore.agents.envelopes.trees import Tree
from editcore.agents.habits import REPLACED
from editcore.agents.rule import AgentRule, Declared, Source
from editcore.errors import PatchError
from editcore.text.line_index import LineIndex
from editcore.types import EditResult, FilePatch, Hunk

_HEREDOC = re.compile(r"(?:cat\s+)?<<['\"]?(\w+)['\"]?[ \t]*\n")
HEADERS = {"*** Add File:": "add", "*** Delete File:": "delete", "*** Update File:": "update"}
MOVE = "*** Move to:"


def opencode_patch(files: Mapping[str, str], patch: str) -> EditResult:
    """OpenCode's envelopes: what it cannot read is dropped, the first place of four steps is taken."""
    before, tree = Tree(files), Tree(files)
    sections = _sections(patch)
    if not sections:
        raise PatchError("No files were modified: the patch has no sections.")
    for section in sections:
        if section.action == "add":
            tree.write(section.path, "\n".join(line[1:] for hunk in section.hunks for line in hunk.lines) + "\n")
        elif section.action == "delete":
            before.text(section.path, section.patch_line)
            tree.remove(section.path)
        else:
            before_text = before.text(section.path, section.patch_line)
            text = updated(before_text, section, tree, seek=_seek, above_blank=False, keeps_final=True)
            tree.write(section.move_to or section.path, text)
            if section.move_to:
                tree.remove(section.path)
    return tree.applied()


def _seek(seeker: LineIndex, block: list[str], cursor: int, end_of_file: bool) -> tuple[int, str] | None:
    del end_of_file  # Its marker is read as the end of the section.
    return place_of(seeker, block, STEPS, (cursor,)) if block else None


def unwrapped(patch: str) -> tuple[list[str], int, int]:
    """The lines of a patch without a heredoc around it, and where its markers stand. Raises PatchError."""
    text = patch.strip()
    heredoc = _HEREDOC.match(text)
    if heredoc and text.endswith(f"\n{heredoc[1]}"):
        text = text[heredoc.end() : -len(heredoc[1]) - 1]
    lines = text.split("\n")
    begin = next((n for n, line in enumerate(lines) if line.strip() == "*** Begin Patch"), None)
    end = next((n for n, line in enumerate(lines) if line.strip() == "*** End Patch"), None)
    if begin is None or end is None or begin >= end:
        raise PatchError("Invalid patch format: missing Begin/End markers", line=1)
    return lines, begin, end


def _sections(patch: str) -> list[FilePatch]:
    lines, begin, end = unwrapped(patch)
    found: list[FilePatch] = []
    at = begin + 1
    while at < end:
        section, at = _section(lines, at)
        found += [section] if section else []
    return found


def _section(lines: list[str], at: int) -> tuple[FilePatch | None, int]:
    """The section that begins at a line, if one does, and the line after it."""
    header = next((one for one in HEADERS if lines[at].startswith(one)), None)
    path = lines[at][len(header) :].strip() if header else ""
    if header is None or not path:
        return None, at + 1
    start, move_to = at + 1, None
    if header == "*** Update File:" and lines[start].startswith(MOVE):
        move_to, start = lines[start][len(MOVE) :].strip(), start + 1
    stop = next((n for n in range(start, len(lines)) if lines[n].startswith("***")), len(lines))
    action = HEADERS[header]
    if action == "delete":
        return FilePatch(action, path, at + 1), start
    if action == "add":
        added = tuple([line for line in lines[start:stop] if line.startswith("+")])
        return FilePatch(action, path, at + 1, hunks=(Hunk(added, start + 1),) if added else ()), stop
    return FilePatch(action, path, at + 1, move_to, _hunks(lines, start, stop)), stop


def _hunks(lines: list[str], start: int, stop: int) -> tuple[Hunk, ...]:
    heads = [n for n in range(start, stop) if lines[n].startswith("@@")]
    found = []
    for head, end in pairwise([*heads, stop]):
        anchor = lines[head][2:].strip()
        marked = tuple([line for line in lines[head + 1 : end] if line[:1] in ("+", "-", " ") and line])
        found.append(Hunk(marked, head + 1, (anchor,) if anchor else ()))
    return tuple(found)


OPENCODE_ENVELOPES = (
    AgentRule(
        "opencode_patch",
        "OpenCode 03832cbd",
        "read",
        "first",
        opencode_patch,
        format="begin_patch",
        source=Source("2026", "anomalyco/opencode packages/opencode/src/patch/index.ts", "03832cbd"),
        on_bytes=Declared(
            REPLACED,
            Source(None, "anomalyco/opencode packages/core/src/tool/apply-patch.ts, as issue 45924 says", None),
        ),
    ),
)
