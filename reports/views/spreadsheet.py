"""The summary of a run as CSV, for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from reports.measurements.measurement import Unit
from reports.measurements.table import MEASUREMENTS
from reports.statistics.summary import Summary

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Starts of a cell that spreadsheets run."""


def csv_text(summaries: Sequence[Summary]) -> str:
    """A row for each strategy: counts, latencies in nanoseconds, then rates with both ends of their 95 % intervals."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    plain = [one for one in MEASUREMENTS if one.unit not in (Unit.SHARE, Unit.COUNTS)]
    rates = [one for one in MEASUREMENTS if one.unit == Unit.SHARE]
    writer.writerow(
        [
            "strategy",
            *(one.name for one in plain),
            *(f"{one.name}{end}" for one in rates for end in ("", "_low", "_high")),
        ]
    )
    for summary in summaries:
        row: list[object] = [f"'{summary.strategy}" if summary.strategy.startswith(_FORMULA) else summary.strategy]
        row += [summary[one] for one in plain]
        for one in rates:
            found = summary[one]
            row += [found.value, found.low, found.high] if found else [None] * 3
        writer.writerow(row)
    return out.getvalue()
