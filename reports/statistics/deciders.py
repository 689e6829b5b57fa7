"""Which replacers decided the edits of a cascade, and how many of those were right."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import NamedTuple

import pyarrow as pa

from reports.runs.columns import tally
from reports.runs.rows import Verdict

APPLIED = (Verdict.CORRECT, Verdict.WRONG_EDIT, Verdict.UNLABELLED)
"""Verdicts of applied edits; UNLABELLED only where the outcome has no reason."""


class Decided(NamedTuple):
    """Counts of the edits that one replacer decided."""

    n_correct: int
    n_wrong: int
    n_unlabelled: int
    """Edits of samples whose right answer is not known."""


def deciders(table: pa.Table) -> dict[str, dict[str, Decided]]:
    """Cascade -> replacer -> counts of the edits that it decided, the most frequent replacer first."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for (strategy, replacer, verdict, reason), n in tally(table, "strategy", "replacer", "verdict", "reason"):
        if strategy and replacer and verdict and strategy.startswith("cascade/") and reason is None:
            counts[strategy, replacer][verdict] += n
    found: dict[str, dict[str, Decided]] = {
        name: {} for name in table["strategy"].unique().to_pylist() if name.startswith("cascade/")
    }
    for (strategy, replacer), n_by_verdict in counts.items():
        decided = Decided(*(n_by_verdict[verdict] for verdict in APPLIED))
        if any(decided):
            found[strategy][replacer] = decided
    return {
        strategy: dict(sorted(replacers.items(), key=lambda item: (-sum(item[1]), item[0])))
        for strategy, replacers in found.items()
    }
