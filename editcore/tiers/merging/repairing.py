"""Repaired search texts: what was done to all of a search text is undone, and the result is looked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from editcore.text.keys import BODY, FOLDED, RIGHT_TRIMMED
from editcore.text.line_index import occurrences
from editcore.tiers.merging.made_before import stands_literally
from editcore.tiers.merging.outcome import already_there, several
from editcore.tiers.merging.whole_lines import in_whole_lines
from editcore.tiers.placing.query import Query
from editcore.tiers.placing.squeezing import squeezed
from editcore.types import MAX_CANDIDATES, Applied, EditResult, Evidence

_SHORTEST_PIECE = 8
"""Characters that a repaired search text must have, whitespace aside, to be taken within a line."""


def apply_repaired(
    query: Query, old: str, new: str, tier: str, phrase: str, *, whole_lines: bool = False
) -> EditResult | None:
    """The edit with repaired texts, exactly or by the stricter tiers; None where it is not found so.

    With `whole_lines`, it is not looked for within lines.
    """
    if old == query.old.text or not old.strip() or query.edit.replace_all or old == new:
        return None
    return apply_stricter(query.repaired(old, new), tier, (phrase,), whole_lines=whole_lines)


def apply_stricter(
    query: Query, tier: str, repaired: tuple[str, ...], *, whole_lines: bool = False
) -> EditResult | None:
    """The edit where its search text stands exactly, else by whole lines, ever less strictly."""
    places: Iterable[int] = query.exact_places
    if whole_lines or len(squeezed(query.old.text)) < _SHORTEST_PIECE:
        places = filter(query.stands_in_whole_lines, occurrences(query.view.text, query.old.text))
    if found := list(islice(places, MAX_CANDIDATES)):
        return _exactly(query, found, tier, repaired)
    for key in (RIGHT_TRIMMED, BODY, FOLDED):
        result = in_whole_lines(query, key, tier, repaired)
        if result is not None:
            return result
    return None


def _exactly(query: Query, places: Sequence[int], tier: str, repaired: tuple[str, ...]) -> EditResult:
    view, old, new = query.view, query.old.text, query.new.text
    spans = [(at, at + len(old)) for at in places]
    if len(places) > 1:
        return several(query, spans, tier)
    if stands_literally(view.text, places[0], old, new):
        return already_there(query, *spans[0], tier)
    match = view.match(*spans[0], tier)
    return Applied(view.with_text(spans, new), (match,), tier, evidence=Evidence(repaired=repaired))
