"""The levels of latency of a history's nights, which `reports.compare.nightly_latency` judges."""

from __future__ import annotations

import math

from reports.compare.nightly_latency import MOST_NIGHTS, NightLevels, NightlyLatency, levels, nightly_latencies
from reports.history.nights import History
from reports.runs.manifest import read_manifest


def latencies_of(history: History, night: str, baseline: str, tolerance: float) -> list[NightlyLatency]:
    """The latencies of a night that is compared with a baseline, against earlier nights of the same samples."""
    fingerprint = read_manifest(history.night(night)).corpus_fingerprint
    nights = history.nights()
    before = nights[: nights.index(night)]
    # The baseline may be long ago.
    looked_at = [one for one in before if one == baseline or one in before[-MOST_NIGHTS:]]
    alike = [one for one in looked_at if read_manifest(history.night(one)).corpus_fingerprint == fingerprint]
    known = [
        NightLevels(baseline if one == baseline else _baseline_of(history, one), levels_of(history, one))
        for one in alike
    ]
    return nightly_latencies([*known, NightLevels(baseline, levels_of(history, night))], tolerance)


def levels_of(history: History, night: str) -> dict[str, float]:
    """The levels of a night: those that were recorded with its result, or else from its outcomes."""
    judged = history.judged(night)
    recorded = judged.levels if judged else None
    if recorded is None:
        return levels(history.night(night))
    return {strategy: level for strategy, level in recorded.items() if math.isfinite(level)}


def _baseline_of(history: History, night: str) -> str:
    """The night that a night was compared with; its own name where it was compared with none."""
    judged = history.judged(night)
    return judged.baseline if judged and judged.baseline else night
