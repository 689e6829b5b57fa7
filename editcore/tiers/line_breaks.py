"""The tier `line_breaks`: the same words and signs, broken into lines elsewhere between brackets.

    search text  |f(a,        file  |f(a, b)      new text  |f(a,        written  |f(a, b)
                 |  b)              |g()                    |  b)                 |h()
                 |g()                                       |h()

Forgives: lines that are joined or split within round or square brackets, besides what `spacing` forgives. Refuses: a
break that may end a statement, a comment or a line of a string: any that is not between such brackets, and any in lines
with a comment; text that does not begin and end with lines of the file; what `spacing` refuses. Known limit: a line
whose break moved is written as in the new text where the edit changes a part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from editcore.text.keys import SQUEEZED
from editcore.tiers.merging.whole_lines import merge_at
from editcore.tiers.placing.place import Place
from editcore.tiers.placing.query import Query
from editcore.tiers.placing.squeezing import only_moves_whitespace, squeezed_place
from editcore.types import EditResult, Rejected

_SIGN = re.compile(r"\\.|[()\[\]{}\"'`]")
_COMMENT = re.compile(r"#|//|--|/\*|\*/")
_OPENED_BY = {")": "(", "]": "[", "}": "{"}


def line_breaks(query: Query) -> EditResult | None:
    """The same words and signs, broken into lines elsewhere between brackets."""
    place = squeezed_place(query)
    if place is None or isinstance(place, Rejected):
        return place
    if not _breaks_mean_nothing(query, place):
        return None
    refusal = only_moves_whitespace(query, "line_breaks")
    return refusal or merge_at(query, place, SQUEEZED, "line_breaks", ("line breaks",), is_loose=True)


def _breaks_mean_nothing(query: Query, place: Place) -> bool:
    """Whether each break that only one of the two texts has is between brackets, away from comments."""
    first, old = place.there.start, query.old.solid
    there = place.view.solid[first : place.there.stop]
    mine, others = list(_between_brackets(old)), list(_between_brackets(there))
    for ours, theirs in place.groups:
        if len(ours) == len(theirs) == 1:
            continue
        start, stop = theirs.start - first, theirs.stop - first
        if not all(mine[ours.start : ours.stop - 1]) or not all(others[start : stop - 1]):
            return False
        if any(map(_COMMENT.search, [*old[ours.start : ours.stop], *there[start:stop]])):
            return False
    return True


def _between_brackets(lines: Sequence[str]) -> Iterator[bool]:
    """For each line whether its end is between round or square brackets that these lines open, and in no string."""
    opened: list[str] = []
    for line in lines:
        quote = ""
        for sign in _SIGN.findall(line):
            if quote:
                quote = "" if sign == quote else quote
            elif sign in "\"'`":
                quote = sign
            elif sign in "([{":
                opened.append(sign)
            elif opened and opened[-1] == _OPENED_BY.get(sign):
                opened.pop()
        yield not quote and bool(opened) and opened[-1] != "{"
