"""The tier `spacing`: the same words and signs on each line, with other spaces between them.

    search text  |f( a,b )     file  |f(a, b)     taken; `a b` is not taken for `ab`

Forgives: spaces and tabs within lines, where the words stay the same, besides what `look_alikes` forgives. Refuses:
text that fits several places; an edit that changes whitespace only; one that adds lines which are beside the place
already. Known limit: spaces within string literals are forgiven too, though there they mean something.
"""

from __future__ import annotations

from editcore.text.keys import SQUEEZED
from editcore.tiers.merging.whole_lines import merge_at
from editcore.tiers.placing.query import Query
from editcore.tiers.placing.squeezing import only_moves_whitespace, squeezed_place
from editcore.types import EditResult, Rejected


def spacing(query: Query) -> EditResult | None:
    """Lines of the same words and signs, with other spaces between them."""
    place = squeezed_place(query)
    if place is None or isinstance(place, Rejected):
        return place
    if any(len(ours) != 1 or len(theirs) != 1 for ours, theirs in place.groups):
        return None
    refusal = only_moves_whitespace(query, "spacing")
    return refusal or merge_at(query, place, SQUEEZED, "spacing", ("spaces",), is_loose=True)
