"""How often an edit is wrong: a false-positive replacement."""

from __future__ import annotations

from reports.measurements.measurement import Shown, share
from reports.runs.rows import Verdict

WRONG_RATE = share(
    "wrong_rate",
    "wrong rate",
    "wrong / all labelled samples",
    lambda counts: (counts.n(verdict=Verdict.WRONG_EDIT), counts.n_labelled),
    in_table=Shown.ALWAYS,
    on_page=Shown.ALWAYS,
    better="less",
)
