"""aider: the edits in a model's reply, by file: search/replace blocks, unified diffs, whole files.

Replies are cut as aider 0.86 cuts them, not as `editcore.patches` reads blocks: that refuses a whole reply for one
damaged marker or unread name, but a log also tells what aider made of the other blocks, and of one that is not closed.
The markers of aider are a part of those that `editcore.patches.search_replace` takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from editcore.types import Edit

_SEARCH = re.compile(r"^<{5,9} ?SEARCH>?\s*$")
_DIVIDER = re.compile(r"^={5,9}\s*$")
_REPLACE = re.compile(r"^>{5,9} ?REPLACE\s*$")
_FENCE = re.compile(r"^(`{3,}|~{3,}|<(?:source|code|pre|codeblock|sourcecode)>)")
_CLOSING = re.compile(r"^(?:`{3,}|~{3,}|</(?:source|code|pre|codeblock|sourcecode)>)\s*$")
_DIFF_HEADER = re.compile(r"^\+\+\+ (?:b/)?([^\t\n]+)", re.MULTILINE)
_OLD_HEADER = re.compile(r"^--- ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ReplyEdit:
    """A part of a reply that edits one file."""

    path: str | None
    """As the model wrote it, without decoration."""
    text: str
    """The part, with the file's name and the fences."""
    edit: Edit | None = None
    """The edit of a search/replace block that is closed."""


class OpenBlock:
    """Whether a line of a log is inside a block or a fence, where it is code, whatever it looks like."""

    def __init__(self) -> None:
        self._fence = False
        self._block = False

    def __bool__(self) -> bool:
        return self._fence or self._block

    def take(self, line: str) -> None:
        """Take in the next line of a reply."""
        if self._block:
            self._block = not _REPLACE.match(line)
        elif _SEARCH.match(line):
            self._block = True
        elif self._fence:
            self._fence = not _CLOSING.match(line)
        else:
            self._fence = bool(_FENCE.match(line))


def blocks(lines: list[str]) -> Iterator[ReplyEdit]:
    """The search/replace blocks of a reply; one that is not closed extends to the end of the reply."""
    path: str | None = None
    end = -1
    for n, line in enumerate(lines):
        if n <= end or not _SEARCH.match(line):
            continue
        first, name = _head(lines, n, end)
        path = name or path
        divider = next((m for m in range(n + 1, len(lines)) if _DIVIDER.match(lines[m])), len(lines))
        end = next((m for m in range(divider + 1, len(lines)) if _REPLACE.match(lines[m])), _last(lines))
        edit = None
        if divider < end and _REPLACE.match(lines[end]):
            edit = Edit(_join_lines(lines[n + 1 : divider]), _join_lines(lines[divider + 1 : end]))
        if end + 1 < len(lines) and _CLOSING.match(lines[end + 1]):
            end += 1
        yield ReplyEdit(path, _join_lines(lines[first : end + 1]), edit)


def _last(lines: list[str]) -> int:
    """The index of the last line that is not blank."""
    return next((n for n in range(len(lines) - 1, -1, -1) if lines[n].strip()), 0)


def _join_lines(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)


def _head(lines: list[str], n: int, end: int) -> tuple[int, str | None]:
    """(index of the line with a block's name or fence, the name), at most three lines above its SEARCH line."""
    first = n
    for m in range(n - 1, max(n - 4, end), -1):
        if _FENCE.match(lines[m]):
            first = m
        elif name := _name(lines[m], adjoins=m == first - 1):
            return m, name
        elif lines[m].strip():
            break
    return first, None


def _name(line: str, *, adjoins: bool) -> str | None:
    """The file name in a line without back-ticks, escapes and Windows separators; None if the line is no name.

    A word without a dot or a slash is a name only directly above a block.
    """
    name = line.strip().rstrip(":").lstrip("#").strip().strip("`*").replace("\\_", "_").replace("\\", "/")
    if not name or name.endswith((" ", ".")) or len(name.split()) > 3:
        return None
    is_name = "." in name or "/" in name or (adjoins and " " not in name and not line.rstrip().endswith(":"))
    return name if is_name else None


def diffs(lines: list[str]) -> Iterator[ReplyEdit]:
    """The unified diffs of a reply, one for each file that they name."""
    for body, _ in _fenced(lines):
        starts = [match.start() for match in _OLD_HEADER.finditer(body)]
        for start, end in pairwise([*starts, len(body)]):
            part = body[start:end]
            if (header := _DIFF_HEADER.search(part)) and "\n@@" in part:
                yield ReplyEdit(header[1].strip(), part)


def whole_files(lines: list[str]) -> Iterator[ReplyEdit]:
    """The whole files in a reply: a name, and a fence below it."""
    for body, n in _fenced(lines):
        if n and (name := _name(lines[n - 1], adjoins=True)):
            yield ReplyEdit(name, body)


def _fenced(lines: list[str]) -> Iterator[tuple[str, int]]:
    """(text inside, index of the opening line) of each closed fence."""
    opening: int | None = None
    for n, line in enumerate(lines):
        if opening is None:
            opening = n if _FENCE.match(line) else None
        elif _CLOSING.match(line):
            yield _join_lines(lines[opening + 1 : n]), opening
            opening = None
