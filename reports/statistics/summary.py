"""Summaries: the values of all measurements of each strategy, counted from a run's outcomes.

Samples that crashed, timed out or were unstable count as not right.
"""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from reports.measurements.interval import Estimate
from reports.measurements.measurement import ByCluster, Counts, Kind, Measurement, Unit
from reports.measurements.table import CRASHED, MEASUREMENTS, SAMPLES, TIMED_OUT
from reports.runs.columns import codes_of, distinct_rows, joined, numbers_of, strings, tally
from reports.runs.manifest import StrategyUsed, command_spec
from reports.runs.rows import Verdict
from reports.runs.run_folder import RunFolder
from reports.statistics.clusters import ClustersOfRun, clusters_of_run

Value = TypeVar("Value")
Codes = npt.NDArray[np.integer[Any]]
_TIMED = ("latency_ns", "first_cpu_ns", "n_timed")
_SUMMED = tuple(dict.fromkeys(column for one in MEASUREMENTS for column in one.sums))
SUMMARISED = ("sample_id", "strategy", *Kind._fields, *_TIMED, *_SUMMED)
"""The columns of outcomes that summaries need."""


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


def run_summaries(run: RunFolder) -> list[Summary]:
    """One summary for each strategy of a run folder, in the order of its manifest, with its promises."""
    tables = joined(run.tables("outcomes", *SUMMARISED, as_dictionaries=True))
    return streamed_summaries(tables, used=run.manifest.strategies, clusters=clusters_of_run(run))


def summaries(table: pa.Table, *, used: Sequence[StrategyUsed] = ()) -> list[Summary]:
    """The summaries of outcomes in one table, as if each sample were unlike all others.

    First the strategies `used`, then the others as they appear in the table.
    """
    return streamed_summaries([table], used=used)


def streamed_summaries(
    tables: Iterable[pa.Table], *, used: Sequence[StrategyUsed] = (), clusters: ClustersOfRun | None = None
) -> list[Summary]:
    """The summaries of outcomes in several tables; only counts, latencies and numbers of samples are kept."""
    counted = {one.name: Counts(one.name, one) for one in used} | {"": Counts("")}  # That of no strategy: damaged rows.
    there: dict[str, None] = {}
    grouped = _Grouped(clusters) if clusters else None
    for table in tables:
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
        if grouped:
            grouped.add(table)
    return [_summary(counts, grouped) for name, counts in counted.items() if name in there]


def _summary(counts: Counts, grouped: _Grouped | None) -> Summary:
    by_cluster = grouped.of(counts.strategy) if grouped else None
    counts = replace(counts, by_cluster=by_cluster)
    return Summary(counts.strategy, {one.name: one.of(counts) for one in MEASUREMENTS})


class _Grouped:
    """The outcomes so far: for each strategy the numbers of samples, and the codes of kinds."""

    def __init__(self, clusters: ClustersOfRun) -> None:
        self._clusters = clusters
        self._code: dict[Kind, int] = {}
        self._rows: defaultdict[str, list[tuple[Codes, Codes]]] = defaultdict(list)

    def add(self, table: pa.Table) -> None:
        samples, ids = codes_of(table["sample_id"])
        number = self._clusters.numbers(strings([one or "" for one in ids]))[samples].astype(np.int32)
        kinds, kind = distinct_rows(table, *Kind._fields)
        places = np.array([self._code.setdefault(Kind(*one), len(self._code)) for one in kinds], dtype=np.uint16)
        strategies, names = codes_of(table["strategy"])
        for code, name in enumerate(names):
            mine = np.flatnonzero(strategies == code)
            if len(mine):
                self._rows[name or ""].append((number[mine], places[kind[mine]]))

    def of(self, strategy: str) -> ByCluster | None:
        """The outcomes of one strategy, which are freed; None if each sample is a cluster of its own."""
        number, kind = (np.concatenate(some) for some in zip(*self._rows.pop(strategy), strict=True))
        found = self._clusters.of_numbers(number)
        n = int(found.code.max()) + 1
        if n == len(number):
            return None
        key = found.code * len(self._code) + kind
        size = n * len(self._code)
        one, distinct = np.bincount(key, minlength=size), np.bincount(key, found.share, size)
        return ByCluster([*self._code], one.reshape(n, -1), distinct.reshape(n, -1))


def _numbers(table: pa.Table, *columns: str) -> dict[str | None, list[npt.NDArray[np.integer[Any]]]]:
    """Strategy -> (n,) the values in these columns of integers, where the first is present; 0 for absent ones.

    Only strategies that have rows: the dictionary of a filtered table names all that it had.
    """
    values, presence = zip(*(numbers_of(table[name].combine_chunks()) for name in columns), strict=True)
    there = [np.where(present, one, 0) for one, present in zip(values, presence, strict=True)]
    codes, names = codes_of(table["strategy"])
    used = [code for code, n in enumerate(np.bincount(codes, minlength=len(names))) if n]
    return {names[code]: [one[presence[0] & (codes == code)] for one in there] for code in used}


# Whether a run measured anything: without a call that ended in a result there are no rates, and no gate may pass

_FAILED = {Verdict.CRASHED: "crashed", Verdict.TIMED_OUT: "timed out"}


def unmeasured(run: RunFolder, rows: Sequence[Summary]) -> Iterator[tuple[str, str]]:
    """The strategies of a run without any call that ended in a result, and the reason in one line."""
    for row in rows:
        if row[SAMPLES] and row[CRASHED] + row[TIMED_OUT] == row[SAMPLES]:
            reason = why_nothing_was_measured(run, strategies=[row.strategy]) or ""
            spec = command_spec(run.manifest, row.strategy)
            command = shlex.quote(spec.partition("=")[2]) if spec else ""
            yield row.strategy, f"{reason}; editgauge protocol check {command} says more" if command else reason


def why_nothing_was_measured(run: RunFolder, *, strategies: Collection[str] | None = None) -> str | None:
    """The reason in one line if no call of a run, or of these strategies, ended in a result; else None."""
    first = None
    ended: dict[str, str] = {}
    for table in run.tables("outcomes", "strategy", "verdict", "error"):
        columns = (table.column(name).to_pylist() for name in ("strategy", "verdict", "error"))
        for strategy, verdict, error in zip(*columns, strict=True):
            if strategies is not None and strategy not in strategies:
                continue
            if verdict not in _FAILED:
                return None
            ended.setdefault(verdict, _FAILED[verdict])
            why = error or ("no answer in time" if verdict == Verdict.TIMED_OUT else "no reason was given")
            first = first or f"the first one, of {strategy}: {why}"
    if first:
        return f"every call {' or '.join(ended.values())}; {first}"
    manifest = run.manifest
    left_out = [
        f"{n:,} {which}"
        for n, which in (
            (manifest.n_left_out, "that none of the strategies takes"),
            (manifest.n_bad, "that cannot be read"),
        )
        if n
    ]
    return "no sample was run" + (f": {', '.join(left_out)}" if left_out else "")


def why_no_baseline(run: RunFolder) -> str | None:
    """The reason why a run cannot be a baseline without being accepted: some of its strategies were not measured."""
    if reason := why_nothing_was_measured(run):
        return f"nothing was measured: {reason}"
    return next((f"{name} was not measured: {reason}" for name, reason in unmeasured(run, run_summaries(run))), None)
