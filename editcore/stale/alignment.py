"""Where the lines of a text that was seen stand in the text of now."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from operator import itemgetter

from editcore.text.diff import changed_ranges
from editcore.text.endings import line_feeds
from editcore.text.line_index import LineTable
from editcore.text.lines import BOM, with_feeds
from editcore.text.whitespace import trim

_NEAR = 6
"""Lines above and below some that show whether these have passed them."""

Change = tuple[int, int, list[str]]
"""The first line, 0-based, one past the last, and the lines in their place."""


def lines_of(text: str) -> list[str]:
    """The lines of `text` with their line feeds, without its byte order mark and carriage returns before line feeds."""
    return with_feeds(line_feeds(text.removeprefix(BOM)))


def ended(lines: Sequence[str]) -> list[str]:
    """The lines, the last one of a text with a line feed though it has none."""
    return [*lines[:-1], f"{lines[-1].removesuffix(chr(10))}\n"] if lines else []


class Alignment:
    """The lines of a text that was seen (`old`), those of the text of now (`new`), and which are the same.

    old  0 |a        new  0 |x        there  [1, None, 3]
         1 |b             1 |a
         2 |c             2 |B
                          3 |c
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
    def changes(self) -> list[Change]:
        """The first line of `old` that was changed, one past the last, and the lines that stand there now."""
        found = changed_ranges("".join(self.old), "".join(self.new))
        return [(first - 1, last, with_feeds(text)) for first, last, text in found]

    @cached_property
    def there(self) -> list[int | None]:
        """For each line of `old`, its 0-based line of `new`; None where it was changed or removed."""
        found: list[int | None] = []
        at = 0
        for first, last, lines in self.changes:
            n_kept = first - len(found)
            found += range(at, at + n_kept)
            found += [None] * (last - first)
            at += n_kept + len(lines)
        return [*found, *range(at, at + len(self.old) - len(found))]

    def moved_by(self, first: int, last: int) -> int | None:
        """By how many lines the lines `first` to `last - 1` moved together; None where one of them was changed."""
        there = self.there[first:last]
        if not there or there[0] is None or there != list(range(there[0], there[0] + len(there))):
            return None
        return there[0] - first

    def is_told_apart(self, first: int, last: int) -> bool:
        """Whether unchanged lines stand where the diff says, and not as well where a copy of them is.

        Where both texts have them once, they do, but for a quotation of lines that have become others: those next to
        them stand on the other side then. Else the lines next to them that say something must have stayed, above and
        below, and none have passed them: a diff may take any copy for the original.
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
        """Whether unchanged lines belong as well to a copy of the end of their run, or of its start.

        old |a       new |a      The diff says that `b, c, b, c` were added below the run `a, b, c`. They may as well
            |b           |b      have been added above its `b, c`, which stand before `d` as they did.
            |c           |c
            |d           |b
                         |c
                         |d
        """
        one = self._runs[bisect_right(self._runs, first, key=itemgetter(0)) - 1]
        return first >= one[2] or last <= one[3]

    @cached_property
    def _runs(self) -> list[tuple[int, int, int, int]]:
        """Lines of `old` that stayed together: the first, one past the last, and what of them may slide.

        That are the lines from the third number on, which also stand above the next run, and those before the fourth,
        which also stand below the one above.
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
        """Whether lines that stood above some unchanged ones stand below them now, or the other way round.

        They stand only there, or next to them where they were added.
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
        """Whether the lines that went from next to some begin those that were added on their other side.

        old |}       new |go()    What the diff takes for `go()`, with the bracket moved below it, may be a quotation
            |go()        |}       above the bracket, and the line below have become another.
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
        """The lines of `new` that are none of `old`."""
        return frozenset(range(len(self.new))).difference(self.there)

    def _is_closed_after(self, first: int, last: int) -> bool:
        """Whether nothing that says something stands in the place that some lines had.

        Two lines of brackets say of no place that it is this one, nor does a line that is as one of those that went.
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
        """Whether lines at an end of the old text are at that end of the new one."""
        at_start = above is not None or not any(map(trim, self.new[: first + (by or 0)]))
        return at_start and (below is not None or not any(map(trim, self.new[last + (by or 0) :])))

    def wrapped_at(self, first: int, last: int) -> tuple[int, int] | None:
        """The lines of `new` that say what some of `old` say, among lines that were added about them.

        None where they are not between the same unchanged lines, or others went from there, and where they, or one that
        says something, stand there several times: what stands there may be a copy.
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
        """Lines of `old` with the nearest ones above and below that say something."""
        above, below = _telling_beside(self.old, first, last)
        return 0 if above is None else above, len(self.old) if below is None else below + 1

    def around(self, first: int, last: int) -> tuple[int, int]:
        """The lines of `old` between the nearest unchanged lines above and below some lines of it."""
        above = next((n for n in range(first - 1, -1, -1) if self.there[n] is not None), -1)
        below = next((n for n in range(last, len(self.old)) if self.there[n] is not None), len(self.old))
        return above + 1, below

    def between(self, first: int, last: int) -> tuple[int, int]:
        """The lines of `new` between the same unchanged lines."""
        start, end = self.around(first, last)
        above = self.there[start - 1] if start else -1
        below = self.there[end] if end < len(self.old) else len(self.new)
        assert above is not None
        assert below is not None
        return above + 1, below


def _telling_beside(lines: Sequence[str], first: int, last: int) -> tuple[int | None, int | None]:
    """The nearest lines above and below some that say something; None where there are none."""
    above = next((n for n in range(first - 1, -1, -1) if trim(lines[n])), None)
    return above, next((n for n in range(last, len(lines)) if trim(lines[n])), None)


def _said(lines: Iterable[str]) -> list[str]:
    return list(filter(None, map(trim, lines)))


def _n_alike(lines: Iterable[str], others: Iterable[str]) -> int:
    """How many lines say in order what others begin with, blank ones between them included."""
    says, n = filter(None, map(trim, others)), 0
    for at, line in enumerate(map(trim, lines), 1):
        if line and line != next(says, None):
            break
        n = at if line else n
    return n
