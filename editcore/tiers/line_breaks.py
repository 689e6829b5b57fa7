"""The tier `line_breaks`: the same words and signs, broken into lines elsewhere.

    search text  |f(a,        file  |f(a, b)      new text  |f(a,        written  |f(a, b)
                 |  b)              |g()                    |  b)                 |h()
                 |g()                                       |h()

Forgives: lines that are joined or split, besides what `spacing` forgives. Refuses: text that does not begin and end
with lines of the file; what `spacing` refuses. Known limit: a line whose break moved is written as in the new text
where the edit changes a part of it.
"""

from __future__ import annotations

from editcore.text.keys import SQUEEZED
from editcore.tiers.merging.whole_lines import merge_at
from editcore.tiers.placing.attempt import Attempt
from editcore.tiers.placing.squeezing import only_moves_whitespace, squeezed_place
from editcore.types import EditResult, Rejected


def line_breaks(attempt: Attempt) -> EditResult | None:
    """The same words and signs, broken into lines elsewhere."""
    place = squeezed_place(attempt)
    if place is None or isinstance(place, Rejected):
        return place
    refusal = only_moves_whitespace(attempt, "line_breaks")
    return refusal or merge_at(attempt, place, SQUEEZED, "line_breaks", ("line breaks",), is_loose=True)
