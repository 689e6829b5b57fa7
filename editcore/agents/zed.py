"""Zed's alignment of a search text with a file, line by line.

    exact       the search text as it is
    alignment   |a|b|x|c|   The costs of a line are 0 if it is equal when trimmed, 1 if it is 0.8 similar, 3 for a
                            further line of the file, and 10 for a line that the file lacks. The cheapest alignments
                            are followed back to their starts.

A match needs pairs for 0.8 of the lines of either side. The first new line is shifted as the first pair differs, the
others as all other pairs do, if they agree. `zed_fuzzy` is the earlier rule, without the step `exact`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from editcore.agents.matching import Similarities, Work, span
from editcore.agents.rule import Rule
from editcore.agents.runner import CRLF_IF_FIRST, Found, Given, Read, Step, Steps
from editcore.text.document import Document
from editcore.text.whitespace import SPACES_AND_TABS, indent
from editcore.types import Edit

_REPLACEMENT, _INSERTION, _DELETION = 1, 3, 10
_UP, _LEFT, _DIAGONAL = range(3)
_STEPS_PER_CELL = 40


class Aligned(NamedTuple):
    """A match: the file's first and last line, and the pairs of lines (search text, file). All are 0-based."""

    first: int
    last: int
    pairs: list[tuple[int, int]]


def _directions(
    query: Sequence[str], lines: Sequence[str], least: float, work: Work
) -> tuple[list[bytearray], list[int]]:
    """(for each line of the search text the way back from each cell, the costs of the last row)."""
    similarities = Similarities(work, least=least)
    above = [0] * (len(lines) + 1)
    ways = [bytearray([_DIAGONAL]) * (len(lines) + 1)]
    for row, line in enumerate(query, 1):
        work.spend(_STEPS_PER_CELL * len(lines))
        left = row * _DELETION
        costs, way = [left], bytearray([_UP])
        # Files repeat lines: the cost of a pair is computed once for equal ones.
        alike: dict[str, int] = {}
        for column, other in enumerate(lines):
            paid = alike.get(other)
            if paid is None:
                far = abs(len(line) - len(other)) > (1 - least) * max(len(line), len(other))
                fuzzy = not far and similarities.of(line, other) >= least
                paid = 0 if line == other else _REPLACEMENT if fuzzy else _DELETION + _INSERTION
                alike[other] = paid
            best, where = above[column + 1] + _DELETION, _UP
            if left + _INSERTION < best:
                best, where = left + _INSERTION, _LEFT
            if above[column] + paid < best:
                best, where = above[column] + paid, _DIAGONAL
            costs.append(best)
            way.append(where)
            left = best
        above = costs
        ways.append(way)
    return ways, above


def _aligned(document: Document, query: Sequence[str], least: float, share: float, work: Work) -> list[Aligned]:
    """The cheapest alignments that pair a large enough share of the lines."""
    ways, costs = _directions([line.strip() for line in query], [line.strip() for line in document.lines], least, work)
    cheapest = min(costs[1:], default=None)
    found = []
    for end in (column for column in range(1, len(costs)) if costs[column] == cheapest):
        row, start, pairs = len(query), end, []
        while row and start:
            work.spend(5)
            way = ways[row][start]
            row -= way != _LEFT
            start -= way != _UP
            if way == _DIAGONAL:
                pairs.append((row, start))
        if end > start and len(pairs) / max(end - start, len(query)) >= share:
            found.append(Aligned(start, end - 1, pairs[::-1]))
    return found


def _shift(theirs: str, ours: str) -> tuple[str, int]:
    """(character, number of it that the file's line has more than the search text's) at the start of a line."""
    tabs, spaces = (_leading(theirs, one) - _leading(ours, one) for one in "\t ")
    return ("\t", tabs) if _leading(theirs, "\t") else (" ", spaces)


def _leading(line: str, character: str) -> int:
    """The number of times a character occurs in the spaces and tabs at the start of a line."""
    return indent(line, SPACES_AND_TABS).count(character)


def _shifted(line: str, shift: tuple[str, int]) -> str:
    character, more = shift
    rest = line.lstrip(character)
    return character * max(len(line) - len(rest) + more, 0) + rest if rest else line


def _reindented(document: Document, query: Sequence[str], found: Aligned, new: str) -> str:
    """The new text shifted as the pairs are: its first line as the first pair, the others as the other pairs agree."""
    shifts = [
        _shift(document.lines[theirs], query[ours])
        for ours, theirs in found.pairs
        if not ours or (document.lines[theirs].strip() and query[ours].strip())
    ]
    first = _shift(document.lines[found.first], query[0])
    others = set(shifts[1:] if found.pairs and not found.pairs[0][0] else shifts)
    rest = others.pop() if len(others) == 1 else first
    lines = new.split("\n")
    return "\n".join([_shifted(lines[0], first), *(_shifted(line, rest) for line in lines[1:])])


def _in_line_feeds(text: str, edit: Edit) -> Read:
    """The texts with line feeds. A place ends before its last line feed, and the new text does so, too."""
    read = CRLF_IF_FIRST(text, edit)
    return read._replace(new=read.new.removesuffix("\n")) if read.old.endswith("\n") else read


def _exact(given: Given) -> Found | None:
    text, find = given.text, given.old.removesuffix("\n")
    first = text.find(given.old)
    second = text.find(given.old, first + 1) if first >= 0 else -1
    found = [(at, at + len(find)) for at in (first, second) if at >= 0]
    return Found(found, given.new) if found else None


def _alignment(given: Given) -> Found | None:
    text, document, work = given.text, given.document, Work("Zed's alignment of lines")
    limits = given.limits["line_similarity"], given.limits["share"]
    *query, last = given.old.split("\n")
    found = _aligned(document, query, *limits, work) if query else []
    end = None
    if last and len(found) == 1:
        # The last line of the search text may be a part of the line below.
        start, after = span(document, found[0].first, found[0].last - found[0].first + 1)
        if text.startswith(last, after + 1) and after < len(text):
            end = after + 1 + len(last)
    if last and end is None:
        query.append(last)
        found = _aligned(document, query, *limits, work)
    if not found:
        return None
    spans = [span(document, one.first, one.last - one.first + 1) for one in found]
    if len(found) > 1:
        return Found(spans, given.new)
    start, after = spans[0]
    return Found([(start, after if end is None else end)], _reindented(document, query, found[0], given.new))


def _zed(steps: Mapping[str, Step]) -> Steps:
    limits = {"line_similarity": 0.8, "share": 0.8}
    return Steps(steps, limits, _in_line_feeds, refuses=("empty",), takes_every=False)


RULES: dict[str, Rule] = {
    "zed": _zed({"exact": _exact, "alignment": _alignment}),
    "zed_fuzzy": _zed({"alignment": _alignment}),
}
