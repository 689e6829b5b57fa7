"""How two texts, or two lists of lines, begin and end alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import AnyStr

# In texts, by bisection: comparing slices is hundreds of times faster than comparing characters.


def common_prefix(left: AnyStr, right: AnyStr) -> int:
    """The length of what both texts begin with."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if right.startswith(left[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(left: AnyStr, right: AnyStr, *, most: int | None = None) -> int:
    """The length of what both texts end with; not more than `most`."""
    n_left, n_right = len(left), len(right)
    low, high = 0, min(n_left, n_right) if most is None else most
    while low < high:
        middle = (low + high + 1) // 2
        if right.startswith(left[n_left - middle : n_left - low], n_right - middle):
            low = middle
        else:
            high = middle - 1
    return low


def common_ends(left: AnyStr, right: AnyStr) -> tuple[int, int]:
    """The lengths of the common prefix of two texts, and of the common suffix of what follows it."""
    start = common_prefix(left, right)
    return start, common_suffix(left, right, most=min(len(left), len(right)) - start)


def common_lines(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """The numbers of equal lines at the start and, of the rest, at the end."""
    most = min(len(old), len(new))
    head = next((n for n in range(most) if old[n] != new[n]), most)
    tail = next((n for n in range(most - head) if old[-1 - n] != new[-1 - n]), most - head)
    return head, tail
