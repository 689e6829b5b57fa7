"""How often a call did not return in time."""

from __future__ import annotations

from reports.measurements.measurement import share
from reports.runs.rows import Verdict

TIMED_OUT_RATE = share(
    "timed_out_rate",
    "timed out rate",
    "timed out / all samples",
    lambda counts: (counts.n(verdict=Verdict.TIMED_OUT), counts.kinds.total()),
    better="less",
)
