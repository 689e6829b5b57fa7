"""The rates of each strategy over the nights of a history, as a page draws them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reports.history.nights import History, Judged
from reports.measurements.table import MATCH_RATE, WRONG_RATE
from reports.page.cells import estimate
from reports.statistics.summary import run_summaries

MOST_NIGHTS = 60
"""The latest nights that a page shows."""

Rate = list[float] | None
"""Value, ends of the 95 % interval, number of samples; None over no samples."""


def rates(folder: Path) -> dict[str, tuple[Rate, Rate]]:
    """Strategy -> match rate and wrong rate of a run, in the order of its manifest."""
    return {one.strategy: (estimate(one[MATCH_RATE]), estimate(one[WRONG_RATE])) for one in run_summaries(folder)}


def trends(history: History) -> dict[str, Any] | None:
    """The nights, the earliest first: names, which failed, the baseline, and rates by strategy; None without nights.

    A rate is [value, low, high, n], or null on nights without the strategy.
    """
    names = history.nights()[-MOST_NIGHTS:]
    if not names:
        return None
    judged = [history.judged(name) for name in names]
    by_strategy: dict[str, list[tuple[Rate, Rate]]] = {}
    for at, (name, found) in enumerate(zip(names, judged, strict=True)):
        for strategy, both in (_kept(found) or rates(history.night(name))).items():
            known = by_strategy.setdefault(strategy, [])
            known += [(None, None)] * (at - len(known))
            known.append(both)
    baseline = history.baseline()
    padded = {name: [*found, *[(None, None)] * (len(names) - len(found))] for name, found in by_strategy.items()}
    return {
        "nights": names,
        "failed": [[f"{one.strategy}: {one.message}" for one in found.failures] if found else [] for found in judged],
        "baseline": baseline.night if baseline else None,
        "strategies": [
            {"name": name, "match": [one for one, _ in found], "wrong": [one for _, one in found]}
            for name, found in padded.items()
        ],
    }


def _kept(judged: Judged | None) -> dict[str, tuple[Rate, Rate]] | None:
    """The rates that a night's gate kept; None where it kept none, or what is kept are no rates."""
    kept = judged.rates if judged else None
    return kept if kept and all(map(_is_rate, (one for both in kept.values() for one in both))) else None


def _is_rate(one: Sequence[float] | None) -> bool:
    if one is None:
        return True
    if len(one) != 4:
        return False
    value, low, high, n = one
    return 0 <= low <= value <= high <= 1 <= n < 1e15
