"""CPU time of calls: the best of several, and its growth with the size of the input.

Everything in `bench` and in the drill `growth` is measured here. CPU time is that of the calling thread. Reading the
clock takes about 0.3 us, so shorter calls look longer than they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from time import get_clock_info, thread_time
from typing import Any, TypeVar

Result = TypeVar("Result")
TimedCall = Callable[[], object]

_TICK_S = get_clock_info("thread_time").resolution
"""The shortest time: a coarse clock returns 0 for short calls."""
_MAX_ROUNDS = 10
"""The most rounds, as a multiple of the least number of rounds."""


def timed(call: Callable[[], Result]) -> tuple[Result, float]:
    start = thread_time()
    result = call()
    return result, max(thread_time() - start, _TICK_S)


def best_of(
    calls: Sequence[TimedCall], *, rounds: int = 3, total_s: float = 0.0, after: Callable[[Any], object] | None = None
) -> list[float]:
    """The least CPU time of each call, in seconds, over several rounds in which the calls take turns.

    Rounds are added, up to ten times as many, until they have taken `total_s`. `after` gets each result; its time
    does not count.
    """
    times: list[list[float]] = []
    while len(times) < rounds or (sum(map(sum, times)) < total_s and len(times) < _MAX_ROUNDS * rounds):
        times.append([])
        for call in calls:
            result, seconds = timed(call)
            times[-1].append(seconds)
            if after:
                after(result)
    return [min(seconds) for seconds in zip(*times, strict=True)]


def growth_exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """The least-squares slope of log time over log size: 1 is linear, 2 quadratic."""
    xs, ys = [log(size) for size in sizes], [log(time) for time in times]
    mean = sum(xs) / len(xs)
    return sum((x - mean) * y for x, y in zip(xs, ys, strict=True)) / sum((x - mean) ** 2 for x in xs)


@dataclass(frozen=True, slots=True)
class Measurement:
    name: str
    size: str
    """The size of the input, with its unit."""
    seconds: float
    """CPU time at that size, the best of several."""
    exponent: float
    """The growth exponent from that size to twice the size."""


def measure_doubling(name: str, size: str, calls: tuple[TimedCall, TimedCall], *, rounds: int) -> Measurement:
    once, twice = best_of(calls, rounds=rounds)
    return Measurement(name, size, once, growth_exponent((1, 2), (once, twice)))
