"""A text with tables of its lines, and the text model that all of editcore shares.

- A text is a sequence of code points. OpenCode, whose rules the replacers follow, counts UTF-16 units. The two differ
  only in edit-distance ratios of characters beyond U+FFFF, and for lone surrogates.
- A line is a piece between line feeds. A carriage return stays at the end of its line. A text with n line feeds has
  n + 1 lines.
- Whitespace is `editcore.text.whitespace.WHITESPACE`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate, count
from operator import add

from editcore.text.whitespace import WHITESPACE, is_plain, split_exactly, trim


def lines_holding(text: str, piece: str, position: int = 0) -> Iterator[tuple[int, int, int]]:
    """The lines that contain `piece`, which has no line feed, as (line start, first hit, line end), in order.

    The search begins at `position`: the start of a line, or the first place of `piece`. A line with several hits is
    yielded once. One pass, as fast as `str.find`.
    """
    find, rfind, size, length = text.find, text.rfind, len(text), len(piece)
    above = 0
    while True:
        hit = find(piece, position)
        if hit < 0:
            return
        start = rfind("\n", above, hit) + 1 or above
        end = find("\n", hit + length)
        if end < 0:
            yield start, hit, size
            return
        yield start, hit, end
        position = above = end + 1


def lines_trimmed_to(text: str, wanted: str, position: int = 0) -> Iterator[tuple[int, int]]:
    """The lines that equal `wanted` once trimmed, as (start, end), in order; `position` as in `lines_holding`."""
    if not wanted:
        start = 0
        for line in text.split("\n"):
            end = start + len(line)
            if not line.strip(WHITESPACE):
                yield start, end
            start = end + 1
        return
    length = len(wanted)
    for start, hit, end in lines_holding(text, wanted, position):
        # A line that trims to `wanted` begins with it, so the first hit in the line decides.
        after = hit + length
        if (start == hit or not text[start:hit].strip(WHITESPACE)) and (
            after == end or not text[after:end].strip(WHITESPACE)
        ):
            yield start, end


class Document:
    """A text with tables of its lines; each table is built on first use and kept.

    Not thread-safe: a document also keeps its last search.
    """

    __slots__ = ("_first", "_lines", "_plain", "_search", "_starts", "_trimmed", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.forget()

    def forget(self) -> None:
        self._plain: bool | None = None
        self._lines: list[str] | None = None
        self._starts: list[int] | None = None
        self._trimmed: list[str] | None = None
        self._first: dict[str, int] = {}
        self._search: object | None = None

    def take_tables(self, lines: list[str] | None, trimmed: list[str] | None, first: dict[str, int]) -> None:
        """Take over tables of the same text, and known first places of pieces."""
        self._lines, self._trimmed, self._first = lines, trimmed, first

    def first(self, piece: str) -> int:
        """The first offset of `piece`; -1 if the text lacks it."""
        known = self._first.get(piece)
        if known is None:
            known = self._first[piece] = self.text.find(piece)
        return known

    def start(self, line: int) -> int:
        """The offset at which `line` starts, without a table of all starts."""
        return sum(map(len, self.lines[:line])) + line

    def __repr__(self) -> str:
        return f"Document({len(self.text)} characters)"

    @property
    def plain(self) -> bool:
        """True if Python's own whitespace is right for this text (see `is_plain`)."""
        if self._plain is None:
            self._plain = is_plain(self.text)
        return self._plain

    @property
    def lines(self) -> list[str]:
        if self._lines is None:
            self._lines = self.text.split("\n")
        return self._lines

    @property
    def starts(self) -> list[int]:
        """The offset at which each line starts, and one more entry: line i is text[starts[i] : starts[i + 1] - 1]."""
        if self._starts is None:
            self._starts = list(map(add, accumulate(map(len, self.lines), initial=0), count()))
        return self._starts

    @property
    def trimmed(self) -> list[str]:
        if self._trimmed is None:
            self._trimmed = list(map(str.strip if self.plain else trim, self.lines))
        return self._trimmed

    @property
    def split(self) -> Callable[[str], list[str]]:
        """The function that splits a piece of this text into words."""
        return str.split if self.plain else split_exactly

    def line_of(self, position: int) -> int:
        """The 1-based line of an offset."""
        return self.text.count("\n", 0, position) + 1
