"""How many lines wrong edits destroy."""

from __future__ import annotations

from reports.measurements.measurement import Measurement, Unit

LINES_LOST: Measurement[int | None] = Measurement(
    "n_lines_lost",
    "lines lost",
    "lines of the file that are gone although neither the edit as written nor the right answer removes them",
    Unit.COUNT,
    lambda counts: counts.totals["n_lines_lost"] if counts.has_severities else None,
    better="less",
    sums=("n_lines_lost",),
)
"""Of all wrong edits together."""
