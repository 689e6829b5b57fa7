"""What the best alignments of two lists of lines keep: a longest common subsequence, for every start of both lists.

    old  a  b  c      new  b  x  c  a         above(3) says of each border in `new` what the lines above it have in
                              0  2  2  4  4   common with the first 3 lines of `old`: nothing, `b`, `b`, `b c`, `b c`

A line says 2 if it has a letter or a digit, 1 if it has signs alone, as a bracket has, and 0 if it is blank. An
alignment keeps the sum of what its lines say.

The rows are bits (Hyyrö, "Bit-parallel LCS-length computation revisited"): what a line says is its number of bits, and
as many of the lowest bits are 0 as there is in common. A row costs some operations on one long integer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import accumulate
from struct import unpack

from editcore.text.line_index import LineTable

TELLING = 2
"""What a line with a letter or digit says."""
END = "\n"
"""The first character of a line that stands for the start or the end of a text; no line has it."""
_APART = 8
"""Rows from one that is remembered to the next."""
_BITS = 32
"""Bits of a word."""


@lru_cache(100_000)
def says(line: str) -> int:
    """What a trimmed line says: 2 with a letter or digit, 1 without, 0 if it is blank."""
    return TELLING if any(map(str.isalnum, line)) or line[:1] == END else int(line != "")


class Rows:
    """What the starts of two lists of lines have in common, as one row of bits for each start of `old`."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self._old = old
        self._table = LineTable(new)
        self.ends = list(accumulate(map(says, new), initial=0))
        """The number of bits of the first lines of `new`, for each number of lines."""
        self._all = (1 << self.ends[-1]) - 1
        self._known = [self._all]
        self._signs = cache(self._signs_of)
        self.row = lru_cache(16)(self._row)

    def _row(self, n_old: int) -> int:
        """The bits of the first `n_old` lines of `old`: 1 where something is in common."""
        while len(self._known) <= n_old // _APART:
            start = (len(self._known) - 1) * _APART
            self._known.append(self._after(self._known[-1], start, start + _APART))
        start = n_old // _APART
        return self._all & ~self._after(self._known[start], start * _APART, n_old)

    def _after(self, bits: int, first: int, last: int) -> int:
        everything = self._all
        for line in self._old[first:last]:
            there = self._signs(line)
            if there:
                for n in range(says(line)):
                    both = bits & there << n
                    bits = (bits + both | bits - both) & everything
        return bits

    def _signs_of(self, line: str) -> int:
        """The first bit of each line of `new` that equals this one."""
        signs = bytearray(self.ends[-1] // 8 + 1)
        for at in self._table.at.get(line, ()):
            signs[self.ends[at] >> 3] |= 1 << (self.ends[at] & 7)
        return int.from_bytes(signs, "little")


class Kept:
    """What the best alignments of `old` and `new` keep, of trimmed lines."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self._n_old, self._n_new = len(old), len(new)
        self._down, self._up = Rows(old, new), Rows(old[::-1], new[::-1])
        self.without = lru_cache(64)(self._without)

    def around(self, first: int, last: int, places: Sequence[int]) -> list[int]:
        """For each place in `new` what is kept around `old[first:last]` if these lines are paired with those there.

        It is what the lines above both have in common, and the lines below both.
        """
        above, below = self._down.row(first), self._up.row(self._n_old - last)
        ends, ends_up, n_below = self._down.ends, self._up.ends, self._n_new - (last - first)
        return [
            (above & (1 << ends[at]) - 1).bit_count() + (below & (1 << ends_up[n_below - at]) - 1).bit_count()
            for at in places
        ]

    def _without(self, first: int, last: int) -> int:
        """What a best alignment keeps that pairs no line of `old[first:last]`."""
        above, below = self._down.row(first), self._up.row(self._n_old - last)
        n_words = self._down.ends[-1] // _BITS + 1
        size = n_words * _BITS
        # From each sign to the next one, what is above may grow and what is below may shrink.
        turned = int(f"{below:0{size}b}"[::-1], 2) >> size - self._down.ends[-1]
        grows, shrinks = (unpack(f"<{n_words}I", one.to_bytes(size // 8, "little")) for one in (above, turned))
        kept = most = below.bit_count()
        for grow, shrink in zip(grows, shrinks, strict=True):
            if grow != shrink:
                by, highest = _walk(grow, shrink)
                most = max(most, kept + highest)
                kept += by
        return most

    def borders(self, first: int, last: int) -> list[int]:
        """The borders of `new` where a best alignment without `old[first:last]` may have the place of these lines."""
        every = range(self._n_new + 1)
        above, below = (
            _counts(rows.row(n), rows.ends) for rows, n in ((self._down, first), (self._up, self._n_old - last))
        )
        most = self.without(first, last)
        return [at for at in every if above[at] + below[self._n_new - at] == most]


def _counts(row: int, ends: Sequence[int]) -> list[int]:
    """The number of bits of a row up to each of the ends."""
    signs = list(accumulate(map(int, f"{row:0{ends[-1]}b}"[::-1]), initial=0)) if ends[-1] else [0]
    return [signs[end] for end in ends]


@lru_cache(100_000)
def _walk(grows: int, shrinks: int) -> tuple[int, int]:
    """The sum and the highest partial sum of one word's bits less another word's bits, from the lowest bit on."""
    sums = list(accumulate((grows >> n & 1) - (shrinks >> n & 1) for n in range(_BITS)))
    return sums[-1], max(sums)
