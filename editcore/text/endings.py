r"""A text with line feeds only, as models see it, and the way back to the text's own line endings.

    text  |a\r\nb\r\nc      view  |a\nb\nc      edit of line b  ->  |a\r\nB\r\nc

A model does not see carriage returns: two places that differ in nothing else look the same to it. So an edit is
placed in the view, and written with the line endings of the lines that it replaces. A match in the view never divides
a CRLF.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import replace
from itertools import accumulate, count
from operator import add

from editcore.text.diff import common_lines
from editcore.types import Match

_CRLF = "\r\n"


def line_feeds(text: str) -> str:
    """The text with a line feed for each CRLF. Other carriage returns stay."""
    return text.replace(_CRLF, "\n")


def first_is_crlf(text: str) -> bool:
    at = text.find("\n")
    return at > 0 and text[at - 1] == "\r"


def is_mostly_crlf(text: str) -> bool:
    return 2 * text.count(_CRLF) > text.count("\n")


def written_like(text: str, before: str) -> str:
    """A whole new text with the line endings of `before`, unless it has carriage returns of its own."""
    return with_crlf(text, "\r" not in text and is_mostly_crlf(before))


def with_crlf(text: str, crlf: bool) -> str:
    """The text, with CRLF for every line feed if `crlf`; it has no CRLF yet."""
    return text.replace("\n", "\r\n") if crlf else text


class LineFeedView:
    """A text with line feeds only, and how offsets and edits of this view apply to the text."""

    __slots__ = ("_crlf", "_original", "_usual", "text")

    def __init__(self, original: str) -> None:
        self._original = original
        self.text = line_feeds(original)
        pieces = original.split(_CRLF)[:-1]
        self._crlf = list(map(add, accumulate(map(len, pieces)), count()))
        """Offsets in the view of the line feeds that are CRLF in the text."""
        self._usual = _CRLF if is_mostly_crlf(original) else "\n"

    def offset(self, at: int) -> int:
        """The offset in the text for an offset in the view; for a line feed, the start of its CRLF."""
        return at + bisect_left(self._crlf, at)

    def matches(self, found: Iterable[Match]) -> tuple[Match, ...]:
        return tuple(replace(one, start=self.offset(one.start), end=self.offset(one.end)) for one in found)

    def replaced(self, matches: Iterable[Match], new: str) -> str:
        """The text with `new` in place of each match of the view; matches ascend and do not overlap."""
        return self.replaced_each((one, new) for one in matches)

    def replaced_each(self, changes: Iterable[tuple[Match, str]]) -> str:
        """The text with its own new text in place of each match of the view; matches ascend and do not overlap."""
        out, after = list[str](), 0
        for one, new in changes:
            start, end = self.offset(one.start), self.offset(one.end)
            out += [self._original[after:start], self._written(line_feeds(new), one)]
            after = end
        return "".join(out) + self._original[after:]

    def _written(self, new: str, match: Match) -> str:
        """`new` with the line endings of the lines that it replaces; within a line, with the text's usual ones."""
        if self.text.startswith("\n", match.end):
            new = new.rstrip("\r")  # It would become a part of the line ending that follows.
        lines = new.split("\n")
        if len(lines) == 1 or not self._crlf:
            return new
        old = self.text[match.start : match.end]
        endings = [self._ending(match.start + at) for at, character in enumerate(old) if character == "\n"]
        if len(set(endings)) < 2:
            return (endings[0] if endings else self._usual).join(lines)
        return _with_endings(lines, old.split("\n"), endings, self._usual)

    def _ending(self, at: int) -> str:
        """The line ending in the text of the line feed at offset `at` of the view."""
        n = bisect_left(self._crlf, at)
        return _CRLF if n < len(self._crlf) and self._crlf[n] == at else "\n"


def _with_endings(lines: list[str], old: list[str], endings: list[str], usual: str) -> str:
    """New lines in place of lines with both line endings: unchanged lines at the start and the end keep their own."""
    before, after = common_lines(lines[:-1], old[:-1])
    changed = endings[before : len(endings) - after]
    n_changed = len(lines) - 1 - before - after
    if len(changed) != n_changed:
        changed = [changed[0] if len(set(changed)) == 1 else usual] * n_changed
    chosen = [*endings[:before], *changed, *endings[len(endings) - after :], ""]
    return "".join(line + ending for line, ending in zip(lines, chosen, strict=True))
