"""Where lines of the text that was seen certainly are in the current text.

The problem. Others have added, moved, copied and deleted lines. A diff pairs the lines that were seen with current
ones, but where a line has a copy, it picks one of several pairings. The edit may be made in a copy, or in other lines
that read the same.

    seen  |a      now  |a       A diff may pair `b` with line 2 of now or with line 4. Paired with line 2, a, b, c and d
          |b           |b       are kept. Paired with line 4, a, b and d are kept. Line 2 is certain.
          |c           |c
          |d           |b
                       |d

The idea. A place is certain if every good alignment of both texts has the lines there. An alignment says which lines of
both are the same, in order; it is as good as what its lines say (`kept`): a line with a letter or digit says 2, any
other 1, a blank one nothing. For each place of a block, the best alignment keeps what is in common above both, and
below both. Two facts need no comparison of alignments:

- A stretch is equal lines in a row between two lines that each text has once. Lines within a stretch are there.
- What is far within a stretch is far from every change: it is cut from both texts before they are compared.

The rule, for a block in the rest:

- The best place keeps more than one line with text (2) more than any other one, else none is certain.
- If the block is where the best alignments have it, no good alignment may have an end of it elsewhere, or lack it.
  For a block that both texts have once, that is asked of one end. A line near it is as near there, or the block says
  enough by itself.
- Else the block was moved. Both texts must have it once. Three lines with text went together, or its old place closed
  behind a block that says enough.

The invariant. Of two copies that others' changes do not tell apart, none is certain.

What does not work:

- Less between two places: one line that was added below a copy by chance decides for it, in 1 of 5,000 duplications.
- Questions asked of one diff (do the neighbours stay, may the block slide, has a line passed it, ...): each mends one
  failure. Of 1,000 drawn duplications 280 were made in a copy, and half of the edits beside moved lines were refused.
- To ask both ends of a block that both texts have once: its last line may have a copy in what was added below.

To add to it: a fact goes into `Places`, if it needs no alignment. What an alignment says goes into `_Evidence`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from editcore.stale.kept import END, TELLING, Kept, says
from editcore.text.line_index import LineTable

_APART = 3
"""How much more a certain place keeps than any other: more than one line with text, which may be there by chance."""
_MARGIN = 2
"""How much more a good alignment keeps than any with a line elsewhere, or without it: one line with text."""
_ENOUGH = 12
"""Letters and digits of lines that are recognised without their neighbours."""
_NEAR = 3
"""Lines beside a block that may have gone along with it."""
_TOGETHER = 3
"""Lines with text that are recognised where they went together."""
_CONTEXT = 12
"""Lines that are left at either end of a stretch."""
_MOST_PAIRS = 64_000_000
"""Pairs of lines that are compared at most, in the shortened texts."""
_MOST_PLACES = 100
"""Places of a block that are compared at most."""


class Place(NamedTuple):
    """The place of some lines."""

    at: int | None
    """0-based; None if no place is certain."""
    n_places: int
    """The number of places in the current text that may be meant; 1 if one is certain."""


class _Stretch(NamedTuple):
    """Equal lines in a row in both texts, between two lines that each text has once."""

    first: int
    last: int
    """One past the last line."""
    by: int
    """The number of lines by which the stretch moved down."""


class Places:
    """Two lists of trimmed lines, and the places in `new` where lines of `old` certainly are.

    The parameters `first` and `last` delimit a block `old[first:last]` of one line or more.
    """

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        # The start and the end of a text are lines that both texts have once.
        self._old, self._new = ([f"{END}start", *lines, f"{END}end"] for lines in (old, new))
        self._of_old, self._of_new = LineTable(self._old), LineTable(self._new)
        self.of = lru_cache(None)(self._of)

    def _of(self, first: int, last: int) -> Place:
        """The place of the block."""
        first, last = first + 1, last + 1
        for one in self._stretches[bisect_right(self._stretches, first, key=lambda one: one.first) - 1 :][:1]:
            if one.first < first and last < one.last:
                return Place(first + one.by - 1, 1)
        if first < last and not any(self._old[first:last]):
            return self._beside_text(first, last)
        places = self._of_new.places(self._old[first:last])
        at = self._certain(first, last, places) if places else None
        return Place(None, len(places)) if at is None else Place(at - 1, 1)

    def _beside_text(self, first: int, last: int) -> Place:
        """The place of blank lines: where they are together with the next line that has text, above or below."""
        above = next(n for n in range(first - 1, -1, -1) if self._old[n])
        below = next(n for n in range(last, len(self._old)) if self._old[n])
        found = set[int | None]()
        for start, end in ((above, last), (first, below + 1)):
            if start > 0 and end < len(self._old):
                there = self.of(start - 1, end - 1)
                at = None if there.at is None else there.at + first - start
                found |= {at} if there.n_places else set()
            else:  # An end of both texts.
                at = 0 if start == 0 else len(self._new) - (end - start)
                found |= {at + first - start - 1} if self._new[at : at + end - start] == self._old[start:end] else set()
        return Place(next(iter(found)), 1) if len(found) == 1 and None not in found else Place(None, len(found))

    def _certain(self, first: int, last: int, places: list[int]) -> int | None:
        """The certain one of the places; None if no one is."""
        n = bisect_right(self._stretches, first, key=lambda one: one.first) - 1
        for one in self._stretches[n : n + 2]:
            if one.first + _CONTEXT < last and first < one.last - _CONTEXT:  # A part of the block is cut.
                return first + one.by if first + one.by in places else None
        old, new = self._left
        if len(old) * len(new) > _MOST_PAIRS or len(places) > _MOST_PLACES:
            return None
        n_lines, start = last - first, bisect_left(old, first)
        found = [bisect_left(new, at) for at in places]
        found = [n for n in found if new[n] + n_lines - 1 == new[min(n + n_lines, len(new)) - 1]]
        is_only = len(places) == 1 == len(self._of_old.places(self._old[first:last], 2))
        best = self._evidence.place(start, start + n_lines, found, is_only=is_only) if found else None
        return None if best is None else new[best]

    @cached_property
    def _evidence(self) -> _Evidence:
        old, new = self._left
        return _Evidence([self._old[n] for n in old], [self._new[n] for n in new])

    @cached_property
    def _left(self) -> tuple[list[int], list[int]]:
        """The lines of both texts that are not far within a stretch."""
        cuts = [(one.first + _CONTEXT, one.last - _CONTEXT, one.by) for one in self._stretches]
        cuts = [one for one in cuts if one[0] < one[1]]
        in_new = sorted([(first + by, last + by) for first, last, by in cuts])
        return _outside([(first, last) for first, last, _ in cuts], len(self._old)), _outside(in_new, len(self._new))

    @cached_property
    def _stretches(self) -> list[_Stretch]:
        """The stretches, from the top down."""
        old, new, of_new, found = self._old, self._new, self._of_new.at, list[_Stretch]()
        first = last = by = -1
        for line, numbers in self._of_old.at.items():
            there = of_new.get(line, ())
            if len(numbers) > 1 or len(there) != 1 or says(line) < TELLING:
                continue
            n, at = numbers[0], there[0]
            if at - n != by or old[last:n] != new[last + by : at]:
                found.append(_Stretch(first, last, by))
                first, by = n, at - n
            last = n + 1
        return [*found[1:], _Stretch(first, last, by)]


def _outside(ranges: Sequence[tuple[int, int]], end: int) -> list[int]:
    """The numbers from 0 to `end` outside of ascending ranges."""
    found, done = list[int](), 0
    for first, last in [*ranges, (end, end)]:
        found += range(done, first)
        done = last
    return found


class _Evidence:
    """What speaks for the places of a block, in two lists of lines whose long stretches are shortened."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self._old, self._new = old, new
        self._at = LineTable(new).at
        self._kept = Kept(old, new)

    def place(self, first: int, last: int, places: Sequence[int], *, is_only: bool) -> int | None:
        """The certain one among the places of a block; `is_only`: both texts have the block once."""
        around = dict(zip(places, self._kept.around(first, last, places), strict=True))
        best = max(places, key=around.__getitem__)
        if any(around[best] - around[at] < _APART for at in places if at != best):
            return None
        if self._is_in_order(first, last, best, around[best] + sum(map(says, self._old[first:last])), is_only=is_only):
            return best if self._stays(first, last, best) else None
        return best if is_only and self._has_moved(first, last, best) else None

    def _is_in_order(self, first: int, last: int, place: int, kept: int, *, is_only: bool) -> bool:
        """True if no good alignment has an end of the block elsewhere, and none is without both.

        One end is enough for a block that both texts have once.
        """
        lines = self._old[first:last]
        most = max(map(says, lines))
        tells = [n for n, line in enumerate(lines, first) if says(line) == most]
        ends = {tells[0], tells[-1]}
        there = {n for n in ends if kept - self._kept.without(n, n + 1) >= min(_MARGIN, says(self._old[n]))}
        only_there = {n for n in ends if self._is_nowhere_else(n, place + n - first, kept)}
        return bool(there & only_there) if is_only else bool(there) and only_there == ends

    def _is_nowhere_else(self, n: int, place: int, kept: int) -> bool:
        """True if no good alignment has line `n` at another place than this one."""
        line = self._old[n]
        others = [at for at in self._at.get(line, ()) if at != place]
        elsewhere = max(self._kept.around(n, n + 1, others), default=0) + says(line)
        return not others or kept - elsewhere >= min(_MARGIN, says(line))

    def _stays(self, first: int, last: int, place: int) -> bool:
        """True if a line with text near the block is as near there, or the block says enough."""
        by = place - first
        near = [*range(first - _NEAR, first), *range(last, last + _NEAR)]
        return any(
            0 <= n < len(self._old) and 0 <= n + by < len(self._new)
            and says(self._old[n]) == TELLING and self._old[n] == self._new[n + by]
            for n in near
        ) or any(self._company(first, last, place)) or self._says_enough(first, last)  # fmt: skip

    def _has_moved(self, first: int, last: int, place: int) -> bool:
        """True if the block went with lines beside it, or alone from between lines that stayed."""
        kept, (up, down) = self._kept, self._company(first, last, place)
        most = kept.without(0, 0)
        # Lines beside the block went along if a good alignment keeps nothing of them elsewhere.
        while up and most - kept.without(up[-1], last) >= _MARGIN:
            up.pop()
        start = up[-1] if up else first
        while down and most - kept.without(start, down[-1] + 1) >= _MARGIN:
            down.pop()
        end = down[-1] + 1 if down else last
        if most - kept.without(start, end) >= _MARGIN:
            return False
        if self._says_enough(first, last) and self._is_closed(first, last):
            return True
        return sum(says(line) == TELLING for line in self._old[start:end]) >= _TOGETHER

    def _is_closed(self, first: int, last: int) -> bool:
        """True if the lines with text beside the block follow each other where the block should be."""
        beside = self._beside(self._old, first, last)
        return any(beside == self._beside(self._new, at, at) for at in self._kept.borders(first, last))

    def _beside(self, lines: Sequence[str], first: int, last: int) -> tuple[str | None, str | None]:
        above, below = range(first - 1, -1, -1), range(last, len(lines))
        return next((lines[n] for n in above if lines[n]), None), next((lines[n] for n in below if lines[n]), None)

    def _company(self, first: int, last: int, place: int) -> tuple[list[int], list[int]]:
        """The lines with text above the block, and below it, that are beside the place too; the nearest ones first."""
        n_old, n_new, end = len(self._old), len(self._new), place + last - first
        return (
            self._alike(range(first - 1, -1, -1), range(place - 1, -1, -1)),
            self._alike(range(last, n_old), range(end, n_new)),
        )

    def _alike(self, mine: range, theirs: range) -> list[int]:
        found = list[int]()
        pairs = zip((n for n in mine if self._old[n]), (n for n in theirs if self._new[n]), strict=False)
        for n, at in pairs:
            if self._old[n] != self._new[at] or len(found) == _NEAR:
                break
            if says(self._old[n]) == TELLING:
                found.append(n)
        return found

    def _says_enough(self, first: int, last: int) -> bool:
        return sum(map(str.isalnum, "".join(self._old[first:last]))) >= _ENOUGH
