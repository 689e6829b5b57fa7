"""Confidence: the expected share of right results among the edits that a tier applies.

The counts come from 4,689 labelled edits of recorded agent sessions. `editgauge calibrate CORPUS` makes them again
for any corpus, and measures how reliable they are on repositories that they were not fitted on. A tier with few
recorded edits is drawn towards the common share of all tiers below `exact`, as if it had ten more edits with that
share. Wrong results on drawn edits, whose right answers are certain, lower the share too: they show what will happen
with edits that nobody has recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType

from editcore.text.nearby import MOST_OCCURRENCES
from editcore.tiers.query import Query
from editcore.tiers.votes import likely_places
from editcore.types import Applied, Evidence, Match, Reason, Rejected

Counts = Mapping[str, tuple[int, int]]
"""Tier -> the numbers of right and of wrong edits that it applied."""

COUNTS: Counts = MappingProxyType(
    {
        "exact": (3675, 1),
        "append": (34, 0),
        "blank_lines": (16, 2),
        "indentation": (134, 0),
        "spacing": (2, 0),
        "line_breaks": (1, 0),
        "pasted": (3, 0),
        "drift": (4, 0),
    }
)
DRAWN: Counts = MappingProxyType(
    {
        "exact": (10044, 0),
        "blank_lines": (7809, 0),
        "indentation": (7700, 0),
        "look_alikes": (8584, 0),
        "spacing": (5145, 0),
        "line_breaks": (56, 0),
        "escapes": (7026, 0),
        "pasted": (11089, 0),
        "elision": (427, 0),
    }
)
"""Counts for 100,000 drawn intents and 100,000 drawn contradictions (`editgauge fuzz drill oracle`)."""
_PRIOR = 10
"""Weight of the common share of all tiers below `exact`, in edits."""


def confidence(tier: str, counts: Counts = COUNTS, drawn: Counts = DRAWN) -> float:
    """The expected share of right results, 0 to 1."""
    n_meant, n_unmeant = drawn.get(tier, (0, 0))
    loose = [counts[name] for name in counts if name != "exact"]
    n_right, n_wrong = sum(right for right, _ in loose), sum(wrong for _, wrong in loose)
    prior = (n_right + 1) / (n_right + n_wrong + 2)
    right, wrong = counts.get(tier, (0, 0))
    return (right + _PRIOR * prior) / (right + wrong + _PRIOR) * (n_meant + 1) / (n_meant + n_unmeant + 1)


CONFIDENCE: Mapping[str, float] = MappingProxyType({tier: confidence(tier) for tier in COUNTS})
_OF_OTHERS = confidence("")


@cache
def certain(tier: str, version: str) -> Evidence:
    """The evidence of a tier whose place needs no comparison with others."""
    return Evidence(CONFIDENCE[tier], version=version)


def weighed(query: Query, result: Applied) -> Applied:
    """A result below `exact` with its confidence, and with the second most similar place of the file."""
    place = result.matches[0]
    other = None if _has_all(query, place) else _runner_up(query, place)
    evidence = replace(
        result.evidence or Evidence(), confidence=CONFIDENCE.get(result.replacer or "", _OF_OTHERS),
        margin=max(place.similarity - other.similarity, 0.0) if other else 1.0, runner_up=other, version=query.version,
    )  # fmt: skip
    return replace(result, evidence=evidence)


def _runner_up(query: Query, place: Match) -> Match | None:
    """The place most similar to the search text among the places that do not overlap `place`."""
    likely = (query.view.match(*one.span, "votes", similarity=one.score) for one in likely_places(query))
    return next((one for one in likely if one.end <= place.start or place.end <= one.start), None)


def _has_all(query: Query, place: Match) -> bool:
    """True if every line of the search text is in the file at `place` only, so that no other place is similar."""
    sought = query.sought
    if not sought or any(count > MOST_OCCURRENCES for count in sought.counts.values()):
        return False
    if not (hits := sought.hits):
        return True
    span = query.view.match(min(start for start, _ in hits), max(end for _, end in hits), "votes")
    return place.start <= span.start and span.end <= place.end


def held_back(result: Applied, wrong_cost: float) -> Rejected | None:
    """The refusal of a result that is not worth its risk; None for a result that is.

    A result is worth its risk if the expected gain, confidence - wrong_cost x (1 - confidence), is positive.
    """
    sure = result.evidence.confidence if result.evidence else 1.0
    if sure - wrong_cost * (1 - sure) > 0:
        return None
    return Rejected(
        Reason.NO_MATCH,
        f"The place was found by {result.replacer} only, which is right in {sure:.1%} of such edits: too few where a "
        f"wrong edit costs {wrong_cost:g} right ones. Copy the text exactly.",
        result.matches,
        proposed=result,
    )
