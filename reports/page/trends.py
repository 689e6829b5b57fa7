"""The rates of each strategy over the nights of a history, as a page draws them."""

from __future__ import annotations

from typing import Any

from reports.history.nights import History
from reports.page.cells import estimate
from reports.runs.manifest import read_manifest
from reports.runs.parts import outcome_tables
from reports.statistics.metrics import SUMMARISED, streamed_summaries

MOST_NIGHTS = 60
"""The latest nights that a page shows."""


def trends(history: History) -> dict[str, Any] | None:
    """The nights, the earliest first: names, which failed, the baseline, and rates by strategy; None without nights.

    A rate is [value, low, high, n], or null on nights without the strategy.
    """
    names = history.nights()[-MOST_NIGHTS:]
    if not names:
        return None
    rates: dict[str, list[tuple[list[float] | None, list[float] | None]]] = {}
    for at, name in enumerate(names):
        folder = history.night(name)
        order = [used.name for used in read_manifest(folder).strategies]
        for one in streamed_summaries(outcome_tables(folder, *SUMMARISED), order=order):
            known = rates.setdefault(one.strategy, [])
            known += [(None, None)] * (at - len(known))
            known.append((estimate(one.match_rate), estimate(one.wrong_rate)))
    judged = [history.judged(name) for name in names]
    baseline = history.baseline()
    padded = {name: [*found, *[(None, None)] * (len(names) - len(found))] for name, found in rates.items()}
    return {
        "nights": names,
        "failed": [[f"{one.strategy}: {one.message}" for one in found.failures] if found else [] for found in judged],
        "baseline": baseline.night if baseline else None,
        "strategies": [
            {"name": name, "match": [one for one, _ in found], "wrong": [one for _, one in found]}
            for name, found in padded.items()
        ],
    }
