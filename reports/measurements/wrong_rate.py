"""How often an edit is wrong: a false-positive replacement."""

from __future__ import annotations

from reports.measurements.measurement import Shown, share

WRONG_RATE = share(
    "wrong_rate",
    "wrong rate",
    "wrong or unstable / all labelled samples",
    lambda counts: (counts.n_unreliable, counts.n_labelled),
    in_table=Shown.ALWAYS,
    on_page=Shown.ALWAYS,
    better="less",
)
