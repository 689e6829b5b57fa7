"""The latency gate: is a strategy slower tonight than the noise between nights explains?

A machine is never as fast as on the night before. Without a change of code, the ratio of two nights' latencies varies
by some per cent for strategies that only compute, and by much more for programs in processes of their own. The
variation differs between machines, so it is measured on the history itself. Every night has a *level* for each
strategy: the mean logarithm of its latency over the timed subset of the samples, minus the same of the yardstick,
which cancels the machine's speed. Tonight's level is compared with the mean of the baseline and the first nights
after it. The noise is the spread of nights around the mean of the nights with the same baseline:

    level                                       x  tonight: above what noise explains (one night in a hundred)
      |- - - - - - - - - - - - - - - - - - -        and above the tolerance: slow
      |   o       o      o
      | o    o  o    o       o   <- the mean of at most ten nights from the baseline on
      +------------------------------------ nights

Two slow nights in a row fail the gate. A single slow night was noise, and counts like any other from then on. Two
slow nights, and all slow ones after them, never count: otherwise a lasting slowdown would become normal.

What is timed: strategies that only compute have a level in CPU time. Strategies that wait for processes or the disk
have two levels: one in wall time, which the load of the machine blurs, and one in CPU time, which excludes waiting.
Either can be slow. A processor that has waited is slow at first. Therefore the CPU time of a strategy that waits is
taken from its first calls, made on one sample after the other, and compared with the first calls of the yardstick.

What every change must keep: unchanged code fails on at most one night in ten thousand, if nights are independent; the
nights that a night is judged by never move later, so small increases add up until they are seen; the wall time of
strategies that wait is judged from the fifth night on, when its noise is known.

Two runs that are compared by hand are two nights: the noise is what is assumed before any night is known, and one slow
run is enough, for there is no second one. Without the yardstick in both, the CPU times of first calls are compared as
they are, with the noise that is assumed for wall time: a program of several times the CPU time is slower all the same.

What does not work: the interval of the ratio between two runs. It is about the precision of that ratio and ignores
the variation from run to run: it failed two nights of three in unchanged code, for a program in a process of its own.
Wall time of processes varies by more than half from night to night, their CPU time by a tenth.

To add a level, add it to `levels` under a name of its own, and its spread before any night to `_Noise.prior`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist, fmean
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from reports.measurements.interval import student
from reports.measurements.measurement import computes
from reports.runs.columns import codes_of, numbers_of
from reports.runs.rows import Repeated
from reports.runs.run_folder import RunFolder

YARDSTICK = "replacer/simple"
"""The strategy that measures the machine: other latencies are divided by its latency."""

# The levels of nights

MOST_NIGHTS = 60
"""Number of earlier nights that are read, besides the baseline."""
_REFERENCE_NIGHTS = 10
"""Number of nights, from the baseline on, that later ones are compared with. More would let small increases hide."""
WAITING_NIGHTS = 5
"""Number of earlier nights that strategies which wait for processes or the disk need to be judged."""
_ALPHA = 0.01
"""Probability that noise alone makes a night slow; a gate fails on two slow nights in a row."""
_Z = NormalDist().inv_cdf(1 - _ALPHA)
_PRIOR_SPREAD, _PRIOR_SPREAD_WAITING, _PRIOR_SPREAD_WALL = 0.06, 0.08, 0.25
"""Standard deviation of levels before any night is known, measured under load: of strategies that only compute, and of
the others in CPU time and in wall time."""
_PRIOR_NIGHTS = 5
"""Weight of the assumed spread, in nights."""

_IN_CPU = " in CPU time of first calls"
"""Suffix, in `Levels`, of the CPU time level of a strategy that waits."""
_UNSCALED = " in CPU time, whatever the machine"
"""Suffix, in `Levels`, of a CPU time that is not divided by the yardstick's."""

Levels = Mapping[str, float]
"""Strategy -> level: a difference of natural logarithms."""


def strategy_of(level: str) -> str:
    """The strategy of a level's name."""
    return level.removesuffix(_IN_CPU).removesuffix(_UNSCALED)


