"""Rates of a run by a property of its samples: by mutator, language, drift, model, ..."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from editcore.errors import UsageError
from reports.measurements.measurement import LABELLED
from reports.runs.rows import Verdict
from reports.runs.run_folder import RunFolder

if TYPE_CHECKING:
    import pandas as pd

FIELDS = ("format", "label", "label_source", "agent", "model", "repo", "mutator", "seen")
"""Properties of every sample; any other key is the key of a tag."""
_COUNTED_AS = {Verdict.TIMED_OUT: Verdict.CRASHED, Verdict.UNSTABLE: Verdict.WRONG_EDIT}
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
    outcomes = run.frame("outcomes", "sample_id", "strategy", "verdict")
    found = grouped(outcomes, samples, key, strategies=strategies)
    if found is None:
        raise UsageError(
            f"No sample of {run} has a {key!r}",
            f"Group by {', '.join(FIELDS)} or the key of a tag, such as language.",
        )
    kept = {group: n for group, n in found.n_samples.items() if n >= min_n}
    if not kept:
        raise UsageError(
            f"No {key} of {run} has {min_n:,} samples",
            f"The most samples that one has: {max(found.n_samples.values()):,}.",
        )
    groups = {group: cells for group, cells in found.groups.items() if group in kept}
    return replace(found, groups=groups, n_samples=kept, n_small=len(found.groups) - len(groups))


def grouped(
    outcomes: pd.DataFrame, samples: pd.DataFrame, key: str, *, strategies: Sequence[str] = ()
) -> Breakdown | None:
    """The breakdown of frames as `reports.Run` has them; None if no sample has the property."""
    group_of = groups_of(samples.drop_duplicates("sample_id", keep="last"), key)
    if (group_of["group"] == _NONE).all():
        return None
    rows = outcomes[["sample_id", "strategy", "verdict"]].merge(group_of, on="sample_id", how="left")
    rows["group"] = rows["group"].fillna(_NONE)
    rows["apply"] = rows["label"] == "apply"
    counted = rows["verdict"].astype(object).replace(_COUNTED_AS)
    rows["verdict"] = counted.where(rows["label"] != "unlabelled", Verdict.UNLABELLED)
    by_cell = rows.groupby(["group", "strategy"], observed=True)
    found = by_cell["verdict"].value_counts().unstack(fill_value=0)
    counts = found.reindex(columns=[*LABELLED, "apply", Verdict.CRASHED], fill_value=0)
    counts["apply"] = by_cell["apply"].sum()
    cells = {place: Cell(*map(int, row)) for place, row in zip(counts.index, counts.to_numpy(), strict=True)}
    there = list(outcomes["strategy"].unique())
    shown = [name for name in strategies if name in there] if strategies else there
    n_samples = {str(group): int(n) for group, n in group_of["group"].value_counts().items()}
    groups = {
        group: {name: cells[group, name] for name in shown if (group, name) in cells}
        for group in sorted(n_samples, key=_in_order)
    }
    return Breakdown(key, shown, groups, n_samples)


def groups_of(samples: pd.DataFrame, key: str) -> pd.DataFrame:
    """A row for each sample and each of its groups: sample_id, label, group (`-` without any)."""
    if key in FIELDS:
        values = samples[key].astype("string").replace("", _NONE)
    else:
        tags = samples["tags"].explode().astype("string")
        values = tags[(tags == key) | tags.str.startswith(f"{key}:")].str.slice(len(key) + 1)
    found = samples[["sample_id", "label"]].join(values.rename("group"))
    return found.fillna({"group": _NONE})


def _in_order(group: str) -> tuple[bool, float, str]:
    """Numbers by size, words by letter, `-` last."""
    return group == _NONE, float(group) if group.isdecimal() else float("inf"), group
