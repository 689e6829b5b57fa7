"""How many bytes wrong edits change that nobody asked to change."""

from __future__ import annotations

from reports.measurements.measurement import Measurement, Shown, Unit

BYTES_CHANGED: Measurement[int] = Measurement(
    "n_bytes_changed",
    "bytes changed",
    "bytes outside the intended lines that wrong edits change, by their encoding or line endings alone",
    Unit.COUNT,
    lambda counts: counts.totals["n_bytes_changed"],
    in_table=Shown.WHERE_ANY,
    on_page=Shown.WHERE_ANY,
    better="less",
    sums=("n_bytes_changed",),
)
"""Of all wrong edits together."""
