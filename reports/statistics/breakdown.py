"""Rates of a run by a property of its samples: by mutator, language, drift, model, ...; and by what decided."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import numpy as np

from editcore.errors import UsageError
from editcore.tiers.confidence import Counts, confidence
from reports.measurements.measurement import UNRELIABLE
from reports.runs.columns import strings
from reports.runs.rows import Outcome, SampleUsed, Verdict
from reports.runs.run_folder import RunFolder
from reports.statistics.grid import Codes, Grid, read_grid

if TYPE_CHECKING:
    import pandas as pd


FIELDS = ("format", "label", "label_source", "agent", "model", "repo", "mutator", "seen")
"""Properties of every sample; any other key is the key of a tag."""
_NONE = "-"
"""The group of samples without the property."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Counts of one group of samples under one strategy."""

    n_correct: int
    n_wrong: int
    n_missed: int
    n_refused: int
    n_apply: int
    n_failed: int = 0

    @property
    def n_labelled(self) -> int:
        """Samples whose right answer is known."""
        return self.n_correct + self.n_wrong + self.n_missed + self.n_refused + self.n_failed

    @property
    def match_rate(self) -> float | None:
        """Correct edits / samples labelled apply; None without such samples."""
        return self.n_correct / self.n_apply if self.n_apply else None

    @property
    def wrong_rate(self) -> float | None:
        """Wrong or unstable edits / labelled samples; None without such samples."""
        return self.n_wrong / self.n_labelled if self.n_labelled else None


@dataclass(frozen=True, slots=True)
class Breakdown:
    """A table with a row for each group of samples and a column for each strategy."""

    key: str
    strategies: list[str]
    groups: dict[str, dict[str, Cell]]
    """Group -> strategy -> cell, the groups in order; a strategy without outcomes in a group is missing from it."""
    n_samples: dict[str, int]
    """Group -> number of samples."""
    n_small: int = 0
    """Number of groups left out because they have too few samples."""


def breakdown(run: RunFolder, key: str, *, strategies: Sequence[str] = (), min_n: int = 1) -> Breakdown:
    """The outcomes of a run, grouped by a property of its samples.

    A sample with several tags of that key is in several groups, a sample without one is in `-`. Groups of fewer than
    `min_n` samples are left out. Raises UsageError where no group is left, no sample has the property, or the run was
    written by a version that does not record samples.
    """

    samples = run.frame("samples")
    if samples.empty:
        if not run.manifest.n_samples:
            raise UsageError(f"{run} holds no samples", "Name a run with some.")
        raise UsageError(f"{run} does not say what its samples are", "An earlier version wrote it: run again.")
    group_of = groups_of(samples.drop_duplicates("sample_id", keep="last"), key)
    n_samples = {str(group): int(n) for group, n in group_of["group"].value_counts().items()}
    if set(n_samples) == {_NONE}:
        raise UsageError(
            f"No sample of {run} has a {key!r}",
            f"Group by {', '.join(FIELDS)} or the key of a tag, such as language.",
        )
    kept = {group: n for group, n in sorted(n_samples.items(), key=_in_order) if n >= min_n}
    if not kept:
        raise UsageError(
            f"No {key} of {run} has {min_n:,} samples",
            f"The most samples that one has: {max(n_samples.values()):,}.",
        )
    grid = read_grid(run)
    chosen = [name for name in strategies if name in grid.strategies] if strategies else grid.strategies
    grid = grid.of_strategies(chosen)
    of_group = {str(group): rows for group, rows in group_of.groupby("group")}
    groups = {group: dict(_cells(grid, of_group[group])) for group in kept}
    return Breakdown(key, grid.strategies, groups, kept, len(n_samples) - len(kept))


def _cells(grid: Grid, samples: pd.DataFrame) -> Iterator[tuple[str, Cell]]:
    """The strategies that ran on some of these samples, and their counts."""
    number = grid.ids.numbers(strings(samples["sample_id"].tolist()))
    at = number[number >= 0]
    label = samples["label"].to_numpy(dtype=object)[number >= 0]
    counted = (
        grid.where(Verdict.CORRECT), grid.where(*UNRELIABLE), grid.where(Verdict.MISSED), grid.where(Verdict.REFUSED),
    )  # fmt: skip
    masks = [mask[:, at] & (label != "unlabelled") for mask in counted]
    ran, failed = grid.ran[:, at], grid.where(Verdict.CRASHED, Verdict.TIMED_OUT)[:, at]
    masks += [ran & (label == "apply"), failed & (label != "unlabelled")]
    for name, n_ran, *row in zip(grid.strategies, *(mask.sum(axis=1) for mask in (ran, *masks)), strict=True):
        if n_ran:
            yield name, Cell(*map(int, row))


def groups_of(samples: pd.DataFrame, key: str) -> pd.DataFrame:
    """A row for each sample and each of its groups: sample_id, label, group (`-` without any)."""
    if key in FIELDS:
        values = samples[key].astype("string").replace("", _NONE)
    else:
        tags = samples["tags"].explode().astype("string")
        values = tags[(tags == key) | tags.str.startswith(f"{key}:")].str.slice(len(key) + 1)
    found = samples[["sample_id", "label"]].join(values.rename("group"))
    return found.fillna({"group": _NONE})


def _in_order(item: tuple[str, int]) -> tuple[bool, float, str]:
    """Numbers by size, words by letter, `-` last."""
    group = item[0]
    return group == _NONE, float(group) if group.isdecimal() else float("inf"), group


# The replacers or tiers that decided the edits of a cascade, the share of right edits, and its calibration.

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
