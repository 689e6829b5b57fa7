"""The levels of latency of a history's nights, which `reports.compare.latency` judges."""

from __future__ import annotations

import numpy as np

from reports.compare.latency import (
    MOST_NIGHTS,
    YARDSTICK,
    NightLevels,
    NightlyLatency,
    levels,
    nightly_latencies,
    strategy_of,
)
from reports.history.nights import History
from reports.runs.run_folder import RunFolder


def latencies_of(history: History, night: str, baseline: str, tolerance: float) -> list[NightlyLatency]:
    """The latencies of a night that is compared with a baseline, against earlier nights.

    A strategy is judged by the nights on which it and the yardstick ran on the same samples as tonight: strategies of
    other formats may come and go, and their samples with them.
    """
    run = history.run(night)
    fingerprint, tonight = run.manifest.corpus_fingerprint, sample_marks(run)
    nights = history.nights()
    before = nights[: nights.index(night)]
    # The baseline may be long ago.
    looked_at = [one for one in before if one == baseline or one in before[-MOST_NIGHTS:]]
    known = []
    for one in looked_at:
        judged, found = history.judged(one), levels_of(history, one)
        if history.run(one).manifest.corpus_fingerprint != fingerprint:
            marks = sample_marks(history.run(one)) if judged is None or judged.samples is None else judged.samples
            alike = {name for name, mark in tonight.items() if marks.get(name) == mark}
            found = {name: level for name, level in found.items() if strategy_of(name) in alike}
        known.append(NightLevels(baseline if one == baseline else (judged and judged.baseline) or one, found))
    return nightly_latencies([*known, NightLevels(baseline, levels_of(history, night))], tolerance)


def sample_marks(run: RunFolder) -> dict[str, str]:
    """Strategy -> a mark of the samples that it and the yardstick ran on; empty without fingerprints."""
    samples = run.frame("samples", "sample_id", "fingerprint").dropna().drop_duplicates("sample_id")
    rows = run.frame("outcomes", "sample_id", "strategy").merge(samples, on="sample_id")
    of_each = {
        str(name): rows["fingerprint"].to_numpy(np.uint64) for name, rows in rows.groupby("strategy", observed=True)
    }
    of_yardstick = of_each.get(YARDSTICK, np.zeros(0, np.uint64)).sum()
    return {name: f"{found.sum():016x}-{of_yardstick:016x}" for name, found in of_each.items()}


def levels_of(history: History, night: str) -> dict[str, float]:
    """The levels of a night: as recorded with the gate's result, else counted from its outcomes."""
    judged = history.judged(night)
    recorded = judged.levels if judged else None
    return levels(history.run(night)) if recorded is None else recorded
