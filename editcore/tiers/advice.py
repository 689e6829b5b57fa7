"""Advice in a refusal: the line that contradicts the search text, and edits that would be applied.

The search text of an advised edit is copied from the file, with as many lines around it as make it unique. The tier
`exact` applies the edit as it is sent. The model must say which of several places is meant, and whether the edit is
still wanted where lines that it keeps have changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editcore.diagnosis import differs, no_match
from editcore.text.keys import FOLDED
from editcore.text.whitespace import trim
from editcore.tiers.drift import aligned, changes
from editcore.tiers.exact import exact
from editcore.tiers.merging.merge import Doubt, merged
from editcore.tiers.query import Likeness, Query
from editcore.tiers.votes import likely_places, with_surroundings
from editcore.types import Applied, Contradiction, Edit, Reason, Rejected

_MOST_ADVICE = 3
_MOST_CONTEXT = 12
"""Lines added on either side to make a place unique; where more are needed, no edit is advised."""
_LEAST_SCORE = 0.5
"""A place with less similarity to the search text is not called the nearest."""


def not_found(query: Query) -> Rejected:
    """The refusal of a search text that no tier finds, with the contradicting line at the nearest place."""
    places = likely_places(query)
    if not places or places[0].score < _LEAST_SCORE:
        return _nothing_near(query)
    best = with_surroundings(query, places[0])
    contradiction = _contradiction(query, best)
    if contradiction is None:
        return _nothing_near(query)
    edit = _with_lines_of_the_file(query, best)
    return Rejected(
        Reason.NO_MATCH,
        f"old_string was not found; at the nearest place, line {contradiction.line} {differs(contradiction)}"
        f"{_alike(query, best)}: read the file there and copy the text exactly.",
        (query.view.match(*best.span, "drift", similarity=best.score),),
        contradiction=contradiction,
        advice=_that_succeed(query, [edit] if edit else []),
    )


def _with_lines_of_the_file(query: Query, best: Likeness) -> Edit | None:
    """The edit with the file's lines in place of lines it keeps; None where it changes a line that differs in the
    file.

    Lines may be added only next to a line that the file has as in the search text.
    """
    place = None if query.edit.replace_all else aligned(query, best)
    if place is None:
        return None
    changed, borders, _ = changes(query)
    equal = {ours for ours, _ in best.pairs}
    if not changed <= equal or not all(border - 1 in equal or border in equal for border in borders):
        return None
    view = best.view
    found = merged(place, query.old, query.new, FOLDED)
    if isinstance(found, Doubt) or not found.changes(view):
        return None
    lines = [view.all[line] if isinstance(line, int) else line for line in found.lines]
    start, end = view.start(found.first), view.start(found.last) - 1
    return _unique(query, start, end, "\n".join(lines))


def _nothing_near(query: Query) -> Rejected:
    """The refusal for a file that has no similar place, at most similar lines."""
    refusal = no_match(query.view.document(), query.old.text)
    found = [query.view.match(one.start, one.end, "exact", similarity=one.similarity) for one in refusal.candidates]
    return replace(refusal, candidates=tuple(found))


def with_advice(query: Query, refusal: Rejected, spans: Sequence[tuple[int, int]]) -> Rejected:
    """The refusal of several exact places, with an edit for each of the first few that fits that place alone."""
    edits = [_unique(query, start, end, query.new.text) for start, end in spans[:_MOST_ADVICE]]
    return replace(refusal, advice=_that_succeed(query, [edit for edit in edits if edit]))


def _that_succeed(query: Query, edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """The edits that `exact` applies."""
    tried = ((edit, exact(query.repaired(edit.old_string, edit.new_string))) for edit in edits)
    return tuple([edit for edit, result in tried if isinstance(result, Applied)])


def _unique(query: Query, start: int, end: int, new: str) -> Edit | None:
    """The edit of a span, extended by as few lines as make it unique; None where too many are needed."""
    text = query.view.text
    first, last = start, end
    if text.find(text[start:end]) == start and text.find(text[start:end], start + 1) < 0:
        return Edit(text[start:end], new)
    for _ in range(_MOST_CONTEXT):
        first = text.rfind("\n", 0, max(first - 1, 0)) + 1 if first else 0
        below = text.find("\n", last + 1)
        last = len(text) if below < 0 else below
        old = text[first:last]
        if text.find(old, text.find(old) + 1) < 0:
            return Edit(old, text[first:start] + new + text[end:last])
        if first == 0 and last == len(text):
            break
    return None


def _alike(query: Query, best: Likeness) -> str:
    """A phrase about the first line that differs in look-alike characters only; "" if there is none."""
    view, old = best.view, query.old.solid
    differing = (theirs for ours, theirs in best.pairs if trim(old[ours]) != trim(view.solid[theirs]))
    line = next(differing, None)
    if line is None:
        return ""
    number = view.line_at(view.start(view.at[line])) + 1
    return f", and line {number} has other characters, which look alike"


def _contradiction(query: Query, best: Likeness) -> Contradiction | None:
    """The first line in which the place differs from the search text."""
    view, old = best.view, query.old.solid
    n, there = 0, best.pairs[0][1] - best.pairs[0][0]
    end = min(best.there.stop + len(old) - 1 - best.pairs[-1][0], len(view.solid))
    for ours, theirs in (*best.pairs, (len(old), end)):
        if (ours, theirs) != (n, there):
            at = max(there, 0)
            if n < ours or (theirs > there and ours < len(old)):
                text = view.solid[at] if there < theirs and 0 <= there < len(view.solid) else ""
                wanted = old[n] if n < ours else ""
                line = view.line_at(view.start(view.at[min(at, len(view.at) - 1)])) + 1
                return Contradiction(line, text, wanted)
        n, there = ours + 1, theirs + 1
    return None
