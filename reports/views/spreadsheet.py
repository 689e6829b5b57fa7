"""The summary of a run as CSV, for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from reports.statistics.metrics import Summary

_FIELDS = (
    "n_samples", "n_correct", "n_wrong", "n_missed", "n_refused", "n_unlabelled", "n_crashed", "n_timed_out",
    "p50_ns", "p90_ns", "p99_ns", "max_ns", "n_lines_lost", "n_promised", "n_broken",
)  # fmt: skip
_RATES = ("match_rate", "wrong_rate", "precision", "refusal_rate", "applied_rate")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Starts of a cell that spreadsheets run."""


def csv_text(summaries: Sequence[Summary]) -> str:
    """A row for each strategy: counts, latencies in nanoseconds, and rates with both ends of their 95 % intervals."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    rates = [f"{rate}{end}" for rate in _RATES for end in ("", "_low", "_high")]
    writer.writerow(["strategy", *_FIELDS, *rates])
    for summary in summaries:
        row: list[object] = [f"'{summary.strategy}" if summary.strategy.startswith(_FORMULA) else summary.strategy]
        row += [getattr(summary, field) for field in _FIELDS]
        for rate in _RATES:
            found = getattr(summary, rate)
            row += [found.value, found.low, found.high] if found else [None] * 3
        writer.writerow(row)
    return out.getvalue()
