"""The places of a file most similar to a search text: voted for by lines that both have, then scored.

A search line that the file has a few times votes for the place where the search text would then begin. The places
with the most votes are compared line by line. A line counts by its letters and by its rarity:

    |    check(value, self.limit)    much       |        }    little       |    return None  (20 times)    little

The problem. The file has a line or two of the search text in other words. Comparing the search text with every place
of the file costs the product of both. Comparing it with the places of its longest line fails where just that line
differs.

The idea. Each common line is evidence for one place: its line number in the file minus its number in the search text.
Evidence is added up by place, in one pass over the file. Only the few places with the most evidence are aligned with
the search text line by line, where lines may be missing or added in between.

    search text   0 |def f():       file   7 |def f():       evidence for 7 - 0 = 7
                  1 |    # old             8 |    # new      none
                  2 |    go()              9 |    go()       evidence for 9 - 2 = 7

The invariant. Lines beyond the borders of a file count as lines that differ: a place at the end has the score that it
would have in the middle. Work is bounded by the file's lines plus a constant for each search line: a line that the
file has too often does not vote, and a fixed number of places is compared.

What does not work: equal weights. A block of closing braces then outvotes the one line with words; so the weight
grows with the letters, up to 16, and falls with the root of the line's frequency in the file. Allowing search lines
that the file lacks found 1 more recorded edit and got 3 wrong: a tier must refuse those.

To add evidence: add its weight to `votes` in `_starts`. A place needs no vote of its own to be compared well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import compress
from math import sqrt

from editcore.text import distances
from editcore.text.keys import FOLDED
from editcore.text.nearby import MOST_OCCURRENCES
from editcore.tiers.query import Likeness, Query

_MOST_PLACES = 6
"""Places that are compared line by line."""
_MOST_LINES = 1_000
"""Solid lines of the longest search text that is compared."""
_BEYOND = "\n"
"""A line beyond the borders of a file; equal to no key."""
_SLACK = 3
"""Solid lines by which a place may begin earlier or end later than its votes say."""


def likely_places(query: Query) -> Sequence[Likeness]:
    """The places most similar to the search text, the best first; they may overlap. The query keeps them."""
    if query.likely is None:
        query.likely = _likely_places(query)
    return query.likely


def _likely_places(query: Query) -> list[Likeness]:
    wanted = query.old.keys(FOLDED)
    if not wanted or len(wanted) > _MOST_LINES:
        return []
    if query.sought and not query.sought.hits:
        return []
    # A place begins at most as many lines above a line of it as the search text has.
    view = query.view.around(query.sought.hits, len(wanted) + _SLACK) if query.sought else query.view
    keys = view.keys(FOLDED)
    at = _occurrences(keys, frozenset(wanted))
    counts = query.sought.counts if query.sought else {line: len(found) for line, found in at.items()}
    weights = [_weight(line, counts.get(line, 0)) for line in wanted]
    at = {line: found for line, found in at.items() if counts[line] <= MOST_OCCURRENCES}
    compared = (_pairs(wanted, keys, start) for start in _starts(wanted, at, weights))
    of_all = sum(weights)
    found = [Likeness(view, sum(weights[n] for n, _ in pairs) / of_all, pairs) for pairs in {*compared} if pairs]
    return sorted(found, key=lambda one: (-one.score, one.pairs))


def with_surroundings(query: Query, place: Likeness) -> Likeness:
    """The place in a view with all lines around it that a merge may examine."""
    if place.view is query.view:
        return place
    view = query.around([place.span])
    by = view.solid_at(place.span[0]) - place.there.start
    return Likeness(view, place.score, tuple([(ours, theirs + by) for ours, theirs in place.pairs]))


def _occurrences(keys: Sequence[str], wanted: frozenset[str]) -> dict[str, list[int]]:
    """Wanted line -> its places in the file; only the first few for a frequent line."""
    at: dict[str, list[int]] = defaultdict(list)
    for n in compress(range(len(keys)), map(wanted.__contains__, keys)):
        if len(at[keys[n]]) <= MOST_OCCURRENCES:
            at[keys[n]].append(n)
    return at


def _weight(line: str, n_occurrences: int) -> float:
    said = sum(map(str.isalnum, line[:64]))
    return (0.1 + 0.9 * min(1.0, said / 16)) / sqrt(max(n_occurrences, 1))


def _starts(wanted: Sequence[str], at: dict[str, list[int]], weights: Sequence[float]) -> list[int]:
    """The lines at which the search text would begin, by their votes; the best first."""
    votes: dict[int, float] = defaultdict(float)
    for n, line in enumerate(wanted):
        for place in at.get(line, ()):
            votes[place - n] += weights[n]
    return sorted(votes, key=lambda start: (-votes[start], start))[:_MOST_PLACES]


def _pairs(wanted: Sequence[str], keys: Sequence[str], start: int) -> tuple[tuple[int, int], ...]:
    """The equal lines of the search text and of the place that begins near a solid line of the file."""
    # As long at the borders of the file as elsewhere, so that what is beyond them changes no alignment.
    first = start - _SLACK
    window = [keys[n] if 0 <= n < len(keys) else _BEYOND for n in range(first, start + len(wanted) + _SLACK)]
    pairs: list[tuple[int, int]] = []
    for step in distances.common_opcodes(wanted, window):
        if step.tag == "equal":
            pairs += [(step.src_start + k, first + step.dest_start + k) for k in range(step.src_end - step.src_start)]
    return tuple(pairs)
