"""The alignment of two texts: which lines of the text that was seen are which lines of the current text.

    seen  a  b  c          live  x  a  B  c        line 0 is line 1 now, line 1 was changed, line 2 is line 3 now

A diff gives one alignment of several. Where a line has a copy, or lines may slide along equal ones, another diff
would pair it otherwise. `is_told_apart` is true only for lines that every such alignment pairs in the same way.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from operator import itemgetter

from editcore.stale.places import Place, Places
from editcore.text.diff import changed_ranges
from editcore.text.endings import line_feeds
from editcore.text.line_index import LineTable
from editcore.text.lines import BOM, with_feeds
from editcore.text.whitespace import trim

_NEAR = 6
"""Lines above and below a block that are examined for having moved past it."""

Change = tuple[int, int, list[str]]
"""(first, last, lines): `lines` replace `old[first:last]`; 0-based."""


def lines_of(text: str) -> list[str]:
    """The lines of `text` with their line feeds, without its byte order mark and carriage returns before line feeds."""
    return with_feeds(line_feeds(text.removeprefix(BOM)))


def ended(lines: Sequence[str]) -> list[str]:
    """The lines, the last one with a line feed."""
    return [*lines[:-1], f"{lines[-1].removesuffix(chr(10))}\n"] if lines else []


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

    @cached_property
    def _of_old(self) -> LineTable:
        return LineTable([trim(line) for line in self.old])

    @cached_property
    def _of_new(self) -> LineTable:
        return LineTable([trim(line) for line in self.new])

    @cached_property
    def _places(self) -> Places:
        return Places([trim(line) for line in self.old], [trim(line) for line in self.new])

    def place_of(self, first: int, last: int) -> Place:
        """The certain place of the block in `new`, and in how many places `new` has it; lines compare trimmed."""
        return self._places.of(first, last)

    @cached_property
    def changes(self) -> list[Change]:
        """The changes from `old` to `new`, in order."""
        found = changed_ranges("".join(self.old), "".join(self.new))
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

    def is_told_apart(self, first: int, last: int) -> bool:
        """True if the unchanged block is certain to be where the diff says, and not at a copy of it.

        A block that both texts have once is certain, unless lines next to it have moved past it. A block with copies
        is certain if its nearest lines with text, above and below, moved with it, and no line has moved past it.
        """
        block = [trim(line) for line in self.old[first:last]]
        if len(self._of_old.places(block, 2)) == 1 == len(self._of_new.places(block, 2)):
            return not self._has_passed_lines(first, last) or self._is_closed_after(first, last)
        by = self.moved_by(first, last)
        above, below = _telling_beside(self.old, first, last)
        if not all(self._stays(n, by) for n in (above, below)) or not self._ends_alike(above, below, first, last, by):
            return False
        return not self._may_slide(first, last) and not self._has_passed_lines(first, last)

    def _may_slide(self, first: int, last: int) -> bool:
        """True if another diff may pair the block with a copy of the start or the end of its run.

        old |a       new |a      This diff says that `b, c, b, c` were added below the run `a, b, c`. Another may say
            |b           |b      that they were added above its `b, c`, which are still followed by `d`.
            |c           |c
            |d           |b
                         |c
                         |d
        """
        one = self._runs[bisect_right(self._runs, first, key=itemgetter(0)) - 1]
        return first >= one[2] or last <= one[3]

    @cached_property
    def _runs(self) -> list[tuple[int, int, int, int]]:
        """Lines of `old` that moved together, as (first, last, down_from, up_to).

        The lines from `down_from` on also precede the next run in `new`. The lines before `up_to` also follow the
        previous run. Both may slide to that other place.
        """
        borders = [n for n in range(1, len(self.old)) if self.moved_by(n - 1, n + 1) is None]
        runs = [(a, b) for a, b in pairwise([0, *borders, len(self.old)]) if self.there[a] is not None]
        found = list[tuple[int, int, int, int]]()
        above = 0
        for n, (first, last) in enumerate(runs):
            start = self._new_of(first)
            end, below = start + last - first, self._new_of(runs[n + 1][0]) if n + 1 < len(runs) else len(self.new)
            down = _n_alike(reversed(self.old[first:last]), reversed(self.new[start:below]))
            up = _n_alike(self.old[first:last], self.new[above:end])
            found.append((first, last, last - down if below > end else last, first + up if start > above else first))
            above = end
        return found

    def _has_passed_lines(self, first: int, last: int) -> bool:
        """True if a line near the block was above it and is below it now, or the other way round.

        The line must be in `new` at that side only, or be added next to the block.
        """
        start = first + (self.moved_by(first, last) or 0)
        if self._has_swapped(first, last, start):
            return True
        for n in (*range(max(first - _NEAR, 0), first), *range(last, min(last + _NEAR, len(self.old)))):
            line = trim(self.old[n])
            at = self._of_new.at.get(line) if line and self.there[n] is None else None
            if at and (at[0] >= start if n < first else at[-1] < start):
                return True
            if at and any(map(str.isalnum, line)):
                there = range(start, start + _NEAR) if n < first else range(start - _NEAR, start)
                if any(trim(self.new[k]) == line for k in there if k in self._added):
                    return True
        return False

    def _new_of(self, n: int) -> int:
        at = self.there[n]
        assert at is not None
        return at

    def _has_swapped(self, first: int, last: int, start: int) -> bool:
        """True if the lines removed next to the block begin the lines that were added on its other side.

        old |}       new |go()    The diff pairs both `go()` and says that `}` moved below. Or a call was added above
            |go()        |}       the bracket, and the old call became `stop()`.
                         |stop()
        """
        end = start + last - first
        above = next((n for n in range(first, 0, -1) if self.there[n - 1] is not None), 0)
        below = next((n for n in range(last, len(self.old)) if self.there[n] is not None), len(self.old))
        came_below = next((n for n in range(end, len(self.new)) if n not in self._added), len(self.new))
        came_above = next((n for n in range(start, 0, -1) if n - 1 not in self._added), 0)
        gone, came = _said(self.old[above:first]), _said(self.new[end:came_below])
        if gone and came[: len(gone)] == gone:
            return True
        gone, came = _said(self.old[last:below]), _said(self.new[came_above:start])
        return bool(gone) and came[-len(gone) :] == gone

    @cached_property
    def _added(self) -> frozenset[int]:
        """The lines of `new` that no line of `old` is paired with."""
        return frozenset(range(len(self.new))).difference(self.there)

    def _is_closed_after(self, first: int, last: int) -> bool:
        """True if `new` has no text in place of the block: its neighbours follow each other directly there.

        Neighbours that are brackets alone prove nothing, since they occur everywhere. A neighbour that equals an end
        of the block proves nothing either.
        """
        above, below = (n if n is None else trim(self.old[n]) for n in _telling_beside(self.old, first, last))
        if above and below and not any(map(str.isalnum, above + below)):
            return False
        block = list(filter(None, map(trim, self.old[first:last])))
        if block[:1] == [below] or block[-1:] == [above]:
            return False
        telling = [None, *filter(None, map(trim, self.new)), None]
        return (above, below) in pairwise(telling)

    def _stays(self, n: int | None, by: int | None) -> bool:
        return n is None or (by is not None and self.there[n] == n + by)

    def _ends_alike(self, above: int | None, below: int | None, first: int, last: int, by: int | None) -> bool:
        """True unless the block was at an end of `old` and is not at that end of `new`."""
        at_start = above is not None or not any(map(trim, self.new[: first + (by or 0)]))
        return at_start and (below is not None or not any(map(trim, self.new[last + (by or 0) :])))

    def wrapped_at(self, first: int, last: int) -> tuple[int, int] | None:
        """The lines of `new` that have the block's text, among lines added around them; None if that is not certain.

        Somebody has put the block into an `if`, say. The lines must be between the same unchanged lines, nothing else
        may have been removed there, and neither the block nor one of its lines with text may occur there twice: one
        may be a copy.
        """
        block, (start, end) = [trim(line) for line in self.old[first:last]], self.between(first, last)
        above, below = self.around(first, last)
        if any(map(trim, [*self.old[above:first], *self.old[last:below]])):
            return None
        here = LineTable([trim(line) for line in self.new[start:end]])
        found = here.places(block, 2)
        if len(found) != 1 or any(
            len(here.at[line]) > block.count(line) for line in block if any(map(str.isalnum, line))
        ):
            return None
        return start + found[0], start + found[0] + len(block)

    def with_telling(self, first: int, last: int) -> tuple[int, int]:
        """The block, extended by the nearest line with text above and below."""
        above, below = _telling_beside(self.old, first, last)
        return 0 if above is None else above, len(self.old) if below is None else below + 1

    def around(self, first: int, last: int) -> tuple[int, int]:
        """The lines of `old` between the nearest unchanged lines above and below the block."""
        above = next((n for n in range(first - 1, -1, -1) if self.there[n] is not None), -1)
        below = next((n for n in range(last, len(self.old)) if self.there[n] is not None), len(self.old))
        return above + 1, below

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


def _said(lines: Iterable[str]) -> list[str]:
    return list(filter(None, map(trim, lines)))


def _n_alike(lines: Iterable[str], others: Iterable[str]) -> int:
    """The number of first lines whose text, in order, begins `others`; blank lines within them count."""
    says, n = filter(None, map(trim, others)), 0
    for at, line in enumerate(map(trim, lines), 1):
        if line and line != next(says, None):
            break
        n = at if line else n
    return n
