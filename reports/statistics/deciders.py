"""The replacers or tiers that decided the edits of a cascade, the share of right edits, and its calibration."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from zlib import crc32

import numpy as np

from editcore.tiers.confidence import Counts, confidence
from reports.runs.rows import Outcome, SampleUsed, Verdict
from reports.statistics.grid import Codes, Grid

APPLIED = (Verdict.CORRECT, Verdict.WRONG_EDIT, Verdict.UNLABELLED)
"""Verdicts of applied edits; UNLABELLED only where the outcome has no reason."""


class Decided(NamedTuple):
    n_correct: int
    n_wrong: int
    n_unlabelled: int


def deciders(grid: Grid) -> dict[str, dict[str, Decided]]:
    """Strategy -> replacer -> counts of the edits that it decided, the most frequent replacer first."""
    return {name: _decided(grid, codes) for name, codes in zip(grid.strategies, grid.kind, strict=True)}


def _decided(grid: Grid, codes: Codes) -> dict[str, Decided]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for kind, n in zip(grid.kinds, np.bincount(codes, minlength=len(grid.kinds)).tolist(), strict=True):
        if n and kind.replacer and kind.verdict in APPLIED and kind.reason is None:
            counts[kind.replacer][kind.verdict] += n
    found = [(name, Decided(*(n[verdict] for verdict in APPLIED))) for name, n in counts.items()]
    return dict(sorted(found, key=lambda item: (-sum(item[1]), item[0])))


# Calibration: how often a tier is right, and whether that holds on repositories it was not counted on

_RIGHT = {str(Verdict.CORRECT): True, str(Verdict.WRONG_EDIT): False}


@dataclass(frozen=True, slots=True)
class Reliability:
    """The edits that one tier applied: the confidence stated on held-out folds, and the share of right edits."""

    tier: str
    n: int
    stated: float
    """The mean confidence, each fitted without the repository of the edit; 0 to 1."""
    right: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Counts per tier, and their reliability on held-out folds of repositories."""

    counts: Counts
    reliability: tuple[Reliability, ...]
    n_folds: int
    """Number of folds with an edit."""
    error: float
    """Expected calibration error: the mean of |stated - right| over the tiers, weighted by their edits; 0 to 1."""


def calibration(samples: Iterable[SampleUsed], outcomes: Iterable[Outcome], *, n_folds: int = 5) -> Calibration:
    """The calibration of the applied, labelled edits of one strategy; a repository is in one of `n_folds` only."""
    fold_of = {one.sample_id: crc32((one.repo or one.sample_id).encode()) % n_folds for one in samples}
    applied = [
        (one.replacer or "", fold_of.get(one.sample_id, 0), _RIGHT[one.verdict])
        for one in outcomes
        if one.verdict in _RIGHT
    ]
    held: dict[int, list[tuple[str, int, bool]]] = defaultdict(list)
    for row in applied:
        held[row[1]].append(row)
    counts = _counts(applied)
    fitted = {fold: _without(counts, _counts(rows)) for fold, rows in held.items()}
    by_tier: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for tier, fold, is_right in applied:
        by_tier[tier].append((confidence(tier, fitted[fold]), is_right))
    rows = [
        Reliability(
            tier, len(pairs), sum(one for one, _ in pairs) / len(pairs), sum(one for _, one in pairs) / len(pairs)
        )
        for tier, pairs in sorted(by_tier.items(), key=lambda item: (-len(item[1]), item[0]))
    ]
    error = sum(one.n * abs(one.stated - one.right) for one in rows) / max(len(applied), 1)
    return Calibration(counts, tuple(rows), len(held), error)


def _counts(applied: Sequence[tuple[str, int, bool]]) -> Counts:
    counts: dict[str, tuple[int, int]] = {}
    for tier, _, is_right in applied:
        right, wrong = counts.get(tier, (0, 0))
        counts[tier] = (right + is_right, wrong + (not is_right))
    return counts


def _without(counts: Counts, held: Counts) -> Counts:
    return {
        tier: (right - held.get(tier, (0, 0))[0], wrong - held.get(tier, (0, 0))[1])
        for tier, (right, wrong) in counts.items()
    }