@dataclass(frozen=True, slots=True)
class NightLevels:
    """The levels of one night."""

    baseline: str
    """The night it is compared with; its own name for the first night."""
    levels: Levels


@dataclass(frozen=True, slots=True)
class NightlyLatency:
    """Tonight's latency of one strategy, against the nights from the baseline on."""

    strategy: str
    ratio: float
    """Tonight's latency / the geometric mean of theirs."""
    noise: float
    """The ratio that noise exceeds on one night in a hundred."""
    n_nights: int
    """Number of nights it is compared with: the baseline and later nights that were not slow, at most ten."""
    was_slow: bool
    """True if the night before was slow too."""
    in_cpu: bool = False
    """True if the ratio is about CPU time: of a strategy that waits, or without a yardstick."""
    of_runs: bool = False
    """True if two runs are compared by hand: there is no second night to wait for."""

    @property
    def is_judged(self) -> bool:
        """True if there are enough nights: five, for the wall time of strategies that wait for processes or disks."""
        return computes(self.strategy) or self.in_cpu or self.n_nights >= WAITING_NIGHTS

    def is_slow(self, tolerance: float) -> bool:
        """True if the increase exceeds the noise and the tolerance, a share."""
        return self.is_judged and self.ratio > max(1 + tolerance, self.noise)

    def fails(self, tolerance: float) -> bool:
        """True if it is slow on a second night in a row, or in a run that is compared by hand."""
        return (self.was_slow or self.of_runs) and self.is_slow(tolerance)


def levels(run: RunFolder) -> dict[str, float]:
    """The levels of a run's strategies; empty without the yardstick, or where CPU times were not recorded.

    Strategies that only compute are measured in CPU time of the timed subset, all others in wall time of the timed
    subset and in CPU time of first calls.
    """
    columns = ("latency_ns", "cpu_ns", "first_cpu_ns", "n_timed")
    table, calls = _calls(run, "repeated", *columns)
    if YARDSTICK not in calls.names:
        return {}
    wall, cpu, first, n_timed = (_logarithms(table[name]) for name in columns)
    why, names = codes_of(table["repeated"])
    is_drawn = np.array([name != Repeated.SLOW for name in names])[why]
    repeated = np.isfinite(cpu) & np.isfinite(wall) & (n_timed > math.log(1)) & is_drawn
    once = np.isfinite(first)
    found: dict[str, float | None] = {}
    for name in filter(None, calls.names):
        if name == YARDSTICK:
            continue
        if computes(name):
            found[name] = calls.level(name, cpu, repeated)
        else:
            found[name], found[name + _IN_CPU] = calls.level(name, wall, repeated), calls.level(name, first, once)
    return {name: level for name, level in found.items() if level is not None}


def _unscaled_levels(run: RunFolder) -> dict[str, float]:
    """The mean logarithm of the CPU time of first calls, by strategy."""
    table, calls = _calls(run, "first_cpu_ns")
    first = _logarithms(table["first_cpu_ns"])
    known = {name: first[(calls.strategies == n) & np.isfinite(first)] for n, name in enumerate(calls.names) if name}
    return {f"{name}{_UNSCALED}": float(times.mean()) for name, times in known.items() if len(times)}


def _calls(run: RunFolder, *columns: str) -> tuple[pa.Table, _Calls]:
    table = run.table("outcomes", "sample_id", "strategy", *columns)
    return table, _Calls(codes_of(table["sample_id"])[0], *codes_of(table["strategy"]))


class _Calls(NamedTuple):
    """The samples and strategies of a run's outcomes, as (n,) codes."""

    samples: npt.NDArray[np.integer[Any]]
    strategies: npt.NDArray[np.integer[Any]]
    names: list[str | None]

    def level(self, name: str, clock: npt.NDArray[np.float64], taken: npt.NDArray[np.bool_]) -> float | None:
        """The mean logarithm of a strategy's times minus the yardstick's on the same samples; None without such
        samples.
        """
        own = taken & (self.strategies == self.names.index(YARDSTICK))
        mine = taken & (self.strategies == self.names.index(name))
        if not own.any() or not mine.any():
            return None
        machine = np.full(int(self.samples.max()) + 1, np.nan)
        machine[self.samples[own]] = clock[own]
        there = machine[self.samples[mine]]
        # For samples that the yardstick does not take, its mean over the others is used.
        return float((clock[mine] - np.where(np.isfinite(there), there, np.nanmean(machine))).mean())


