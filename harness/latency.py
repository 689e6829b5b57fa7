"""The timing of a call: what it takes by itself, without the clock, the collector or the scoring.

Each call is made five times: once for its result, which also warms caches up, and four times to be timed, of
which the shortest counts, being the least disturbed; a slow call is not repeated. Every time is cold in what
a strategy could keep: the document's tables are dropped before, so that no strategy pays for, or profits
from, what another one built. Percentiles are taken over samples. The collector is off while a worker runs a
shard (see `harness.pool`).
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from math import inf
from time import monotonic, perf_counter_ns
from types import FrameType
from typing import NamedTuple

N_TIMED = 4
_LONGEST_REPEATED_NS = 10_000_000
_TICK_S = 0.05
"""How often a call is asked whether it has overstayed."""

CAN_INTERRUPT = hasattr(signal, "setitimer")


class TimedOut(BaseException):
    """The call hit its time limit. No Exception, so that a strategy that catches those cannot swallow it."""


class Timed(NamedTuple):
    """What a call came to, and how long it took."""

    value: object
    """What it returned, or the exception it raised."""
    raised: bool
    latency_ns: int
    """Of one call, clock overhead subtracted."""
    total_ns: int
    """Of all calls together."""


class Stopwatch:
    """Times calls on the main thread of a process, and interrupts those that overstay."""

    def __init__(self) -> None:
        self._overhead_ns = clock_overhead_ns()
        self._deadline = inf
        if CAN_INTERRUPT:
            signal.signal(signal.SIGALRM, self._tick)
            signal.setitimer(signal.ITIMER_REAL, _TICK_S, _TICK_S)

    def _tick(self, signum: int, frame: FrameType | None) -> None:
        del signum, frame
        if monotonic() > self._deadline:
            self._deadline = inf
            raise TimedOut

    def time(self, call: Callable[[], object], *, prepare: Callable[[], object], timeout_s: float) -> Timed:
        """The call's value, or what it raised, and its latency; `prepare` is called before each call.

        After `timeout_s` seconds, TimedOut is raised inside the call.
        """
        prepare()
        first = self._once(call, timeout_s)
        latency_ns = total_ns = first.total_ns
        if not first.raised and latency_ns < _LONGEST_REPEATED_NS:
            latency_ns = _LONGEST_REPEATED_NS
            for _ in range(N_TIMED):
                prepare()
                again = self._once(call, timeout_s).total_ns
                total_ns += again
                latency_ns = min(latency_ns, again)
        return Timed(first.value, first.raised, max(latency_ns - self._overhead_ns, 0), total_ns)

    def _once(self, call: Callable[[], object], timeout_s: float) -> Timed:
        self._deadline = monotonic() + timeout_s
        start = perf_counter_ns()
        try:
            value, raised = call(), False
            taken = perf_counter_ns() - start
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            value, raised, taken = error, True, perf_counter_ns() - start
        self._deadline = inf
        return Timed(value, raised, taken, taken)


def clock_overhead_ns(n: int = 1000) -> int:
    """What reading the clock twice costs, the median of many; in nanoseconds."""
    readings = []
    for _ in range(n):
        start = perf_counter_ns()
        readings.append(perf_counter_ns() - start)
    return sorted(readings)[n // 2]
