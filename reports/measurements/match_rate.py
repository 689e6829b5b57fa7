"""How often the right answer is found."""

from __future__ import annotations

from reports.measurements.measurement import Shown, share
from reports.runs.rows import Verdict

MATCH_RATE = share(
    "match_rate",
    "match rate",
    "correct / samples labelled apply",
    lambda counts: (counts.n(verdict=Verdict.CORRECT), counts.n_to_apply),
    in_table=Shown.ALWAYS,
    on_page=Shown.ALWAYS,
    better="more",
)