def _logarithms(column: object) -> npt.NDArray[np.float64]:
    """(n,) the natural logarithms of integers, at least 1; NaN where absent."""
    values, present = numbers_of(column.combine_chunks())  # type: ignore[attr-defined]
    return np.where(present, np.log(np.maximum(values, 1)), np.nan)


def latencies_of_runs(base: RunFolder, run: RunFolder, tolerance: float) -> list[NightlyLatency]:
    """The latencies of a run against one baseline, by strategy; only of CPU time unless both have the yardstick."""
    before, after = levels(base), levels(run)
    if not before or not after:
        before, after = _unscaled_levels(base), _unscaled_levels(run)
    there = {name: level for name, level in after.items() if name in before}
    nights = [NightLevels("", before), NightLevels("", there)]
    return [replace(one, of_runs=True) for one in nightly_latencies(nights, tolerance)]


def nightly_latencies(nights: Sequence[NightLevels], tolerance: float) -> list[NightlyLatency]:
    """Tonight's latencies, by strategy; `nights` are in order of time, the last is tonight.

    Two slow nights in a row, and the slow ones after them, are not compared with; a single slow night was noise, and
    is.
    """
    found = []
    for strategy in nights[-1].levels:
        mine = [(night.baseline, night.levels[strategy]) for night in nights if strategy in night.levels]
        judged = _judged(strategy, mine, tolerance)
        if judged:
            found.append(judged)
    return found


def _judged(strategy: str, nights: Sequence[tuple[str, float]], tolerance: float) -> NightlyLatency | None:
    """The judgement on the last of these (baseline, level) nights; None if it is the first with its baseline."""
    groups: dict[str, list[float]] = {}
    noise = _Noise.prior(strategy)
    judged = None
    alone: list[float] = []
    was_slow = False
    for baseline, level in nights:
        group = groups.setdefault(baseline, [])
        judged = None
        if group:
            known = group[:_REFERENCE_NIGHTS]
            judged = NightlyLatency(
                strategy_of(strategy), math.exp(level - fmean(known)), noise.ratio(len(known)), len(known),
                was_slow, strategy.endswith((_IN_CPU, _UNSCALED)),
            )  # fmt: skip
        if judged is not None and judged.is_slow(tolerance):
            alone = [] if was_slow else [level]
            was_slow = True
            continue
        for usual in (*alone, level):
            noise.add(usual, group)
            group.append(usual)
        alone, was_slow = [], False
    return judged


@dataclass(slots=True)
class _Noise:
    """The variation of levels around the mean of their group."""

    squares: float
    freedom: int

    @classmethod
    def prior(cls, level: str) -> _Noise:
        """The noise that is assumed before any night."""
        if computes(level) and not level.endswith(_UNSCALED):
            return cls(_PRIOR_NIGHTS * _PRIOR_SPREAD**2, _PRIOR_NIGHTS)
        spread = _PRIOR_SPREAD_WAITING if level.endswith(_IN_CPU) else _PRIOR_SPREAD_WALL
        return cls(_PRIOR_NIGHTS * spread**2, _PRIOR_NIGHTS)

    def add(self, level: float, group: Sequence[float]) -> None:
        """Count a night that joins a group."""
        if group:
            self.squares += (level - fmean(group)) ** 2 * len(group) / (len(group) + 1)
            self.freedom += 1

    def ratio(self, n: int) -> float:
        """The ratio to the mean of n nights that a night exceeds with the probability `_ALPHA`."""
        spread = math.sqrt(self.squares / self.freedom)
        return math.exp(min(student(self.freedom, z=_Z) * spread * math.sqrt(1 + 1 / n), 700))
