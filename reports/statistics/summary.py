"""What a run says of each strategy: the values of all measurements, counted from the outcomes.

Samples that crashed, timed out or were unstable count as not right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from reports.measurements import MEASUREMENTS
from reports.measurements.counts import Counts, Kind
from reports.measurements.estimate import Estimate
from reports.measurements.measurement import Measurement, Unit
from reports.runs.columns import codes_of, joined, numbers_of, tally
from reports.runs.manifest import StrategyUsed, read_manifest
from reports.runs.parts import outcome_tables

Value = TypeVar("Value")
_TIMED = ("latency_ns", "first_cpu_ns", "n_timed")
_SUMMED = tuple(dict.fromkeys(column for one in MEASUREMENTS for column in one.sums))
SUMMARISED = ("strategy", *Kind._fields, *_TIMED, *_SUMMED)
"""The columns of outcomes that `summaries` needs."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The measurements of one strategy in a run: `summary[MATCH_RATE]`."""

    strategy: str
    values: Mapping[str, Any]
    """By the name of the measurement, in the order of the table."""

    def __getitem__(self, measurement: Measurement[Value]) -> Value:
        value: Value = self.values[measurement.name]
        return value

    @property
    def rates(self) -> list[Estimate]:
        """The rates whose denominator is not 0."""
        return [self[one] for one in MEASUREMENTS if one.unit == Unit.SHARE and self[one]]


def run_summaries(folder: Path) -> list[Summary]:
    """One summary for each strategy of a run folder, in the order of its manifest, with its promises."""
    return streamed_summaries(outcome_tables(folder, *SUMMARISED), used=read_manifest(folder).strategies)


def summaries(table: pa.Table, *, used: Sequence[StrategyUsed] = ()) -> list[Summary]:
    """The same, of outcomes in a table: first the strategies `used`, then the others as they appear in the table."""
    return streamed_summaries([table], used=used)


def streamed_summaries(tables: Iterable[pa.Table], *, used: Sequence[StrategyUsed] = ()) -> list[Summary]:
    """The same, of outcomes in several tables; of each, only counts and latencies are kept."""
    counted = {one.name: Counts(one.name, one) for one in used} | {"": Counts("")}  # That of no strategy: damaged rows.
    there: dict[str, None] = {}
    for table in joined(tables):
        there |= dict.fromkeys(name or "" for name in table["strategy"].unique().to_pylist())
        for name in there:
            counted.setdefault(name, Counts(name))
        for (strategy, *words), n in tally(table, "strategy", *Kind._fields):
            counted[strategy or ""].kinds[Kind(*words)] += n
        for strategy, measured in _numbers(table, *_TIMED).items():
            counted[strategy or ""].latencies.add(*measured)
        for column in _SUMMED:
            for strategy, (numbers,) in _numbers(table, column).items():
                counted[strategy or ""].totals[column] += int(numbers.sum())
    return [
        Summary(name, {one.name: one.of(counts) for one in MEASUREMENTS})
        for name, counts in counted.items()
        if name in there
    ]


def _numbers(table: pa.Table, *columns: str) -> dict[str | None, list[npt.NDArray[np.integer[Any]]]]:
    """Strategy -> (n,) the values in these columns of integers, where the first is present; 0 for absent ones."""
    values, presence = zip(*(numbers_of(table[name].combine_chunks()) for name in columns), strict=True)
    there = [np.where(present, one, 0) for one, present in zip(values, presence, strict=True)]
    codes, names = codes_of(table["strategy"])
    return {name: [one[presence[0] & (codes == code)] for one in there] for code, name in enumerate(names)}
