"""The tier `drift`: a line or two of the context differ from the file in nothing that matters.

    search text  |# Check the length       file  |# Check length first     new text  |# Check the length
                 |if len(x) > n:                 |if len(x) > n:                     |if len(x) >= n:
                 |    fail()                     |    fail()                         |    fail()
                 |    return x                   |    return x                       |    return x
                 |go(x)                          |go(x)                              |go(x)

Forgives: in lines that the edit keeps, other quotes, a trailing comma and the words of a comment; up to two lines
that only the file has, away from every change. Refuses: a line of the search text that the file lacks; other numbers,
negations or operators; a change beside a line that differs; a place that is not far more similar than any other.
Known limit: of 106 recorded edits whose lines had changed, a tenth is applied. As many of the others must be refused
as not.
"""

from __future__ import annotations

import re
from itertools import pairwise

from editcore.text import distances
from editcore.text.comments import is_comment
from editcore.text.keys import FOLDED
from editcore.tiers.merging.merge import partners
from editcore.tiers.query import Likeness, Place, Query
from editcore.tiers.votes import likely_places, with_surroundings
from editcore.tiers.whole_lines import merge_at
from editcore.types import EditResult

_LEAST_EQUAL = 4
_FAR = 3
"""Least distance in lines between a change and a line that only the file has."""
_FACTS = re.compile(r"\d+|\b(?:not|no|never|none|without|un\w+|non\w+|\w+n't|true|false)\b", re.IGNORECASE)
"""Numbers and negations in a comment, which must be the same."""


def drift(
    query: Query, *, score: float = 0.75, margin: float = 0.3, differing: float = 2, unknown: float = 2
) -> EditResult | None:
    """The tier for lines of context that differ in nothing that matters; see `THRESHOLDS`."""
    if query.edit.replace_all or len(query.old.solid) < _LEAST_EQUAL + 1:
        return None
    places = likely_places(query)
    if not places or places[0].score < score or len(places[0].pairs) < _LEAST_EQUAL:
        return None
    if places[0].view.windows(FOLDED, query.old.keys(FOLDED), most=1):
        return None  # Nothing differs: it is for the tiers before to say which place is meant.
    runner_up = places[0].runner_up(places)
    if runner_up and places[0].score - runner_up.score < margin:
        return None
    best = with_surroundings(query, places[0])
    place = _place(query, best, differing, unknown)
    if place is None or not _changes_only_what_stands(query, place, best):
        return None
    return merge_at(query, place, FOLDED, "drift", ("lines of context that differ",), is_loose=True)


def _place(query: Query, best: Likeness, differing: float, unknown: float) -> Place | None:
    """The place with a file line for every search line; None where a line is missing or differs too much."""
    place = aligned(query, best)
    if place is None:
        return None
    old, solid = query.old.solid, best.view.solid
    n_differing = len(old) - len(best.pairs)
    n_unknown = len(place.there) - len(old)
    is_alike = all(_is_harmless(old[ours.start], solid[theirs.start], query.path) for ours, theirs in place.groups)
    return place if is_alike and n_differing <= differing and n_unknown <= unknown else None


def aligned(query: Query, best: Likeness) -> Place | None:
    """A likely place with a file line for every search line, equal or not; None where one is missing."""
    n, start = len(query.old.solid), best.pairs[0][1] - best.pairs[0][0]
    end = best.pairs[-1][1] + n - best.pairs[-1][0]
    if start < 0 or end > len(best.view.solid):
        return None
    groups: list[tuple[range, range]] = []
    for (ours, theirs), (our_next, their_next) in pairwise([(-1, start - 1), *best.pairs, (n, end)]):
        n_ours, n_theirs = our_next - ours - 1, their_next - theirs - 1
        if n_ours > n_theirs or (n_ours and n_ours != n_theirs):
            return None
        groups += [(range(ours + k, ours + k + 1), range(theirs + k, theirs + k + 1)) for k in range(1, n_ours + 1)]
        if our_next < n:
            groups.append((range(our_next, our_next + 1), range(their_next, their_next + 1)))
    return Place(best.view, tuple(groups))


def _is_harmless(old: str, there: str, path: str | None) -> bool:
    """True if two lines are equal but for quotes, a trailing comma, or the words of a comment."""
    one, other = FOLDED(old), FOLDED(there)
    if one == other or _plain(one) == _plain(other):
        return True
    return is_comment(old, path) and is_comment(there, path) and _facts(one) == _facts(other)


def _plain(line: str) -> str:
    return line.replace("'", '"').replace("`", '"').rstrip(",;").rstrip()


def _facts(line: str) -> set[str]:
    return {word.lower() for word in _FACTS.findall(line)}


def _changes_only_what_stands(query: Query, place: Place, best: Likeness) -> bool:
    """True if the file has each changed line as in the search text, and its own additional lines far from it."""
    changed, borders, added = changes(query)
    equal, n = {ours for ours, _ in best.pairs}, len(query.old.solid)
    if not changed <= equal:
        return False
    if not all(one in equal for border in borders for one in (border - 1, border) if 0 <= one < n):
        return False
    return _unknown_are_far(place, changed | borders, added)


def changes(query: Query) -> tuple[set[int], set[int], list[str]]:
    """(changed, before, added): search lines that the edit changes, search lines before which it adds lines, those
    lines.

    Lines added at the end are before the line number past the last.
    """
    old, new = query.old, query.new
    partner = partners(old.keys(FOLDED), new.keys(FOLDED))
    changed = set(range(len(old.solid))) - {one for one in partner if one is not None}
    for n, one in enumerate(partner):
        if one is not None and new.indents[n] != old.indents[one]:
            changed.add(one)
    added = [new.solid[n] for n, one in enumerate(partner) if one is None]
    return changed, _inserted_at(partner, len(old.solid)), added


def _inserted_at(partner: list[int | None], n_old: int) -> set[int]:
    """The search lines before which lines are added; the number past the last for lines added at the end."""
    found: set[int] = set()
    below = n_old
    for one in reversed(partner):
        if one is None:
            found.add(below)
        else:
            below = one
    return found


def _unknown_are_far(place: Place, touched: set[int], added: list[str]) -> bool:
    """True if lines that only the file has are far from every change, and similar to no added line."""
    for (ours, theirs), (our_next, their_next) in pairwise(place.groups):
        for line in place.view.solid[theirs.stop : their_next.start]:
            if any(ours.stop - _FAR < one < our_next.start + _FAR for one in touched):
                return False
            if any(distances.indel_ratio(FOLDED(line)[:200], FOLDED(one)[:200]) > 0.6 for one in added):
                return False
    return True
