"""How much longer a strategy takes in a run than in the baseline, the machines' speeds aside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reports.compare.contrasts import Numbers, Ratio
from reports.compare.pairs import Pairs
from reports.measurements.interval import Interval
from reports.measurements.latencies import computes

YARDSTICK = "replacer/simple"
"""The strategy whose latency measures the machine: other latencies are divided by it."""


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


class Slower(NamedTuple):
    """How much slower each sample is in the run."""

    logarithms: Numbers
    """(n_samples,) log(run latency / base latency); NaN where it was not measured in both runs."""
    relative: bool
    """As in `LatencyRatio`."""

    @property
    def mean(self) -> Ratio:
        """The mean logarithm."""
        timed = np.isfinite(self.logarithms)
        return np.where(timed, self.logarithms, 0), timed

    def ratio(self, interval: Interval | None) -> LatencyRatio | None:
        """The ratio, given the interval of the mean; None where nothing was timed."""
        timed = self.logarithms[np.isfinite(self.logarithms)]
        if not len(timed):
            return None
        bounds = interval and (float(np.exp(interval[0])), float(np.exp(interval[1])))
        return LatencyRatio(float(np.exp(timed.mean())), bounds, len(timed), self.relative)


def slower(pairs: Pairs, strategies: Sequence[str]) -> list[Slower]:
    """How much slower each strategy is, relative to the yardstick where that is in both runs."""
    machine = _logarithms(pairs, YARDSTICK)
    has_machine = bool(np.isfinite(machine).any())
    # For samples that the yardstick does not take, the machine's mean over the others is used.
    machine = np.where(np.isfinite(machine), machine, np.nanmean(machine)) if has_machine else machine
    found = []
    for name in strategies:
        relative = has_machine and name != YARDSTICK
        own = _logarithms(pairs, name)
        found.append(Slower(own - machine if relative else own, relative))
    return found


def _logarithms(pairs: Pairs, strategy: str) -> Numbers:
    """As in `Slower`, in CPU time where the strategy only computes and both runs recorded it, else in wall time."""
    rows = pairs.of(strategy)
    in_cpu = rows["cpu_run"] - rows["cpu_base"]
    in_wall = rows["latency_run"] - rows["latency_base"]
    found = np.full(len(pairs.ids), np.nan)
    found[rows["sample"]] = in_cpu if computes(strategy) and in_cpu.notna().any() else in_wall
    return found
