"""Rates of a run by a property of its samples: by mutator, language, drift, model, ..."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from editcore.errors import UsageError
from reports.measurements.measurement import UNRELIABLE
from reports.runs.columns import strings
from reports.runs.rows import Verdict
from reports.runs.run_folder import RunFolder
from reports.statistics.grid import Grid, read_grid

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
