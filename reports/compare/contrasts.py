"""Two runs in numbers: the difference of their rates and latencies under each strategy, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reports.compare.pairs import VERDICTS, Pairs, Rows
from reports.runs.rows import Verdict
from reports.statistics.metrics import CONFIDENCE
from reports.statistics.significance import Codes, Interval, clustered_intervals, holm, mcnemar

ALPHA = 1 - CONFIDENCE
YARDSTICK = "replacer/simple"
"""The strategy whose latency stands for the machine's."""

Numbers = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Contrast:
    """A rate in both runs, over the pairs that came back in both."""

    base: float
    run: float
    delta: float
    """Run less base."""
    interval: Interval | None
    """Of delta, clustered by repository; absent where all samples are of one."""
    n: int
    """The denominator."""
    n_only_base: int
    """Pairs that count in the baseline and not in the run."""
    n_only_run: int
    p_value: float
    """McNemar's, exact."""
    corrected_p: float
    """After Holm's correction over the strategies."""

    def is_significant(self, *, alpha: float = ALPHA) -> bool:
        """Whether luck alone would seldom do as much."""
        return self.corrected_p < alpha


@dataclass(frozen=True, slots=True)
class LatencyRatio:
    """Run over base: the geometric mean over the samples timed in both."""

    value: float
    interval: Interval | None
    """Clustered by repository; absent where all samples are of one."""
    n: int
    relative: bool
    """Each latency was first divided by the yardstick's in its own run, so that machines cancel out."""


class Contrasts(NamedTuple):
    """What there is to say of one strategy; a rate over nothing is absent."""

    match_rate: Contrast | None
    """Correct, of those labelled apply."""
    wrong_rate: Contrast | None
    """Wrong edits, of all labelled."""
    latency: LatencyRatio | None


class _Counted(NamedTuple):
    """Of the pairs of one strategy: which a rate is over, and which count in either run."""

    among: Numbers
    base: Numbers
    run: Numbers


_CORRECT, _WRONG, _MISSED = (VERDICTS.index(one) for one in (Verdict.CORRECT, Verdict.WRONG_EDIT, Verdict.MISSED))
_LABELLED = [VERDICTS.index(one) for one in (Verdict.CORRECT, Verdict.WRONG_EDIT, Verdict.MISSED, Verdict.REFUSED)]


def contrasts(
    pairs: Pairs, strategies: Sequence[str], clusters: Codes, *, n_replicates: int, seed: int
) -> list[Contrasts]:
    """The contrasts of these strategies; `clusters` has a code for each of the pairs' ids."""
    rates: list[_Counted] = []
    changes: list[tuple[Numbers, bool]] = []
    columns: list[tuple[Numbers, Numbers]] = []
    machine = _slower(pairs, YARDSTICK)
    for name in strategies:
        sample = pairs.sample[pairs.of(name)]
        for rate in _counted(pairs, name):
            rates.append(rate)
            delta = rate.run.astype(int) - rate.base
            columns.append((_by_sample(pairs, sample, delta), _by_sample(pairs, sample, rate.among)))
        slower = _slower(pairs, name)
        relative = name != YARDSTICK and bool(np.isfinite(machine).any())
        if relative:
            # Where the yardstick does not take the sample, what the machine does to all others must do.
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
            _contrasts(rates[0::2], match),
            _contrasts(rates[1::2], wrong),
            (_ratio(*change, interval) for change, interval in zip(changes, latency, strict=True)),
        )
    )


def _counted(pairs: Pairs, strategy: str) -> Iterator[_Counted]:
    """What the match rate and the wrong rate are over, and what counts for each."""
    rows = pairs.of(strategy)
    base, run = pairs.base[rows], pairs.run[rows]
    back = np.isin(base.verdict, _LABELLED) & np.isin(run.verdict, _LABELLED)
    to_apply = back & _to_apply(base) & _to_apply(run)
    for among, verdict in ((to_apply, _CORRECT), (back, _WRONG)):
        yield _Counted(among, among & (base.verdict == verdict), among & (run.verdict == verdict))


def _to_apply(rows: Rows) -> Numbers:
    to_apply: Numbers = np.isin(rows.verdict, (_CORRECT, _MISSED)) | ((rows.verdict == _WRONG) & ~rows.unasked)
    return to_apply


def _by_sample(pairs: Pairs, sample: Numbers, values: Numbers) -> Numbers:
    """Values of a strategy's pairs as values of all samples."""
    return np.bincount(sample, weights=values, minlength=len(pairs.ids))


def _slower(pairs: Pairs, strategy: str) -> Numbers:
    """By how much the logarithm of each sample's latency rose; NaN where it was not measured in both runs."""
    rows = pairs.of(strategy)
    slower = np.full(len(pairs.ids), np.nan)
    slower[pairs.sample[rows]] = pairs.run[rows].latency - pairs.base[rows].latency
    return slower


def _contrasts(rates: Sequence[_Counted], intervals: Sequence[Interval | None]) -> list[Contrast | None]:
    """The contrasts of one rate over all strategies, which share a correction."""
    only = [(int((one.base & ~one.run).sum()), int((one.run & ~one.base).sum())) for one in rates]
    p_values = [mcnemar(*counts) for counts in only]
    tested = [place for place, one in enumerate(rates) if one.among.any()]
    corrected = dict(zip(tested, holm([p_values[place] for place in tested]), strict=True))
    found: list[Contrast | None] = [None] * len(rates)
    for place in tested:
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
