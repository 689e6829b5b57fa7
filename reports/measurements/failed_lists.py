"""What becomes of a list of edits of which one fails: all of them apply, or none may."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from reports.measurements.counts import Counts
from reports.measurements.measurement import Measurement, Shown, Unit
from reports.runs.rows import ListLeft

LISTS_LEFT: Mapping[ListLeft, str] = MappingProxyType(
    {
        ListLeft.NOTHING: "nothing: the whole list was refused, or the file is as before",
        ListLeft.FIRST_EDITS: "the edits before the one that fails",
        ListLeft.OTHER_EDITS: "all edits but the ones that fail",
        ListLeft.CUT_OFF: "a part, and the end of the file is gone",
        ListLeft.SOMETHING_ELSE: "something else, such as all of them: a place was guessed for the one that fails",
    }
)


def _left(counts: Counts) -> dict[str, int] | None:
    found = {kind.value: counts.n(list_left=kind) for kind in ListLeft}
    return found if any(found.values()) else None


def _n(counts: Counts) -> int | None:
    return sum((_left(counts) or {}).values()) or None


def _half_made(counts: Counts) -> int | None:
    left = _left(counts)
    return sum(left.values()) - left[ListLeft.NOTHING] if left else None


FAILED_LISTS: Measurement[int | None] = Measurement(
    "n_failed_lists",
    "failed lists",
    "lists of edits of which one fails, neither the first nor the last",
    Unit.COUNT,
    _n,
)
HALF_MADE: Measurement[int | None] = Measurement(
    "n_half_made",
    "half made",
    "lists of edits of which one fails that changed the file all the same / those lists",
    Unit.COUNT,
    _half_made,
    in_table=Shown.WHERE_ANY,
    on_page=Shown.WHERE_ANY,
    better="less",
    out_of=FAILED_LISTS.name,
)
LIST_LEFT: Measurement[dict[str, int] | None] = Measurement(
    "list_left", "list left", "lists of edits of which one fails by what was made of them", Unit.COUNTS, _left
)
