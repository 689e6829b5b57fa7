"""Two changes of one text, in one: those of `mine` written beside those of `theirs`.

    base  |a     mine  |A     theirs  |a     beside  |A
          |b           |b             |b             |b
          |c           |c             |C             |C

Changes are ranges of whole lines of the base. Two overlap if they share a line, if one inserts within the other, or if
both insert at the same place.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from editcore.text.diff import changed_ranges

Range = tuple[int, int, str]
"""First and last line of the base, 1-based, and the lines in their place; the last is one less for an insertion."""


def beside(base: str, mine: str, theirs: str, *, inserts: bool = False, apart: bool = False) -> str | None:
    """`theirs` with the changes that make `mine` of `base`; None where they overlap those that make `theirs` of it.

    With `inserts`, two insertions at one place do not overlap: both stay, theirs first. With `apart`, changes of lines
    next to each other overlap, and equal changes are one: the rule of `git merge-file`.
    """
    of_theirs, of_mine = changed_ranges(base, theirs), changed_ranges(base, mine)
    if apart:
        of_mine = [one for one in of_mine if one not in of_theirs]
    for one in of_mine:
        for other in _near(one, of_theirs):
            if _overlap(one, other, inserts=inserts) or (apart and one[0] <= other[1] + 1 and other[0] <= one[1] + 1):
                return None
    lines, out, done = [f"{line}\n" for line in base.split("\n")], list[str](), 0
    lines[-1] = lines[-1][:-1]
    # An insertion above a line comes before what that line becomes; of two at one place, theirs comes first.
    changes = sorted([*((*one, False) for one in of_theirs), *((*one, True) for one in of_mine)], key=_order)
    for start, end, new, _ in changes:
        out += [*lines[done : start - 1], new]
        done = end
    return "".join([*out, *lines[done:]])


def _order(change: tuple[int, int, str, bool]) -> tuple[int, int, bool]:
    start, end, _, is_mine = change
    return start, end, is_mine


def _near(one: Range, others: Sequence[Range]) -> Sequence[Range]:
    """The changes that end just above one or below, and begin above its end or just below: all that may overlap it."""
    first = bisect_left(others, one[0] - 1, key=lambda other: other[1])
    return others[first : bisect_right(others, one[1] + 1, key=lambda other: other[0])]


def _overlap(one: Range, other: Range, *, inserts: bool) -> bool:
    (start, end, _), (others_start, others_end, _) = one, other
    if end < start and others_end < others_start:
        return start == others_start and not inserts
    if end < start:
        return others_start < start <= others_end
    if others_end < others_start:
        return start < others_start <= end
    return start <= others_end and others_start <= end
