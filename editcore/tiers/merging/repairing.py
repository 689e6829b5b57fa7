"""Repaired search texts: what was done to all of a search text is undone, and the result is looked for.

The new text is repaired too, but only if that makes it more like the repaired search text: of an edit that was escaped
once too often, often only the search text was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from rapidfuzz.distance import Indel

from editcore.text.keys import BODY, FOLDED, RIGHT_TRIMMED
from editcore.text.search import occurrences
from editcore.tiers.merging.made_before import stands_literally
from editcore.tiers.merging.outcome import already_there, several
from editcore.tiers.merging.whole_lines import in_whole_lines
from editcore.tiers.placing.attempt import Attempt
from editcore.tiers.placing.squeezing import squeezed
from editcore.types import MAX_CANDIDATES, Applied, EditResult, Evidence

Repair = Callable[[str], str | None]
"""A text -> the text without the damage; None where it is not damaged so."""

_LONGEST_COMPARED = 4_000
"""Characters of a text that are compared to tell whether a repair makes it more like the search text."""
_SHORTEST_PIECE = 8
"""Characters that a repaired search text must have, whitespace aside, to be taken within a line."""


def apply_repaired(
    attempt: Attempt, repair: Repair, tier: str, phrase: str, *, repair_new: Repair | None = None
) -> EditResult | None:
    """The edit with its search text repaired, exactly or by the stricter tiers; None where it is not found so."""
    old = repair(attempt.old.text)
    if old is None or old == attempt.old.text or not old.strip() or attempt.edit.replace_all:
        return None
    new = _repaired_new(attempt.new.text, old, repair_new or repair)
    if old == new:
        return None
    return apply_stricter(attempt.repaired(old, new), tier, (phrase,))


def apply_stricter(attempt: Attempt, tier: str, repaired: tuple[str, ...]) -> EditResult | None:
    """The edit where its search text stands exactly, else by whole lines, ever less strictly."""
    places: Iterable[int] = attempt.exact_places
    if len(squeezed(attempt.old.text)) < _SHORTEST_PIECE:
        places = filter(attempt.stands_in_whole_lines, occurrences(attempt.view.text, attempt.old.text))
    if found := list(islice(places, MAX_CANDIDATES)):
        return _exactly(attempt, found, tier, repaired)
    for key in (RIGHT_TRIMMED, BODY, FOLDED):
        result = in_whole_lines(attempt, key, tier, repaired)
        if result is not None:
            return result
    return None


def _exactly(attempt: Attempt, places: Sequence[int], tier: str, repaired: tuple[str, ...]) -> EditResult:
    view, old, new = attempt.view, attempt.old.text, attempt.new.text
    spans = [(at, at + len(old)) for at in places]
    if len(places) > 1:
        return several(attempt, spans, tier)
    if stands_literally(view.text, places[0], old, new):
        return already_there(attempt, *spans[0], tier)
    match = view.match(*spans[0], tier)
    return Applied(view.with_text(spans, new), (match,), tier, evidence=Evidence(repaired=repaired))


def _repaired_new(new: str, old: str, repair: Repair) -> str:
    """The new text, repaired if it is more like the repaired search text then."""
    other = repair(new)
    if other is None or other == new:
        return new
    return other if _likeness(old, other) > _likeness(old, new) else new


def _likeness(one: str, other: str) -> float:
    return Indel.normalized_similarity(one[:_LONGEST_COMPARED], other[:_LONGEST_COMPARED])
