"""Whether another hand has made the changes of an edit, wherever a diff says that the same lines were added.

seen  |}     now, by one diff  |}     by another  |}
      |                        |+                 |
      |a()                     |+b()              |+b()
                               |                  |+
                               |a()               |a()
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from editcore.stale.alignment import Change, ended


def are_made(old: Sequence[str], mine: Sequence[Change], theirs: Sequence[Change]) -> bool:
    """Whether each of some changes of the lines `old` is among the others, or gives the same text as one of them.

    A line feed at the end of the text is no difference.
    """
    old = ended(old)
    mine, theirs = ([(first, last, ended(new)) for first, last, new in some] for some in (mine, theirs))
    alike: defaultdict[tuple[int, tuple[str, ...]], list[Change]] = defaultdict(list)
    for one in theirs:
        alike[_size(one)].append(one)
    return bool(mine) and all(any(_is_same(old, one, other) for other in alike[_size(one)]) for one in mine)


def _size(change: Change) -> tuple[int, tuple[str, ...]]:
    """What two changes that give the same text have in common."""
    first, last, new = change
    return last - first, tuple(sorted(new))


def _is_same(old: Sequence[str], one: Change, other: Change) -> bool:
    """Whether two changes of as many lines give the same text: they are equal, or one is the other slid along lines."""
    (first, last, new), (start, end, others) = sorted((one, other))
    if first == start:
        return new == others
    if last == first:
        between = list(old[first:start])
        return [*new, *between] == [*between, *others]
    return not new and old[last:end] == old[first:start]
