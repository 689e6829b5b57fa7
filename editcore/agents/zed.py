"""Zed's alignment of a search text with a file, line by line.

Evidence: read (`streaming_fuzzy_matcher.rs` and `reindent.rs`, 2026); how a last line feed is treated is inferred.

    exact       the search text as it stands, in one place; two refuse
    alignment   |a|b|x|c|   costs per line: 0 if equal when trimmed, 1 if 0.8 similar, 3 for a further line of the file,
                            10 for one that the file lacks; the cheapest ends, back to where they start

Policy: unique; a match needs pairs for 0.8 of the lines of either side; several cheapest ones are refused, as a
sample has no line hint. New lines are shifted: the first as the first pair differs, the others as all other pairs do,
if they agree. Line endings:
that of the file's first line throughout. `zed_fuzzy` is the rule before exact text was sought first.

Known false positive: a line of five that differs altogether counts as a pair, and is replaced.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from editcore.agents.matching import Similarities, Work, span
from editcore.agents.rule import AgentRule, Source, in_turn
from editcore.agents.runner import not_found, nothing_sought, several
from editcore.text.document import Document
from editcore.text.endings import first_is_crlf, line_feeds, with_crlf
from editcore.text.whitespace import SPACES_AND_TABS, indent
from editcore.thresholds import Threshold
from editcore.types import Applied, Edit, EditResult

_REPLACEMENT, _INSERTION, _DELETION = 1, 3, 10
_UP, _LEFT, _DIAGONAL = range(3)
_STEPS_PER_CELL = 40


class Aligned(NamedTuple):
    """A match: the file's first and last line, and the pairs of lines (search text, file), all 0-based."""

    first: int
    last: int
    pairs: list[tuple[int, int]]


def _directions(
    query: Sequence[str], lines: Sequence[str], least: float, work: Work
) -> tuple[list[bytearray], list[int]]:
    """Per line of the search text the way back from each cell, and the costs of the last row."""
    similarities = Similarities(work, least=least)
    above = [0] * (len(lines) + 1)
    ways = [bytearray([_DIAGONAL]) * (len(lines) + 1)]
    for row, line in enumerate(query, 1):
        work.spend(_STEPS_PER_CELL * len(lines))
        left = row * _DELETION
        costs, way = [left], bytearray([_UP])
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
    """The cheapest alignments whose pairs are a large enough share of the lines."""
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
    """The character, and how many of it the file has more than the search text, at the start of a line."""
    tabs, spaces = (_leading(theirs, one) - _leading(ours, one) for one in "\t ")
    return ("\t", tabs) if _leading(theirs, "\t") else (" ", spaces)


def _leading(line: str, character: str) -> int:
    """How many of a character there are in the spaces and tabs at the start of a line."""
    return indent(line, SPACES_AND_TABS).count(character)


def _shifted(line: str, shift: tuple[str, int]) -> str:
    character, more = shift
    rest = line.lstrip(character)
    return character * max(len(line) - len(rest) + more, 0) + rest if rest else line


def _reindented(document: Document, query: Sequence[str], found: Aligned, new: str) -> str:
    """The new text shifted as the pairs are: the first line as the first pair, the others as the others agree on."""
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


def zed(text: str, edit: Edit, *, line_similarity: float = 0.8, share: float = 0.8) -> EditResult:
    """Zed: exact and unique, else the cheapest alignment of lines, if it is one."""
    crlf, plain, old, new = _plain(text, edit)
    find, at = old.removesuffix("\n"), plain.find(old)
    if at < 0:
        return zed_fuzzy(text, edit, line_similarity=line_similarity, share=share)
    again = plain.find(old, at + 1)
    if again >= 0:
        raise several(plain, [(at, at + len(find)), (again, again + len(find))], "exact")
    return Applied(with_crlf(plain[:at] + new + plain[at + len(find) :], crlf), (), "exact")


def _plain(text: str, edit: Edit) -> tuple[bool, str, str, str]:
    """Whether the file has CRLF; file, search text and new text with LF, the new one without the old one's last."""
    if not edit.old_string:
        raise nothing_sought()
    plain, old, new = map(line_feeds, (text, edit.old_string, edit.new_string))
    return first_is_crlf(text), plain, old, new.removesuffix("\n") if old.endswith("\n") else new


def zed_fuzzy(text: str, edit: Edit, *, line_similarity: float = 0.8, share: float = 0.8) -> EditResult:
    """Zed before it looked for exact text first: the cheapest alignment of lines, if it is one."""
    crlf, text, old, new = _plain(text, edit)
    document, work = Document(text), Work("Zed's alignment of lines")
    *query, last = old.split("\n")
    found = _aligned(document, query, line_similarity, share, work) if query else []
    end = None
    if last and len(found) == 1:
        start, after = span(document, found[0].first, found[0].last - found[0].first + 1)
        if text.startswith(last, after + 1) and after < len(text):
            end = after + 1 + len(last)
    if last and end is None:
        query.append(last)
        found = _aligned(document, query, line_similarity, share, work)
    if not found:
        raise not_found()
    spans = [span(document, one.first, one.last - one.first + 1) for one in found]
    if len(found) > 1:
        raise several(text, spans, "alignment")
    start, after = spans[0]
    put = _reindented(document, query, found[0], new)
    return Applied(with_crlf(text[:start] + put + text[after if end is None else end :], crlf), (), "alignment")


_THRESHOLDS = (
    Threshold("line_similarity", 0, 1, (0.5, 0.6, 0.7, 0.8, 0.9, 1.0), "least similarity of two lines that cost 1"),
    Threshold("share", 0, 1, (0.5, 0.6, 0.7, 0.8, 0.9, 1.0), "least share of lines that are pairs"),
)

_MATCHER = "zed-industries/zed crates/agent, streaming_fuzzy_matcher.rs and reindent.rs"
ZED = (
    AgentRule("zed", "Zed 2026", "read", "unique", in_turn(zed), _THRESHOLDS, source=Source("2026", _MATCHER, None)),
    AgentRule(
        "zed_fuzzy",
        "Zed 2025",
        "read",
        "unique",
        in_turn(zed_fuzzy),
        _THRESHOLDS,
        source=Source("2025", _MATCHER, None),
    ),
)
