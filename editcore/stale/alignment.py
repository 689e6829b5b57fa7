"""The alignment of two texts: which lines of the text that was seen are which lines of the current text.

    seen  a  b  c          live  x  a  B  c        line 0 is line 1 now, line 1 was changed, line 2 is line 3 now

A diff gives one alignment of several (`there`). Where a line has a copy, or lines may slide along equal ones, another
diff would pair it otherwise. `place_of` is certain only where every good alignment has the lines in one place.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from operator import itemgetter

from editcore.stale.kept import TELLING, says
from editcore.stale.places import Place, Places
from editcore.text.diff import changed_ranges
from editcore.text.endings import line_feeds
from editcore.text.lines import BOM, with_feeds
from editcore.text.whitespace import trim

_FEW = 8
"""Blocks that are looked for without tables."""
_NEAR = 20
"""Lines from a block to a line that both texts have once."""

Change = tuple[int, int, list[str]]
"""(first, last, lines): `lines` replace `old[first:last]`; 0-based."""


def lines_of(text: str) -> list[str]:
    """The lines of a text, each with a line feed alone; its byte order mark is left out."""
    text = line_feeds(text.removeprefix(BOM))
    return with_feeds(text if is_ended(text) else f"{text}\n")


def is_ended(text: str) -> bool:
    """True if no line of a text lacks its line feed."""
    return text == "" or text[-1] == "\n"


class Alignment:
    """The lines of the text that was seen (`old`), of the current text (`new`), and which of them are the same line.

        old  0 |a        new  0 |x        there  [1, None, 3]
             1 |b             1 |a
             2 |c             2 |B
                              3 |c

    Parameters `first` and `last` delimit a block `old[first:last]`.
    """

    def __init__(self, seen: str, live: str) -> None:
        self.old, self.new = lines_of(seen), lines_of(live)
        self.ends = is_ended(seen), is_ended(live)
        """True for a text whose last line has a line feed; here each line has one."""
        self._n_asked = 0

    @cached_property
    def _places(self) -> Places:
        return Places([trim(line) for line in self.old], [trim(line) for line in self.new])

    def place_of(self, first: int, last: int) -> Place:
        """The certain place of the block in `new`, and how many places may be meant; lines compare trimmed."""
        self._n_asked += 1
        by = self.moved_by(first, last) if self._n_asked <= _FEW else None
        # The plain case is cheaper without tables of both texts.
        if by is not None and self._is_marked(first, by, -1) and self._is_marked(last - 1, by, 1):
            return Place(first + by, 1)
        return self._places.of(first, last)

    def _is_marked(self, n: int, by: int, step: int) -> bool:
        """True if line `n` and unchanged lines reach to one that both texts have once, or to the end of both."""
        texts = self._texts
        for at in range(n + step, n + step * (_NEAR + 1), step):
            if not 0 <= at < len(self.old):
                return at + by in (-1, len(self.new))
            if self.there[at] != at + by:
                return False
            line = trim(self.old[at])
            if says(line) == TELLING and all(text.count(line) == 1 for text in texts):
                return True
        return False

    @cached_property
    def _texts(self) -> tuple[str, str]:
        return "".join(self.old), "".join(self.new)

    @cached_property
    def changes(self) -> list[Change]:
        """The changes from `old` to `new`, in order."""
        found = changed_ranges(*self._texts)
        return [(first - 1, last, with_feeds(text)) for first, last, text in found]

    @cached_property
    def there(self) -> list[int | None]:
        """For each line of `old` its line of `new`, both 0-based; None for a line that was changed or removed."""
        found: list[int | None] = []
        at = 0
        for first, last, lines in self.changes:
            n_kept = first - len(found)
            found += range(at, at + n_kept)
            found += [None] * (last - first)
            at += n_kept + len(lines)
        return [*found, *range(at, at + len(self.old) - len(found))]

    def moved_by(self, first: int, last: int) -> int | None:
        """The number of lines by which the block moved; None if a line of it was changed, or lines came between."""
        there = self.there[first:last]
        if not there or there[0] is None or there != list(range(there[0], there[0] + len(there))):
            return None
        return there[0] - first

    def with_telling(self, first: int, last: int) -> tuple[int, int]:
        """The block, extended by the nearest line with text above and below."""
        above, below = _telling_beside(self.old, first, last)
        return 0 if above is None else above, len(self.old) if below is None else below + 1

    def around(self, first: int, last: int) -> tuple[int, int]:
        """The lines of `old` between the nearest unchanged lines above and below the block."""
        above = bisect_left(self.changes, first, key=itemgetter(0)) - 1
        below = bisect_right(self.changes, last, key=itemgetter(1))
        start = self.changes[above][0] if above >= 0 and self.changes[above][1] >= first else first
        is_within = below < len(self.changes) and self.changes[below][0] <= last
        return start, self.changes[below][1] if is_within else last

    def between(self, first: int, last: int) -> tuple[int, int]:
        """The lines of `new` between the same two unchanged lines."""
        start, end = self.around(first, last)
        above = self.there[start - 1] if start else -1
        below = self.there[end] if end < len(self.old) else len(self.new)
        assert above is not None
        assert below is not None
        return above + 1, below


def _telling_beside(lines: Sequence[str], first: int, last: int) -> tuple[int | None, int | None]:
    """The nearest lines with text above and below a block; None for a side that has none."""
    above = next((n for n in range(first - 1, -1, -1) if trim(lines[n])), None)
    return above, next((n for n in range(last, len(lines)) if trim(lines[n])), None)
