"""Results of tiers: applied edits, and refusals of places that were found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from editcore.types import Applied, Evidence, KeptLine, Reason, Rejected

if TYPE_CHECKING:
    from editcore.text.view import FileView
    from editcore.tiers.merging.merge import Merged
    from editcore.tiers.query import Place, Query


def merged_result(view: FileView, merged: Merged, tier: str, repaired: tuple[str, ...] = ()) -> Applied | Rejected:
    """The result of an edit merged into its place; a refusal where that changes nothing."""
    start, end = view.start(merged.first), view.start(merged.last) - 1
    match = view.match(start, end, tier)
    first = view.line_at(start) + 1
    if not merged.changes(view):
        return Rejected(
            Reason.IDENTICAL,
            f"Line {first} already reads as new_string has it: nothing would change.",
            (match,),
        )
    if merged.is_reindented:
        repaired = (*repaired, "indentation")
    kept = tuple([KeptLine(first + at - merged.first, view.all[at], written) for at, written in merged.kept])
    content = view.with_lines(merged.first, merged.last, merged.lines)
    return Applied(content, (match,), tier, evidence=Evidence(repaired=repaired, kept=kept))


def already_there(query: Query, start: int, end: int, tier: str) -> Rejected:
    """The refusal of an edit that was made before."""
    view = query.view
    return Rejected(
        Reason.IDENTICAL,
        f"new_string is at line {view.line_at(start) + 1} already: the edit was made before.",
        (view.match(start, end, tier),),
    )


def several(query: Query, spans: Sequence[tuple[int, int]], tier: str) -> Rejected:
    """The refusal of a search text that fits several places, given as spans of the view."""
    view = query.view
    lines = ", ".join(str(view.line_at(start) + 1) for start, _ in spans)
    # Only exact places can be replaced all at once, and blocks of whole lines have no word for it.
    all_of_them = ", or set replace_all" if tier == "exact" and not query.whole_lines else ""
    return Rejected(
        Reason.AMBIGUOUS,
        f"old_string has multiple matches (lines {lines}): add surrounding lines that make it unique{all_of_them}.",
        tuple([view.match(start, end, tier) for start, end in spans]),
    )


def indentation_uncertain(place: Place, tier: str) -> Rejected:
    """The refusal of a place where the indentation of new lines is not certain."""
    view, (start, end) = place.view, place.span
    return Rejected(
        Reason.NO_MATCH,
        f"Line {view.line_at(start) + 1} fits but for its indentation, and it is not certain how new_string is "
        "to be indented: copy the lines with the indentation of the file.",
        (view.match(start, end, tier),),
    )


def line_uncertain(place: Place, tier: str) -> Rejected:
    """The refusal of an edit that changes what only looks like the search text."""
    view, (start, end) = place.view, place.span
    return Rejected(
        Reason.NO_MATCH,
        f"The lines at {view.line_at(start) + 1} fit but for whitespace or characters that look alike, and "
        "new_string changes a line just there: copy the lines exactly from the file.",
        (view.match(start, end, tier),),
    )


def neighbours_repeated(place: Place, tier: str) -> Rejected:
    """The refusal of a place that has the lines to be added next to it already."""
    view, (start, end) = place.view, place.span
    return Rejected(
        Reason.NO_MATCH,
        f"The lines that new_string adds are beside line {view.line_at(start) + 1} already, and old_string is "
        "not the text there exactly: copy it again from the file.",
        (view.match(start, end, tier),),
    )
