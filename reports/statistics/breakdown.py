"""Rates of a run by a property of its samples: by mutator, language, severity, model, ..."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from editcore.errors import UsageError
from reports.runs.parts import outcome_table, samples_used
from reports.runs.rows import SampleUsed
from reports.statistics.metrics import LABELLED, Estimate, wilson

FIELDS = ("format", "label", "label_source", "agent", "model", "repo", "mutator")
"""Properties that every sample has; any other is the key of a tag."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What became of the samples of one group under one strategy."""

    n_correct: int
    n_wrong: int
    n_missed: int
    n_refused: int
    n_apply: int
    """Labelled apply."""

    @property
    def n_labelled(self) -> int:
        """Those whose right answer is known."""
        return self.n_correct + self.n_wrong + self.n_missed + self.n_refused

    @property
    def match_rate(self) -> Estimate | None:
        """Correct, of the samples labelled apply; None where there is none."""
        return _rate("match_rate", self.n_correct, self.n_apply)

    @property
    def wrong_rate(self) -> Estimate | None:
        """Wrong edits, of all labelled samples."""
        return _rate("wrong_rate", self.n_wrong, self.n_labelled)


def _rate(metric: str, successes: int, n: int) -> Estimate | None:
    return Estimate(metric, "", successes / n, *wilson(successes, n), n) if n else None


@dataclass(frozen=True, slots=True)
class Breakdown:
    """A table: groups of samples down, strategies across."""

    key: str
    strategies: list[str]
    groups: dict[str, dict[str, Cell]]
    """Group -> strategy -> cell, the groups in order; a strategy that took none of them is missing."""
    n_samples: dict[str, int]


def breakdown(folder: Path, key: str, *, strategies: Sequence[str] = ()) -> Breakdown:
    """The outcomes of a run, grouped by a property of its samples.

    A sample with several tags of that key is in several groups, one without it in `-`. Raises UsageError where
    no sample has the property, or the run does not say what its samples are.
    """
    samples = list(samples_used(folder))
    if not samples:
        raise UsageError(f"{folder} does not say what its samples are", "An earlier version wrote it: run again.")
    found = grouped(outcome_table(folder), samples, key, strategies=strategies)
    if found is None:
        raise UsageError(
            f"No sample of {folder} has a {key!r}",
            f"Group by {', '.join(FIELDS)} or the key of a tag, such as language.",
        )
    return found


def grouped(
    table: pa.Table, samples: Sequence[SampleUsed], key: str, *, strategies: Sequence[str] = ()
) -> Breakdown | None:
    """The same, of outcomes and samples that have been read; None where no sample has the property."""
    group_of = {sample.sample_id: _values(sample, key) for sample in samples}
    if all(values == ("-",) for values in group_of.values()):
        return None
    to_apply = {sample.sample_id for sample in samples if sample.label == "apply"}
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    columns = (table[name].to_pylist() for name in ("sample_id", "strategy", "verdict"))
    for sample_id, strategy, verdict in zip(*columns, strict=True):
        for value in group_of.get(sample_id, ("-",)):
            counts[value, strategy][verdict] += 1
            if sample_id in to_apply and verdict in LABELLED:
                counts[value, strategy]["apply"] += 1
    there = table["strategy"].unique().to_pylist()
    shown = [name for name in strategies if name in there] if strategies else there
    n_samples = Counter(value for values in group_of.values() for value in values)
    groups = {
        value: {name: _cell(counts[value, name]) for name in shown if counts[value, name]}
        for value in sorted(n_samples, key=_in_order)
    }
    return Breakdown(key, shown, groups, dict(n_samples))


def _values(sample: SampleUsed, key: str) -> tuple[str, ...]:
    if key in FIELDS:
        return (getattr(sample, key) or "-",)
    found = tuple(tag.partition(":")[2] for tag in sample.tags if tag.partition(":")[0] == key)
    return found or ("-",)


def _cell(verdicts: Counter[str]) -> Cell:
    correct, wrong, missed, refused = (verdicts[verdict] for verdict in LABELLED)
    return Cell(correct, wrong, missed, refused, verdicts["apply"])


def _in_order(value: str) -> tuple[bool, float, str]:
    """Numbers by size, words by letter, what has none last."""
    return value == "-", float(value) if value.isdecimal() else float("inf"), value
