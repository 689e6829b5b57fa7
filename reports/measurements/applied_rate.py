"""How often an edit is applied at all."""

from __future__ import annotations

from reports.measurements.counts import Counts
from reports.measurements.measurement import share
from reports.runs.rows import Verdict


def _of(counts: Counts) -> tuple[int, int]:
    failed = counts.n(verdict=Verdict.CRASHED) + counts.n(verdict=Verdict.TIMED_OUT)
    return counts.n_applied, counts.kinds.total() - failed


APPLIED_RATE = share(
    "applied_rate",
    "applied rate",
    "applied, rightly or wrongly / samples that neither crashed nor timed out",
    _of,
)
