"""How many properties a strategy promises for all inputs, and how many of them it is known to break."""

from __future__ import annotations

from reports.measurements.counts import Counts
from reports.measurements.measurement import Measurement, Shown, Unit


def _broken(counts: Counts) -> int | None:
    return None if counts.used is None or counts.used.broken is None else len(counts.used.broken)


PROMISES: Measurement[int | None] = Measurement(
    "n_promised",
    "promised",
    "properties that all of its family promise for all inputs (see editgauge fuzz)",
    Unit.COUNT,
    lambda counts: counts.used.n_promised if counts.used else None,
)
"""None for strategies that are not fuzzed."""

BROKEN_PROMISES: Measurement[int | None] = Measurement(
    "n_broken",
    "broken",
    "known broken properties / properties that all of its family promise for all inputs (see editgauge fuzz)",
    Unit.COUNT,
    _broken,
    in_table=Shown.WHERE_ANY,
    better="less",
    out_of=PROMISES.name,
)
