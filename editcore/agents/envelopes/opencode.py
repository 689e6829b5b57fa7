"""How OpenCode's and OpenCode 2's tools apply an envelope.

hunk |@@                read as | x = 1     OpenCode drops a line without a mark, an empty line, and a hunk without
     | x = 1                    |-y = 2     `@@` above it. OpenCode 2 refuses the whole patch.
     |
     |-y = 2
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from posixpath import normpath

from editcore.agents.envelopes.codex import JAVASCRIPT_STEPS, updated
from editcore.agents.envelopes.sections import Tree, place_of
from editcore.agents.rule import Rule
from editcore.errors import PatchError
from editcore.patches.codex import EQUALITIES
from editcore.quoting import quoted
from editcore.text.line_index import LineIndex
from editcore.text.lines import mark_of
from editcore.text.whitespace import trim
from editcore.types import EditResult, FilePatch, Hunk

_FOLDED = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015", "-")
    | {"\u2026": "...", "\xa0": " "}
)
_STEPS = {**JAVASCRIPT_STEPS, "folded": lambda line: trim(line).translate(_FOLDED)}
_HEREDOC = re.compile(r"(?:cat\s+)?<<['\"]?(\w+)['\"]?[ \t]*\n")
HEADERS = {"*** Add File:": "add", "*** Delete File:": "delete", "*** Update File:": "update"}
MOVE = "*** Move to:"


_END = "*** End of File"


def opencode_patch(files: Mapping[str, str], patch: str) -> EditResult:
    return _applied(files, patch, is_second=False)


def opencode_2_patch(files: Mapping[str, str], patch: str) -> EditResult:
    return _applied(files, patch, is_second=True)


def _applied(files: Mapping[str, str], patch: str, *, is_second: bool) -> EditResult:
    sections = _sections(patch, is_second=is_second)
    if not sections:
        nothing = "patch verification failed: no hunks found"
        raise PatchError(nothing if is_second else "No files were modified: the patch has no sections.")
    before, tree = Tree(files), Tree(files)
    left: dict[str, str] = {}
    """Path -> text that a section left. Only OpenCode 2 reads it again."""
    for section in sections:
        path = normpath(section.path)
        if section.action == "add":
            text = "\n".join([line[1:] for hunk in section.hunks for line in hunk.lines])
            tree.write(path, text if not text or text.endswith("\n") else f"{text}\n")
        elif section.action == "delete":
            before.text(path, section.patch_line)
            tree.remove(path)
        else:
            text = left[path] if path in left else before.text(path, section.patch_line)
            text = _updated(text, section, tree, is_second=is_second)
            tree.write(section.move_to or path, text)
            if section.move_to:
                tree.remove(path)
            elif is_second:
                left[path] = text
    return tree.applied()


def _updated(text: str, section: FilePatch, tree: Tree, *, is_second: bool) -> str:
    mark, seek = mark_of(text), _seek_at_end_first if is_second else _seek
    plain = text.removeprefix(mark)
    written = updated(plain, section, tree, steps=_STEPS, seek=seek, above_blank=False, keeps_final=True)
    return written if written.startswith(mark) else mark + written


def _seek(index: LineIndex, block: list[str], cursor: int, end_of_file: bool) -> tuple[int, str] | None:
    del end_of_file  # Its marker is read as the end of the section.
    return place_of(index, block, EQUALITIES, (cursor,)) if block else None


def _seek_at_end_first(index: LineIndex, block: list[str], cursor: int, end_of_file: bool) -> tuple[int, str] | None:
    at_end = len(index.lines) - len(block)
    starts = (at_end, cursor) if end_of_file and at_end >= cursor else (cursor,)
    places = (place_of(index, block, (equality,), starts) for equality in EQUALITIES)
    return next(filter(None, places), None) if block else None


def unwrapped(patch: str) -> tuple[list[str], int, int]:
    """The lines of a patch without a heredoc around it, and the indices of its two markers. Raises PatchError."""
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


def _sections(patch: str, *, is_second: bool) -> list[FilePatch]:
    lines, begin, end = unwrapped(patch)
    found: list[FilePatch] = []
    at = begin + 1
    while at < end:
        section, at = _section(lines, at, is_second=is_second)
        found += [section] if section else []
    return found


def _section(lines: list[str], at: int, *, is_second: bool) -> tuple[FilePatch | None, int]:
    """The section at line `at`, or None, and the index of the line after it. Only OpenCode 2 raises PatchError."""
    header = next((one for one in HEADERS if lines[at].startswith(one)), None)
    path = lines[at][len(header) :].strip() if header else ""
    if not is_second and not path:
        return None, at + 1
    if header is None:
        raise PatchError(f"Invalid patch line: {quoted(lines[at])}", line=at + 1)
    action, start, move_to = HEADERS[header], at + 1, None
    if action == "update" and start < len(lines) and lines[start].startswith(MOVE):
        move_to, start = lines[start][len(MOVE) :].strip(), start + 1
    if not path or (is_second and move_to == ""):
        raise PatchError(f"Invalid {action} file path", line=at + 1)
    if action == "delete":
        return FilePatch(action, path, at + 1), start
    stop = next((n for n in range(start, len(lines)) if lines[n].startswith("***")), len(lines))
    if action == "add":
        odd = next((n for n in range(start, stop) if not lines[n].startswith("+")), None)
        if is_second and odd is not None:
            raise PatchError(f"Invalid add file line: {quoted(lines[odd])}", line=odd + 1)
        added = tuple([line for line in lines[start:stop] if line.startswith("+")])
        return FilePatch(action, path, at + 1, hunks=(Hunk(added, start + 1),) if added else ()), stop
    hunks, stop = _checked_hunks(lines, start) if is_second else (_hunks(lines, start, stop), stop)
    if is_second and not hunks:
        raise PatchError(f"Invalid update hunk for {path}: expected at least one @@ chunk", line=at + 1)
    return FilePatch(action, path, at + 1, move_to, hunks), stop


def _hunks(lines: list[str], start: int, stop: int) -> tuple[Hunk, ...]:
    heads = [n for n in range(start, stop) if lines[n].startswith("@@")]
    found = []
    for head, end in pairwise([*heads, stop]):
        anchor = lines[head][2:].strip()
        marked = tuple([line for line in lines[head + 1 : end] if line[:1] in ("+", "-", " ") and line])
        found.append(Hunk(marked, head + 1, (anchor,) if anchor else ()))
    return tuple(found)


def _checked_hunks(lines: list[str], at: int) -> tuple[tuple[Hunk, ...], int]:
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
