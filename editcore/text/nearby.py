"""The stretches of a file around the lines of a search text, found without dividing the whole file into lines.

    search text  |a = limit      file  |...             not examined
                 |return a             |b = 1           in the stretch, since a tier may look here
                                       |a = limit       found by one search in the whole text
                                       |return b
                                       |...             not examined

A search in the text costs a fraction of dividing it into lines and trimming them. Lines that the file has often say
nothing about a place, and are only counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from editcore.text.whitespace import trim

MOST_OCCURRENCES = 8
"""A line that the file has more often says nothing about a place."""
_MOST_SOUGHT = 20
"""Lines that are searched for one by one; for more, tables of the whole file are cheaper."""
_MOST_HELD = 160
"""Hits that may be examined in all, hits within longer lines included."""
_MOST_HITS = 16
_WIDTH = 40
"""Characters of a line, as a first guess."""

Span = tuple[int, int]
"""The offsets at which a stretch of whole lines starts and ends."""


class Sought(NamedTuple):
    """Where the lines of a search text are in a file text."""

    counts: Mapping[str, int]
    """Line -> its number of occurrences, at most `MOST_OCCURRENCES` + 1."""
    at: Mapping[str, Sequence[Span]]
    """Rare line -> its places in the file text."""

    @property
    def hits(self) -> list[Span]:
        return [span for spans in self.at.values() for span in spans]

    @property
    def rarest(self) -> Sequence[Span]:
        return self.at[min(self.at, key=lambda line: len(self.at[line]))]


def sought(text: str, lines: Iterable[str], first: Callable[[str], int]) -> Sought | None:
    """Where trimmed lines are in an ASCII text; `first(line)` is the offset at which a line is first, within any line.

    None where tables of all lines are cheaper: for many lines, and for lines that are all frequent.
    """
    distinct = dict.fromkeys(lines)
    if len(distinct) > _MOST_SOUGHT:
        return None
    counts: dict[str, int] = {}
    seldom: dict[str, list[Span]] = {}
    most = _MOST_HELD
    for line in distinct:
        at = first(line) if line else -1
        found, n_held = _lines_that_are(text, line, at, most) if at >= 0 else ([], 0)
        most -= n_held
        if most < 0:
            return None
        counts[line] = len(found)
        if len(found) <= MOST_OCCURRENCES:
            seldom[line] = found
    return Sought(counts, seldom) if seldom and sum(map(len, seldom.values())) <= _MOST_HITS else None


def _lines_that_are(text: str, line: str, at: int, most: int) -> tuple[list[Span], int]:
    """The first places of lines that equal `line` once trimmed, and the number of hits examined, at most `most` + 1."""
    found: list[Span] = []
    n_held = 0
    while at >= 0 and n_held <= most:
        n_held += 1
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at + len(line))
        if end < 0:
            end = len(text)
        # A line that trims to it begins with it, so the first hit in the line decides.
        if not trim(text[start:at]) and not trim(text[at + len(line) : end]):
            found.append((start, end))
            if len(found) > MOST_OCCURRENCES:
                break
        at = text.find(line, end)
    return found, n_held


def stretches(text: str, hits: Iterable[Span], reach: int) -> list[Span] | None:
    """The hits with at least `reach` solid lines above and below, where there are so many; ascending, not overlapping.

    None if that is more than half of the text.
    """
    found: list[Span] = []
    hits, size = sorted(hits), reach * _WIDTH
    far = [n for n, (one, other) in enumerate(pairwise(hits), 1) if other[0] - one[1] > size]
    for first, last in pairwise([0, *far, len(hits)] if hits else []):
        start = start_above(text, hits[first][0], reach, size, _n_solid)
        below = end_below(text, max(end for _, end in hits[first:last]), reach + 1, size, _n_solid)
        end = min(below + 1, len(text))
        if found and start <= found[-1][1]:
            above = found.pop()
            start, end = above[0], max(above[1], end)
        found.append((start, end))
    return found if 2 * sum(end - start for start, end in found) <= len(text) else None


def start_above(text: str, at: int, n: int, size: int, count: Callable[[str], int]) -> int:
    """The start of a line with at least `n` of what is counted between it and an offset; or of the text.

    `size` is a first guess at the number of characters between them.
    """
    while True:
        start = text.rfind("\n", 0, max(at - size, 0)) + 1
        if not start or count(text[start:at]) >= n:
            return start
        size *= 2


def end_below(text: str, at: int, n: int, size: int, count: Callable[[str], int]) -> int:
    """The end of a line with at least `n` of what is counted between an offset and it; or of the text."""
    while True:
        end = text.find("\n", at + size)
        if end < 0 or count(text[at:end]) >= n:
            return len(text) if end < 0 else end
        size *= 2


def _n_solid(text: str) -> int:
    return sum(map(bool, map(str.strip, text.split("\n"))))
