"""How OpenCode's apply_patch applies an envelope.

hunk |@@                read as | x = 1      a line without a mark is dropped, an empty one too, and so is a
     | x = 1                    |-y = 2      hunk without `@@` above it
     |
     |-y = 2
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from posixpath import normpath

from editcore.agents.envelopes.codex import STEPS, updated
from editcore.agents.envelopes.sections import Tree, place_of
from editcore.agents.rule import Rule
from editcore.errors import PatchError
from editcore.quoting import quoted
from editcore.text.line_index import LineIndex
from editcore.text.lines import BOM
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


# How OpenCode 2's patch tool applies an envelope.
#
#     hunk |@@                refused    | x = 1      a line without a mark, an empty one too, and a line before the
#          | x = 1                       |            first `@@` refuse the whole patch
#          |
#          |-y = 2

_END = "*** End of File"


def opencode_2_patch(files: Mapping[str, str], patch: str) -> EditResult:
    """OpenCode 2's envelopes: what it cannot read is refused, the first place of four steps is taken."""
    before, tree = Tree(files), Tree(files)
    sections = _sections_opencode_2(*unwrapped(patch))
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
    written = updated(plain, section, tree, seek=_seek_opencode_2, above_blank=False, keeps_final=True)
    return written if written.startswith(BOM) or not text.startswith(BOM) else BOM + written


def _seek_opencode_2(seeker: LineIndex, block: list[str], cursor: int, end_of_file: bool) -> tuple[int, str] | None:
    if not block:
        return None
    at_end = len(seeker.lines) - len(block)
    for step in STEPS:
        starts = (at_end, cursor) if end_of_file and at_end >= cursor else (cursor,)
        if place := place_of(seeker, block, (step,), starts):
            return place
    return None


def _sections_opencode_2(lines: list[str], begin: int, end: int) -> list[FilePatch]:
    found: list[FilePatch] = []
    at = begin + 1
    while at < end:
        section, at = _section_opencode_2(lines, at)
        found.append(section)
    return found


def _section_opencode_2(lines: list[str], at: int) -> tuple[FilePatch, int]:
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
    hunks, stop = _hunks_opencode_2(lines, start)
    if not hunks:
        raise PatchError(f"Invalid update hunk for {path}: expected at least one @@ chunk", line=at + 1)
    return FilePatch(action, path, at + 1, move_to, hunks), stop


def _hunks_opencode_2(lines: list[str], at: int) -> tuple[tuple[Hunk, ...], int]:
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


RULES: dict[str, Rule] = {"opencode_patch": opencode_patch, "opencode_2_patch": opencode_2_patch}
