"""How often a strategy writes what was not meant, by drawn edits whose right answers are certain."""

from __future__ import annotations

from reports.measurements.counts import Counts
from reports.measurements.measurement import Measurement, Shown, Unit

_MILLION = 1_000_000


def _per_million(n: int, total: int) -> int | None:
    return round(n * _MILLION / total) if total else None


def _wrong(counts: Counts) -> int | None:
    found = counts.used.unmeant if counts.used else None
    return None if found is None else _per_million(found.n_wrong, found.n_intents)


def _applied(counts: Counts) -> int | None:
    found = counts.used.unmeant if counts.used else None
    return None if found is None else _per_million(found.n_applied, found.n_contradictions)


WRONG_INTENTS: Measurement[int | None] = Measurement(
    "wrong_per_million_intents",
    "wrong/M intents",
    "wrong edits for each million of drawn intents: edits written as models write, whose right results are certain "
    "(see editgauge fuzz drill oracle)",
    Unit.COUNT,
    _wrong,
    on_page=Shown.WHERE_ANY,
    better="less",
)
"""None for strategies that the drill does not ask."""

APPLIED_CONTRADICTIONS: Measurement[int | None] = Measurement(
    "applied_per_million_contradictions",
    "applied/M contradictions",
    "edits applied for each million of drawn contradictions: a line that the edit keeps says something else in the "
    "file (see editgauge fuzz drill oracle)",
    Unit.COUNT,
    _applied,
    on_page=Shown.WHERE_ANY,
    better="less",
)
"""None likewise."""
