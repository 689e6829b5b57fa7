"""Summaries: the values of all measurements of each strategy, counted from a run's outcomes; a run in one sentence.

Samples that crashed, timed out or were unstable count as not right.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from corpora.edit_calls import calls_sentence
from reports.measurements.interval import Estimate
from reports.measurements.measurement import Counts, Kind, Measurement, Unit
from reports.measurements.table import (
    APPLIED_RATE,
    CORRECT,
    CRASHED,
    MEASUREMENTS,
    MISSED,
    REFUSED,
    SAMPLES,
    TIMED_OUT,
    UNSTABLE,
    WITH_ANSWER,
    WRONG,
)
from reports.runs.columns import codes_of, numbers_of, tally
from reports.runs.manifest import Manifest, StrategyUsed, command_spec
from reports.runs.rows import Verdict
from reports.runs.run_folder import RunFolder
from reports.statistics.grid import ClustersOfRun, Grid, Rows, ahead, clusters_of_run

Value = TypeVar("Value")
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
    return summarised(run, Rows())[1]


def summarised(run: RunFolder, rows: Rows) -> tuple[Grid, list[Summary]]:
    """The outcomes of a run, which `rows` collects, and the summary of each strategy."""
    columns = dict.fromkeys((*SUMMARISED, *rows.numbers))
    tables = ahead(run.tables("outcomes", *columns, as_dictionaries=True))
    counted = _counted(rows.seen(tables), run.manifest.strategies)
    grid = rows.grid(clusters_of_run(run), [one.strategy for one in counted])
    return grid, [_summary(one, None if rows.are_shared else grid) for one in counted]


def streamed_summaries(tables: Iterable[pa.Table], *, clusters: ClustersOfRun) -> list[Summary]:
    """The summaries of outcomes in several tables, whose samples have these clusters."""
    rows = Rows()
    counted = _counted(rows.seen(tables))
    grid = rows.grid(clusters, [one.strategy for one in counted])
    return [_summary(one, grid) for one in counted]


def summaries(*tables: pa.Table, used: Sequence[StrategyUsed] = ()) -> list[Summary]:
    """The summaries of outcomes, as if each sample were unlike all others.

    First the strategies `used`, then the others as they appear in the tables.
    """
    return [_summary(counts, None) for counts in _counted(tables, used)]


def _counted(tables: Iterable[pa.Table], used: Sequence[StrategyUsed] = ()) -> list[Counts]:
    """The counts of the strategies with outcomes: only counts, latencies and numbers of samples are kept."""
    counted = {one.name: Counts(one.name, one) for one in used} | {"": Counts("")}  # That of no strategy: damaged rows.
    there: dict[str, None] = {}
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
    return [counts for name, counts in counted.items() if name in there]


def _summary(counts: Counts, grid: Grid | None) -> Summary:
    counts = replace(counts, by_cluster=grid.by_cluster(counts.strategy) if grid else None)
    return Summary(counts.strategy, {one.name: one.of(counts) for one in MEASUREMENTS})


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


# A run in one sentence, and the strategy that such a line reports.

RECOMMENDED = "cascade/recommended"
RUNGS = ("replacer/", "tier/")
"""Families whose members are parts of a strategy."""
USUAL_COST = 5.0
"""The number of missed edits that one wrong edit counts for, by default."""


def sentence(summaries: Sequence[Summary], manifest: Manifest, *, advice: str = "") -> str:
    """A run in one sentence, which is the counts of one strategy, and the `advice` of `reports.compare.costs`.

    Before it, if the corpora were imported, how many edit calls of the logs never became an edit.
    """
    calls: Counter[str] = sum((Counter(corpus.calls) for corpus in manifest.corpora), Counter())
    return f"{calls_sentence(calls)} {_of_strategies(summaries, manifest)} {advice}".strip()


def _of_strategies(summaries: Sequence[Summary], manifest: Manifest) -> str:
    first = headline(summaries)
    if first is None or not first[SAMPLES]:
        return f"Nothing was measured: the run holds no samples (seed {manifest.seed})."
    if first[WITH_ANSWER]:
        counts = [
            f"{first[CORRECT]} correct",
            f"{first[WRONG]} wrong",
            f"{first[MISSED]} missed",
            f"{first[REFUSED]} refused",
        ]
    elif (rate := first[APPLIED_RATE]) and first[CRASHED] + first[TIMED_OUT] < first[SAMPLES]:
        applied = round(rate.value * rate.n)
        counts = [f"{applied} of {rate.n} applied, with no known right answers"]
    else:
        counts = ["no sample returned a result"]
    if first[CRASHED]:
        counts.append(f"{first[CRASHED]} crashed")
    if first[TIMED_OUT]:
        counts.append(f"{first[TIMED_OUT]} timed out")
    if first[UNSTABLE]:
        counts.append(f"{first[UNSTABLE]} unstable")
    samples = "sample" if first[WITH_ANSWER] == 1 else "samples"
    counted = f"seed {manifest.seed}, {first[WITH_ANSWER]} labelled {samples}"
    return f"{first.strategy}: {', '.join(counts)} ({counted})."


def headline(summaries: Sequence[Summary]) -> Summary | None:
    """The strategy that one-line summaries report: `cascade/recommended`, else the best at the usual cost.

    The best has the fewest missed edits, a wrong one counted as `USUAL_COST` missed ones, of those strategies that ran
    on as many samples as the most others did. Of equals, a cascade, and the first.
    """
    n_peers = Counter(summary[SAMPLES] for summary in summaries)

    def place(summary: Summary) -> tuple[bool, int, float, bool]:
        is_recommended = summary.strategy == RECOMMENDED
        return not is_recommended, -n_peers[summary[SAMPLES]], _loss(summary), not _is_cascade(summary)

    return min(summaries, key=place, default=None)


def best_first(summaries: Sequence[Summary]) -> list[Summary]:
    """The strategies, those on the same number of samples together, most samples first; in each group the best first.

    The best has the fewest missed edits, a wrong one counted as `USUAL_COST` missed ones.
    """
    return sorted(summaries, key=lambda one: (-one[SAMPLES], _loss(one), -one[CORRECT], not _is_cascade(one)))


def _loss(summary: Summary) -> float:
    """Missed edits, crashes and time-outs, plus wrong and unstable edits at the usual cost."""
    n_missed = summary[MISSED] + summary[CRASHED] + summary[TIMED_OUT]
    return n_missed + USUAL_COST * (summary[WRONG] + summary[UNSTABLE])


def _is_cascade(summary: Summary) -> bool:
    return summary.strategy.startswith("cascade/")
