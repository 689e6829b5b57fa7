"""A search text without any whitespace, in a text without any, and its place there mapped back."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate

from editcore.text.whitespace import WORD, words


def first_squeezed(text: str, old: str, *, with_blanks_above: bool = True) -> tuple[int, int] | None:
    """The first place of the search text when no whitespace counts, with the whitespace above it or without."""
    needle, found = "".join(words(old)), list(WORD.finditer(text))
    at = "".join(one[0] for one in found).find(needle)
    if at < 0:
        return None
    ends = list(accumulate(len(one[0]) for one in found))
    first, last = bisect_right(ends, at), bisect_left(ends, at + len(needle))
    start = found[first].end() - (ends[first] - at)
    if with_blanks_above and start == found[first].start():
        # The place begins where the character before it ends.
        start = found[first - 1].end() if first else 0
    return start, found[last].end() - (ends[last] - at - len(needle))
