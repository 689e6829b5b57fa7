"""Differences of rates and latencies between two runs, for each strategy, with p-values and intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reports.compare.pairs import Pairs
from reports.measurements.counts import LABELLED
from reports.measurements.estimate import CONFIDENCE
from reports.measurements.latencies import computes
from reports.runs.rows import Damage, Verdict
from reports.statistics.significance import Codes, Interval, clustered_intervals, holm, mcnemar

if TYPE_CHECKING:
    import pandas as pd

ALPHA = 1 - CONFIDENCE
YARDSTICK = "replacer/simple"
"""The strategy whose latency measures the machine: other latencies are divided by it."""

Numbers = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Contrast:
    """A rate on two sides, over the labelled pairs that neither crashed nor timed out on either.

    The sides are two runs, the baseline and the other, or two strategies of one run.
    """

    base: float
    run: float
    delta: float
    """run - base."""
    interval: Interval | None
    """95 % interval of delta, clustered by repository; None if all samples are of one repository."""
    n: int
    """The denominator."""
    n_only_base: int
    """Pairs counted in the numerator of the baseline only."""
    n_only_run: int
    """Pairs counted in the numerator of the run only."""
    p_value: float
    """McNemar's exact test."""
    corrected_p: float
    """The p-value after Holm's correction over all that were tested: the strategies, or pairs of them."""

    def is_significant(self, *, alpha: float = ALPHA) -> bool:
        """Whether the corrected p-value is below alpha."""
        return self.corrected_p < alpha


@dataclass(frozen=True, slots=True)
class LatencyRatio:
    """Latency in the run / latency in the baseline: the geometric mean over the samples timed in both."""

    value: float
    interval: Interval | None
    """95 %, clustered by repository; None if all samples are of one repository."""
    n: int
    """Samples timed in both runs."""
    relative: bool
    """Whether each latency was divided by the yardstick's in the same run, so that the machines' speeds cancel out."""


class Contrasts(NamedTuple):
    """The contrasts of one strategy; None where the denominator is 0."""

    match_rate: Contrast | None
    """Correct edits / samples labelled apply."""
    wrong_rate: Contrast | None
    """Wrong edits / labelled samples."""
    latency: LatencyRatio | None


class Counted(NamedTuple):
    """(n_pairs,) masks of pairs: the denominator of a rate, and its numerator on either side."""

    among: Numbers
    base: Numbers
    run: Numbers


def contrasts(
    pairs: Pairs, strategies: Sequence[str], clusters: Codes, *, n_replicates: int, seed: int
) -> list[Contrasts]:
    """The contrasts of these strategies; `clusters` are the cluster codes of the pairs' ids."""
    rates: list[Counted] = []
    changes: list[tuple[Numbers, bool]] = []
    columns: list[tuple[Numbers, Numbers]] = []
    machine = _slower(pairs, YARDSTICK)
    for name in strategies:
        sample = pairs.of(name)["sample"].to_numpy()
        for rate in _counted(pairs, name):
            rates.append(rate)
            delta = rate.run.astype(int) - rate.base
            columns.append((_by_sample(pairs, sample, delta), _by_sample(pairs, sample, rate.among)))
        slower = _slower(pairs, name)
        relative = name != YARDSTICK and bool(np.isfinite(machine).any())
        if relative:
            # For samples that the yardstick does not take, the machine's mean over the others is used.
            slower = slower - np.where(np.isfinite(machine), machine, np.nanmean(machine))
        timed = np.isfinite(slower)
        changes.append((slower[timed], relative))
        columns.append((np.where(timed, slower, 0), timed))
    if not columns:
        return []
    found = iter(
        clustered_intervals(
            np.column_stack([numerator for numerator, _ in columns]),
            np.column_stack([denominator for _, denominator in columns]),
            clusters,
            n_replicates=n_replicates,
            seed=seed,
        )
    )
    match, wrong, latency = zip(*zip(found, found, found, strict=True), strict=True)
    return list(
        map(
            Contrasts,
            contrasts_of(rates[0::2], match),
            contrasts_of(rates[1::2], wrong),
            (_ratio(*change, interval) for change, interval in zip(changes, latency, strict=True)),
        )
    )


def _counted(pairs: Pairs, strategy: str) -> Iterator[Counted]:
    """The masks of the match rate and of the wrong rate."""
    rows = pairs.of(strategy)
    labelled = rows["verdict_base"].isin(LABELLED) & rows["verdict_run"].isin(LABELLED)
    to_apply = labelled & _to_apply(rows, "base") & _to_apply(rows, "run")
    for among, verdict in ((to_apply, Verdict.CORRECT), (labelled, Verdict.WRONG_EDIT)):
        base, run = (among & (rows[f"verdict_{side}"] == verdict) for side in ("base", "run"))
        yield Counted(among.to_numpy(), base.to_numpy(), run.to_numpy())


def _to_apply(rows: pd.DataFrame, side: str) -> pd.Series[bool]:
    """Whether each sample is labelled apply, judging by its verdict."""
    verdict, damage = rows[f"verdict_{side}"], rows[f"damage_{side}"]
    right = verdict.isin([Verdict.CORRECT, Verdict.MISSED])
    return right | ((verdict == Verdict.WRONG_EDIT) & (damage != Damage.UNASKED))


def _by_sample(pairs: Pairs, sample: Numbers, values: Numbers) -> Numbers:
    """(n_samples,) the values of a strategy's pairs; 0 for samples without a pair."""
    return np.bincount(sample, weights=values, minlength=len(pairs.ids))


def _slower(pairs: Pairs, strategy: str) -> Numbers:
    """(n_samples,) log(run latency / base latency); NaN where it was not measured in both runs.

    In CPU time where the strategy only computes and both runs recorded it, else in wall time.
    """
    rows = pairs.of(strategy)
    in_cpu = rows["cpu_run"] - rows["cpu_base"]
    in_wall = rows["latency_run"] - rows["latency_base"]
    slower = np.full(len(pairs.ids), np.nan)
    slower[rows["sample"]] = in_cpu if computes(strategy) and in_cpu.notna().any() else in_wall
    return slower


def contrasts_of(rates: Sequence[Counted], intervals: Sequence[Interval | None]) -> list[Contrast | None]:
    """The contrasts of several rates, whose p-values are corrected together; None where the denominator is 0."""
    only = [(int((one.base & ~one.run).sum()), int((one.run & ~one.base).sum())) for one in rates]
    p_values = [mcnemar(*counts) for counts in only]
    there = [place for place, one in enumerate(rates) if one.among.any()]
    corrected = dict(zip(there, holm([p_values[place] for place in there]), strict=True))
    found: list[Contrast | None] = [None] * len(rates)
    for place in there:
        n = int(rates[place].among.sum())
        base, run = int(rates[place].base.sum()), int(rates[place].run.sum())
        found[place] = Contrast(
            base / n, run / n, (run - base) / n, intervals[place], n, *only[place], p_values[place], corrected[place]
        )
    return found


def _ratio(slower: Numbers, relative: bool, interval: Interval | None) -> LatencyRatio | None:
    if not len(slower):
        return None
    low_high = interval and (float(np.exp(interval[0])), float(np.exp(interval[1])))
    return LatencyRatio(float(np.exp(slower.mean())), low_high, len(slower), relative)
