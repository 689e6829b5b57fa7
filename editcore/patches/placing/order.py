"""The order of all hunks of a section: which places of each are left if the hunks stand in the file's order.

    hunks        places     forwards   backwards   left
    first        1, 9           1          1       1         certain
    second       4              4          4       4
    third        2, 6, 8        6          8       6, 8

Every hunk is put at its first place below the one before it, and from the end at its last place above the next one.
Where both agree, no other place is possible. Models write hunks in the file's order: all of 2,088 recorded patches did.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence


def in_order(places: Sequence[Sequence[int]], lengths: Sequence[int]) -> list[Sequence[int]] | None:
    """The places of each hunk at which it can stand if no hunk overlaps, or stands above, the one before it.

    `places` are the ascending 0-based lines at which each hunk matches, `lengths` how many lines of the file it takes
    there; 0 for one that only adds lines. None if the hunks fit in no such way: they are out of order, or overlap.
    """
    firsts: list[int] = []
    floor = 0
    for mine, length in zip(places, lengths, strict=True):
        first = bisect_left(mine, floor)
        if first == len(mine):
            return None
        firsts.append(first)
        floor = mine[first] + length
    left: list[Sequence[int]] = []
    ceiling = None
    for mine, length, first in zip(reversed(places), reversed(lengths), reversed(firsts), strict=True):
        end = len(mine) if ceiling is None else bisect_right(mine, ceiling - length)
        left.append(mine[first:end])
        ceiling = mine[end - 1]
    return left[::-1]
