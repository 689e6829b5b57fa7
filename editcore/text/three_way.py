"""The three-way merge: the changes from `base` to `mine` and the changes from `base` to `theirs`, in one text.

    base  |a     mine  |A     theirs  |a     beside  |A
          |b           |b             |b             |b
          |c           |c             |C             |C

A change replaces a range of whole lines of the base. Two changes conflict if they share a line, if one inserts within
the other, or if both insert at the same place.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from editcore.text import distances
from editcore.text.diff import changed_ranges
from editcore.text.keys import SQUEEZED
from editcore.text.lines import n_lines, with_feeds

Range = tuple[int, int, str]
"""(first, last, new lines): lines of the base, 1-based and inclusive; `last` is `first - 1` for an insertion."""


def beside(base: str, mine: str, theirs: str, *, inserts: bool = False, apart: bool = False) -> str | None:
    """`theirs` with the changes from `base` to `mine`; None where they conflict with the changes to `theirs`.

    With `inserts`, two insertions at one place do not conflict: both stay, theirs first. With `apart`, changes of
    neighbouring lines conflict, and equal changes are made once: the rule of `git merge-file`.
    """
    of_theirs, of_mine = changed_ranges(base, theirs), changed_ranges(base, mine)
    if apart:
        of_mine = [one for one in of_mine if one not in of_theirs]
    for one in of_mine:
        for other in _near(one, of_theirs):
            if overlap(*one[:2], *other[:2], inserts=inserts) or (
                apart and one[0] <= other[1] + 1 and other[0] <= one[1] + 1
            ):
                return None
    lines, out, done = with_feeds(base), list[str](), 0
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
    """The changes in `others` that may conflict with `one`: they begin or end next to its lines, or within them."""
    first = bisect_left(others, one[0] - 1, key=lambda other: other[1])
    return others[first : bisect_right(others, one[1] + 1, key=lambda other: other[0])]


def overlap(start: int, end: int, others_start: int, others_end: int, *, inserts: bool = False) -> bool:
    """True if two ranges of lines overlap; with `inserts`, two insertions at one place do not."""
    if end < start and others_end < others_start:
        return start == others_start and not inserts
    if end < start:
        return others_start < start <= others_end
    if others_end < others_start:
        return start < others_start <= end
    return start <= others_end and others_start <= end


class Placed(NamedTuple):
    """A change from `base` to `mine`, and the lines of `theirs` that it is for; 1-based and inclusive."""

    first: int
    last: int
    theirs: str
    mine: str
    has_met: bool
    """True if `theirs` has changed these lines, too."""


def placed(base: str, mine: str, theirs: str) -> list[Placed]:
    """The changes from `base` to `mine` as changes of `theirs`, in order.

    Changes that meet one change of `theirs` are one, with the lines between them. A change that meets one stands for
    all lines of it; an insertion goes below them.
    """
    of_theirs, groups = changed_ranges(base, theirs), list[tuple[list[Range], list[Range]]]()
    for one in changed_ranges(base, mine):
        met = [other for other in _near(one, of_theirs) if overlap(*one[:2], *other[:2])]
        if met and groups and groups[-1][1][-1:] == met[:1]:
            groups[-1][0].append(one)
            groups[-1][1].extend(met[1:])
        else:
            groups.append(([one], met))
    lines, live = with_feeds(base), with_feeds(theirs)
    grown = [n_lines(new) - (last - first + 1) for first, last, new in of_theirs]
    shifts, found = [*accumulate(grown, initial=0)], list[Placed]()
    for changes, met in groups:
        start, end = changes[0][0], max(last for _, last, _ in changes)
        first, last = min(one[0] for one in [*changes, *met]), max(one[1] for one in [*changes, *met])
        above = of_theirs.index(met[0]) if met else bisect_left(of_theirs, first, key=lambda other: other[1])
        first, last = first + shifts[above], last + shifts[above + len(met)]
        new, done = list[str](), start - 1
        for at, to, text in changes:
            new += [*lines[done : at - 1], text]
            done = to
        at = last + 1 if met and end < start else first
        found.append(Placed(at, last, "".join(live[first - 1 : last]), "".join(new), bool(met)))
    return found


_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_LONGEST = 2_000
"""Characters of the longest line that is merged; the cost is quadratic in its words."""
_MOST_PAIRS = 400
_ANOTHER_LINE = 0.5
"""A new line with less similarity to the old one is another line, which took its place."""


def merged_line(base: str, mine: str, theirs: str) -> str | None:
    r"""`theirs` with the changes from `base` to `mine`; None where they touch a change from `base` to `theirs`.

        base  |say('10 km', first)     mine  |say('10 km', last)     theirs  |say('10\u00a0km', first)

    gives `say('10\u00a0km', last)`: words and signs are to a line what lines are to a text. A line that shares little
    with `base` was written anew, so `mine` wins as a whole. Where `theirs` differs from `base` in whitespace and
    look-alike characters only, the result differs from `mine` in no more than that.
    """
    if base in (mine, theirs) or mine == theirs:
        return theirs if base == mine else mine
    if distances.indel_ratio(base, mine) < _ANOTHER_LINE:
        return mine
    if max(map(len, (base, mine, theirs))) > _LONGEST:
        return None
    tokens = ["".join(f"{token}\n" for token in _TOKEN.findall(line)) for line in (base, mine, theirs)]
    both = beside(tokens[0], tokens[1], _but_for_what_goes(*tokens))
    if both is None:
        return None
    merged = both.replace("\n", "")
    is_same = SQUEEZED(base) == SQUEEZED(theirs)
    return None if is_same and SQUEEZED(merged) != SQUEEZED(mine) else merged


def _but_for_what_goes(base: str, mine: str, theirs: str) -> str:
    """`theirs`, without its changes inside pieces that `mine` replaces as a whole."""
    replaced = changed_ranges(base, mine)
    lines, out, done = with_feeds(base), list[str](), 0
    for first, last, new in changed_ranges(base, theirs):
        within = first - (last < first)  # What is inserted just before a change is not a part of it.
        if not any(start <= within and last <= end and start <= end for start, end, _ in replaced):
            out += [*lines[done : first - 1], new]
            done = last
    return "".join([*out, *lines[done:]])


def rewritten(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs (old, new) of lines where the new line is the old one, rewritten; in order, with the most similarity in
    all.

    Lines with less similarity than `_ANOTHER_LINE` are not paired. More than `_MOST_PAIRS` possible pairs give none.
    """
    if not old or not new or len(old) * len(new) > _MOST_PAIRS:
        return []
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    alike = [[distances.indel_ratio(one[:_LONGEST], other[:_LONGEST]) for other in new] for one in old]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            pair = alike[i][j] + best[i + 1][j + 1] if alike[i][j] >= _ANOTHER_LINE else 0.0
            best[i][j] = max(best[i + 1][j], best[i][j + 1], pair)
    found, i, j = [], 0, 0
    while i < len(old) and j < len(new):
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            found.append((i, j))
            i, j = i + 1, j + 1
    return found
