"""The line of a file nearest to a search text that is not there, and the first line that differs around it.

    search text  |import os             file  12 |import os            nearest: line 12, an equal one
                 |    size = 5                13 |    size = 6         first difference: line 13
                 |    go()                    14 |    go()

An equal line shows where the search text was copied from; what a model has to be told is the line that is not equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import islice, zip_longest
from operator import itemgetter

from editcore.quoting import quoted
from editcore.text import distances
from editcore.text.document import Document, lines_trimmed_to
from editcore.text.keys import folded, folded_lines
from editcore.text.whitespace import trim
from editcore.types import Contradiction, Match

_LONGEST_COMPARED = 400
"""Characters of a line that are compared in the search for the most similar line."""
_LEAST_SIMILARITY = 0.6
"""A line less similar than this (0 to 1) is not mentioned."""
_PIECE = 10_000
"""Lines that are compared at once, in some milliseconds: no other thread runs meanwhile."""
_MOST_SOUGHT = 4
"""Lines of a search text that are looked for, the longest first."""
_MOST_COMPARED = 400
"""Lines of a file that are compared with more than the longest of them, all together."""
_MOST_PLACES = 8
"""Lines equal to one of them whose neighbours are compared."""
_MOST_NEIGHBOURS = 40
_LONGEST_BLOCK = 20_000
"""Characters of a block that are compared."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """A line of the file, and the line of the search text that it is like."""

    index: int
    """0-based line of the file."""
    wanted: int
    """0-based line of the search text."""
    similarity: float = 1.0


def nearest(document: Document, find: str) -> Nearest | None:
    """The line most like one of the search text's longest lines: an equal one, else the most similar, else None.

    Of several equal ones, that whose neighbours are most alike.
    """
    lines = [trim(line) for line in find.split("\n")]
    first: dict[str, int] = {}
    for n, line in enumerate(lines):
        if line:
            first.setdefault(line, n)
    sought = nlargest(_MOST_SOUGHT, first.items(), key=lambda one: len(one[0]))
    for line, wanted in sought:
        at = document.first(line)
        places = islice(lines_trimmed_to(document.text, line, at) if at >= 0 else (), _MOST_PLACES)
        found = [Nearest(document.line_of(start) - 1, wanted) for start, _ in places]
        if found:
            return max(found, key=lambda one: _likeness(document, lines, one.index - one.wanted))
    # Comparing all lines of a file is most of what a refusal costs.
    n_compared = 1 + _MOST_COMPARED // len(document.lines)
    for line, wanted in sought[:n_compared]:
        for index, similarity in similar_lines(document, line, limit=1):
            # Less than 1, since such a line is equal in its first characters only, or looks equal.
            return Nearest(index, wanted, min(similarity, 0.99))
    return None


def _likeness(document: Document, lines: list[str], start: int) -> float:
    """How alike the first lines of a search text and those of a place are, added up."""
    there = document.trimmed[max(start, 0) : max(start + _MOST_NEIGHBOURS, 0)]
    pairs = zip(lines[max(-start, 0) : _MOST_NEIGHBOURS], there, strict=False)
    return sum(_similarity(one, other) for one, other in pairs if one and other)


def _similarity(one: str, other: str) -> float:
    ends = one[:_LONGEST_COMPARED], other[:_LONGEST_COMPARED]
    return distances.edit_ratio(*ends, score_cutoff=_LEAST_SIMILARITY)


def first_difference(document: Document, find: str, near: Nearest) -> Contradiction | None:
    """The first line in which the place around the nearest line differs from the search text; None if none does.

    Whitespace at the ends of lines counts only where nothing else differs. What is above the file has its first
    line.
    """
    start, ours = near.index - near.wanted, find.split("\n")
    if len(ours) > 1 and not ours[-1]:
        ours.pop()
    there = [document.lines[n] if 0 <= n < len(document.lines) else None for n in range(start, start + len(ours))]
    pairs = [(n, one, other) for n, (one, other) in enumerate(zip_longest(ours, there))]
    different = [one for one in pairs if one[2] is None or trim(one[1]) != trim(one[2])]
    # The first and the last line may be parts of lines.
    different = (
        different or [one for one in pairs[1:-1] if one[1] != one[2]] or [one for one in pairs if one[1] != one[2]]
    )
    if not different:
        return None
    n, wanted, text = different[0]
    return Contradiction(max(start + n, 0) + 1, text or "", wanted)


def block_at(document: Document, first: int, wanted: Sequence[str]) -> Match:
    """The lines where the wanted ones would be if they began at a 0-based line, with their similarity."""
    from rapidfuzz import fuzz  # Needed by refusals only.

    first = min(max(first, 0), len(document.lines) - 1)
    last = min(first + len(wanted), len(document.lines)) - 1
    start, end = document.starts[first], document.starts[last] + len(document.lines[last])
    similarity = fuzz.ratio("\n".join(wanted)[:_LONGEST_BLOCK], document.text[start:end][:_LONGEST_BLOCK]) / 100
    return Match(start, end, "suggestion", min(similarity, 0.99))


def did_you_mean_lines(document: Document, block: Match, *, above: int = 0) -> str:
    """The question whether a block was meant, for a refusal; `above` is how many lines of the file the text lacks."""
    first, last = document.line_of(block.start), document.line_of(max(block.end - 1, block.start))
    span = f"line {first + above}" if first == last else f"lines {first + above}-{last + above}"
    text = quoted(document.text[block.start : block.end], limit=200)
    return f"Did you mean {span} ({block.similarity:.0%} alike): {text}?"


def similar_lines(document: Document, wanted: str, *, limit: int) -> list[tuple[int, float]]:
    """The lines similar enough to a trimmed line, as (0-based line, similarity from 0 to 1), most similar first.

    Characters that look alike are one character.
    """
    lines = document.trimmed
    if max(map(len, lines)) > _LONGEST_COMPARED:
        lines = [line[:_LONGEST_COMPARED] for line in lines]
    wanted = wanted[:_LONGEST_COMPARED]
    if not (document.text.isascii() and wanted.isascii()):
        lines, wanted = folded_lines(lines), folded(wanted)
    found: list[tuple[int, float]] = []
    for start in range(0, len(lines), _PIECE):
        best = distances.most_alike(
            wanted,
            lines[start : start + _PIECE],
            scorer=distances.edit_ratio,
            score_cutoff=_LEAST_SIMILARITY,
            limit=limit,
        )
        found += [(start + index, float(similarity)) for _, similarity, index in best]
    return nlargest(limit, found, key=itemgetter(1))
