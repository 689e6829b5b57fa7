"""The table of wrong edits: how bad they are, and the match rate by three comparisons side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TextIO

from reports.measurements.table import (
    DAMAGE,
    LINES_LOST,
    MATCH_RATE,
    MATCH_RATE_BY_TEXT,
    MATCH_RATE_BY_TREE,
    OTHER_TREE,
    SAME_TREE,
    SEVERITY,
    UNKNOWN,
    UNPARSABLE,
    WRONG,
)
from reports.runs.rows import Equality
from reports.statistics.summary import Summary
from reports.views.tables import SCHEMA_VERSION, STRATEGY, Column, document, measured, print_rows

_BY_BYTES = replace(MATCH_RATE, heading=f"match by {Equality.BYTES}")
COLUMNS: tuple[Column[Summary], ...] = (
    STRATEGY,
    measured(replace(WRONG, meaning="wrong edits; the next four add up to it")),
    *map(measured, (SAME_TREE, OTHER_TREE, UNPARSABLE, UNKNOWN, LINES_LOST)),
    *map(measured, (_BY_BYTES, MATCH_RATE_BY_TEXT, MATCH_RATE_BY_TREE)),
)
"""The columns of the table in a terminal."""
_IN_DOCUMENT = (WRONG, DAMAGE, SEVERITY, LINES_LOST, MATCH_RATE, MATCH_RATE_BY_TEXT, MATCH_RATE_BY_TREE)


def print_wrong_edits(summaries: Sequence[Summary], *, file: TextIO | None = None) -> None:
    """Print a row for each strategy."""
    print_rows(summaries, COLUMNS, dropped_first=("match by bytes", "unknown", "lines lost"), file=file)


def wrong_edits_document(summaries: Sequence[Summary]) -> dict[str, Any]:
    """The same as a JSON document; what is not measured is null."""
    return {"schema_version": SCHEMA_VERSION, "strategies": [document(one, _IN_DOCUMENT) for one in summaries]}
