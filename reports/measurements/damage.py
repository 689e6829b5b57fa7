"""In which way wrong edits are wrong."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from reports.measurements.measurement import Measurement, Shown, Unit
from reports.runs.rows import Damage, Verdict

DAMAGES: Mapping[Damage, str] = MappingProxyType(
    {
        Damage.INDENTATION: "the right lines with other indentation",
        Damage.WHITESPACE: "differs from the right answer in whitespace only",
        Damage.PLACE: "changes other lines, and none of those that the right answer changes",
        Damage.EXTENT: "changes some of the lines that the right answer changes and misses others, or changes more",
        Damage.TEXT: "changes just the lines that the right answer changes, to another text",
        Damage.BYTES: "changes bytes outside the lines that the right answer changes, by an encoding or line endings",
        Damage.UNASKED: "applied, although the edit should have been refused",
    }
)
"""The lines that a result changes are those from the first to the last that differ from the file before."""

DAMAGE: Measurement[dict[str, int]] = Measurement(
    "damage",
    "damage",
    "wrong edits by the way in which they are wrong",
    Unit.COUNTS,
    lambda counts: {kind.value: counts.n(verdict=Verdict.WRONG_EDIT, damage=kind) for kind in Damage},
)

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
"""Of all edits of the damage `bytes` together."""
