"""How OpenCode 2's patch tool applies an envelope.

    hunk |@@                refused    | x = 1      a line without a mark, an empty one too, and a line before the
         | x = 1                       |            first `@@` refuse the whole patch
         |
         |-y = 2

Evidence: read (`packages/core/src/patch.ts`; of the tool around it, a commit that is a few weeks younger).

Policy: first. The four steps of Codex, but that `*** End of File` tries the end first at each step. Line endings: split
at line feeds only; a replaced block has those of the patch. The file ends in a line feed afterwards, whether or not it
did. Hunks below `*** End of File` are read. An Add overwrites; sections of one file are made one after the other.

Known failures: context that matches loosely is written as the patch has it; a move onto itself deletes the file; an
added file that ends in an empty line loses it; text around the markers is passed over. Its fold also takes the ellipsis
for three dots, which is not rebuilt.
"""

from __future__ import annotations

from collections.abc import Mapping
from posixpath import normpath

from editcore.agents.envelopes.chunks import place_of
from editcore.agents.envelopes.opencode import HEADERS, MOVE, unwrapped
from editcore.agents.envelopes.rewriting import STEPS, updated
from editcore.agents.envelopes.trees import Tree
from editcore.agents.rule import AgentRule, Source
from editcore.errors import PatchError
from editcore.quoting import quoted
from editcore.text.line_index import LineIndex
from editcore.text.lines import BOM
from editcore.types import EditResult, FilePatch, Hunk

_END = "*** End of File"


def opencode_2_patch(files: Mapping[str, str], patch: str) -> EditResult:
    """OpenCode 2's envelopes: what it cannot read is refused, the first place of four steps is taken."""
    before, tree = Tree(files), Tree(files)
    sections = _sections(*unwrapped(patch))
    if not sections:
        raise PatchError("patch verification failed: no hunks found")
    left: dict[str, str] = {}
    for section in sections:
        path = normpath(section.path)
        if section.action == "add":
            text = "\n".join([line[1:] for hunk in section.hunks for line in hunk.lines])
            tree.write(path, f"{text}\n" if text and not text.endswith("\n") else text)
        elif section.action == "delete":
            before.text(path, section.patch_line)
            tree.remove(path)
        else:
            text = left[path] if path in left else before.text(path, section.patch_line)
            text = _updated(text, section, tree)
            tree.write(section.move_to or path, text)
            if section.move_to:
                tree.remove(path)
            else:
                left[path] = text
    return tree.applied()


def _updated(text: str, section: FilePatch, tree: Tree) -> str:
    plain = text.removeprefix(BOM)
    written = updated(plain, section, tree, seek=_seek, above_blank=False, keeps_final=True)
    return written if written.startswith(BOM) or not text.startswith(BOM) else BOM + written


def _seek(seeker: LineIndex, block: list[str], cursor: int, end_of_file: bool) -> tuple[int, str] | None:
    if not block:
        return None
    at_end = len(seeker.lines) - len(block)
    for step in STEPS:
        starts = (at_end, cursor) if end_of_file and at_end >= cursor else (cursor,)
        if place := place_of(seeker, block, (step,), starts):
            return place
    return None


def _sections(lines: list[str], begin: int, end: int) -> list[FilePatch]:
    found: list[FilePatch] = []
    at = begin + 1
    while at < end:
        section, at = _section(lines, at)
        found.append(section)
    return found


def _section(lines: list[str], at: int) -> tuple[FilePatch, int]:
    """The section that begins at a line, and the line after it. Raises PatchError."""
    header = next((one for one in HEADERS if lines[at].startswith(one)), None)
    if header is None:
        raise PatchError(f"Invalid patch line: {quoted(lines[at])}", line=at + 1)
    path, action, start, move_to = lines[at][len(header) :].strip(), HEADERS[header], at + 1, None
    if action == "update" and start < len(lines) and lines[start].startswith(MOVE):
        move_to, start = lines[start][len(MOVE) :].strip(), start + 1
    if not path or move_to == "":
        raise PatchError(f"Invalid {action} file path", line=at + 1)
    if action == "delete":
        return FilePatch(action, path, at + 1), start
    if action == "add":
        stop = next((n for n in range(start, len(lines)) if lines[n].startswith("***")), len(lines))
        for n in range(start, stop):
            if not lines[n].startswith("+"):
                raise PatchError(f"Invalid add file line: {quoted(lines[n])}", line=n + 1)
        added = tuple(lines[start:stop])
        return FilePatch(action, path, at + 1, hunks=(Hunk(added, start + 1),) if added else ()), stop
    hunks, stop = _hunks(lines, start)
    if not hunks:
        raise PatchError(f"Invalid update hunk for {path}: expected at least one @@ chunk", line=at + 1)
    return FilePatch(action, path, at + 1, move_to, hunks), stop


def _hunks(lines: list[str], at: int) -> tuple[tuple[Hunk, ...], int]:
    found = []
    while at < len(lines) and not lines[at].startswith("***"):
        if not lines[at].startswith("@@"):
            raise PatchError(f"Invalid update file line: {quoted(lines[at])}", line=at + 1)
        head, anchor = at, lines[at][2:].strip()
        at += 1
        while at < len(lines) and not lines[at].startswith(("@@", "***")):
            if not lines[at].startswith((" ", "-", "+")):
                raise PatchError(f"Invalid update chunk line: {quoted(lines[at])}", line=at + 1)
            at += 1
        is_last = at < len(lines) and lines[at] == _END
        marked = tuple(lines[head + 1 : at])
        found.append(Hunk(marked, head + 1, (anchor,) if anchor else (), end_of_file=is_last))
        at += is_last
    return tuple(found), at


OPENCODE_2_ENVELOPES = (
    AgentRule(
        "opencode_2_patch",
        "OpenCode 2",
        "read",
        "first",
        opencode_2_patch,
        format="begin_patch",
        source=Source("2026", "anomalyco/opencode packages/core/src/patch.ts", "03832cbd"),
    ),
)
