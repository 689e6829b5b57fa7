"""How often an edit is applied at all."""

from __future__ import annotations

from reports.measurements.counts import Counts
from reports.measurements.measurement import share


def _of(counts: Counts) -> tuple[int, int]:
    return counts.n_applied, counts.kinds.total()


APPLIED_RATE = share(
    "applied_rate",
    "applied rate",
    "applied, rightly or wrongly / all samples",
    _of,
)
