"""The table of wrong edits: how bad they are, and the match rate by three comparisons side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, TextIO

from reports.runs.definitions import COURTS, LINES_LOST, SEVERITIES
from reports.runs.rows import Court, Severity
from reports.statistics.metrics import Summary
from reports.views.tables import ABSENT, SCHEMA_VERSION, Column, print_rows, rate


def _severity(kind: Severity) -> Column[Summary]:
    def number(summary: Summary) -> float | None:
        return None if summary.severity is None else summary.severity[kind]

    def text(summary: Summary) -> str:
        return ABSENT if summary.severity is None else str(summary.severity[kind])

    return Column(str(kind).replace("_", " "), f"wrong: {SEVERITIES[kind]}", text, number)


def _court(court: Court, field: str) -> Column[Summary]:
    def number(summary: Summary) -> float | None:
        estimate = getattr(summary, field)
        return estimate and float(estimate.value)

    meaning = f"match rate where equal counts {COURTS[court]}"
    return Column(f"match by {court}", meaning, lambda summary: rate(getattr(summary, field)), number)


COLUMNS: tuple[Column[Summary], ...] = (
    Column("strategy", "what applied the edits", lambda summary: summary.strategy),
    Column("wrong", "wrong edits; the next four add up to it", lambda s: str(s.n_wrong), lambda s: s.n_wrong),
    *map(_severity, (Severity.SAME_TREE, Severity.OTHER_TREE, Severity.BROKEN, Severity.UNKNOWN)),
    Column(
        "lines lost",
        LINES_LOST,
        lambda summary: ABSENT if summary.n_lines_lost is None else str(summary.n_lines_lost),
        lambda summary: summary.n_lines_lost,
    ),
    _court(Court.BYTES, "match_rate"),
    _court(Court.TEXT, "match_rate_by_text"),
    _court(Court.TREE, "match_rate_by_tree"),
)
"""The columns of the table, on the page and in a terminal."""


def print_wrong_edits(summaries: Sequence[Summary], *, file: TextIO | None = None) -> None:
    """Print a row for each strategy."""
    print_rows(summaries, COLUMNS, dropped_first=("match by bytes", "unknown", "lines lost"), file=file)


def wrong_edits_document(summaries: Sequence[Summary]) -> dict[str, Any]:
    """The same as a JSON document; what is not measured is null."""
    fields = ("strategy", "n_wrong", "damage", "severity", "n_lines_lost")
    rates = ("match_rate", "match_rate_by_text", "match_rate_by_tree")
    rows = [
        {name: getattr(summary, name) for name in fields}
        | {name: value and asdict(value) for name in rates for value in (getattr(summary, name),)}
        for summary in summaries
    ]
    return {"schema_version": SCHEMA_VERSION, "strategies": rows}
