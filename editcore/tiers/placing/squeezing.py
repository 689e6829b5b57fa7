"""Squeezed text: without any whitespace, so that neither spaces within lines nor the breaks between them count.

    search text  |f(a,      file  |f(a, b)        both squeezed  |f(a,b)
                 |  b)

A squeezed search text is found in the squeezed file; the place must begin and end with lines of both, and consist of
the same words and signs: `a b` is not `ab`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate, islice

from editcore.replacers.search import occurrences
from editcore.tiers.placing.attempt import Attempt
from editcore.tiers.placing.folding import folded
from editcore.tiers.placing.place import Place
from editcore.types import Match, Reason, Rejected

_TOKEN = re.compile(r"\w+|[^\w\s]")
_SHORTEST = 8
"""A squeezed search text of fewer characters stands in too many places by chance."""


def squeezed(text: str) -> str:
    """The folded text without whitespace."""
    return "".join(folded(text).split())


def squeezed_place(attempt: Attempt) -> Place | Rejected | None:
    """The only place of a search text in the squeezed file, in groups of lines; a refusal where there are several."""
    wanted = squeezed(attempt.old.text)
    if attempt.edit.replace_all or len(wanted) < _SHORTEST or not attempt.has_words:
        return None
    found = list(islice(occurrences(attempt.view.squeezed, wanted), 2))
    if not found:
        return None
    if len(found) > 1:
        return Rejected(Reason.AMBIGUOUS, "old_string fits several places but for whitespace: add surrounding lines.")
    place = _place(attempt, found[0], found[0] + len(wanted))
    return place if place and _has_same_tokens(attempt, place) else None


def _place(attempt: Attempt, start: int, end: int) -> Place | None:
    """The place of a span of the squeezed file; None if it does not begin and end with lines."""
    file_ends = attempt.view.squeezed_ends
    old_lengths = [len(squeezed(line)) for line in attempt.old.solid]
    first = bisect_left(file_ends, start)
    last = bisect_left(file_ends, end)
    if file_ends[first] != start or last == len(file_ends) or file_ends[last] != end:
        return None
    if len(set(file_ends[first : last + 1])) <= last - first or not all(old_lengths):
        return None  # A line of nothing but signs that cannot be seen.
    old_ends = list(accumulate(old_lengths, initial=start))
    place_of = {at: n for n, at in enumerate(file_ends[first : last + 1], first)}
    groups: list[tuple[range, range]] = []
    ours, theirs = 0, first
    for n, at in enumerate(old_ends[1:], 1):
        if at in place_of:
            groups.append((range(ours, n), range(theirs, place_of[at])))
            ours, theirs = n, place_of[at]
    return Place(tuple(groups))


def _has_same_tokens(attempt: Attempt, place: Place) -> bool:
    view = attempt.view
    there = "\n".join(view.solid[place.there.start : place.there.stop])
    return _TOKEN.findall(folded(there)) == _TOKEN.findall(folded(attempt.old.text))


def only_moves_whitespace(attempt: Attempt, tier: str) -> Rejected | None:
    """The refusal of an edit of whitespace only, which a place found without whitespace cannot decide."""
    if squeezed(attempt.old.text) != squeezed(attempt.new.text):
        return None
    return Rejected(
        Reason.NO_MATCH,
        "old_string was found only by ignoring whitespace, and new_string changes nothing else: copy it exactly.",
        (Match(0, 0, tier),),
    )
