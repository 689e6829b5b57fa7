"""The latency of a call: without clock overhead, garbage collection or scoring.

Each call is made five times: once for its result, which also warms up caches, and four times to be timed, of
which the shortest counts because it is the least disturbed. A slow call is not repeated. The document's tables
are dropped before every call, so that no strategy pays for, or profits from, tables that another one built.
Percentiles are taken over samples. The garbage collector is off while a worker runs a task (`harness.run.pool`).
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from math import inf
from time import monotonic, perf_counter_ns
from types import FrameType
from typing import NamedTuple

N_TIMED = 4
_LONGEST_REPEATED_NS = 2_000_000
_TICK_S = 0.05
"""Interval at which the time limit is checked."""

CAN_INTERRUPT = hasattr(signal, "setitimer")


class TimedOut(BaseException):
    """The call hit its time limit. Not an Exception, so that a strategy which catches those cannot swallow it."""


class Timed(NamedTuple):
    """The value of a call, and how long it took."""

    value: object
    """The return value, or the exception that was raised."""
    raised: bool
    latency_ns: int
    """Of one call, clock overhead subtracted."""
    total_ns: int
    """Of all calls together."""


class Stopwatch:
    """Times calls on the main thread of a process, and interrupts those over their time limit. Use it in `with`."""

    def __init__(self) -> None:
        self._overhead_ns = clock_overhead_ns()
        self._deadline = inf

    def __enter__(self) -> Stopwatch:
        if CAN_INTERRUPT:
            signal.signal(signal.SIGALRM, self._tick)
            signal.setitimer(signal.ITIMER_REAL, _TICK_S, _TICK_S)
        return self

    def __exit__(self, *_: object) -> None:
        if CAN_INTERRUPT:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def _tick(self, signum: int, frame: FrameType | None) -> None:
        del signum, frame
        if monotonic() > self._deadline:
            self._deadline = inf
            raise TimedOut

    def time(self, call: Callable[[], object], *, prepare: Callable[[], object], timeout_s: float) -> Timed:
        """The call's value, or the exception it raised, and its latency; `prepare` is called before each call.

        After `timeout_s` seconds, TimedOut is raised inside the call.
        """
        total_ns, shortest_ns = 0, _LONGEST_REPEATED_NS
        start = perf_counter_ns()
        try:
            prepare()
            self._deadline = monotonic() + timeout_s
            start = perf_counter_ns()
            value = call()
            total_ns = taken = perf_counter_ns() - start
            if taken >= _LONGEST_REPEATED_NS:
                shortest_ns = taken
            else:
                for _ in range(N_TIMED):
                    prepare()
                    start = perf_counter_ns()
                    call()
                    taken = perf_counter_ns() - start
                    total_ns += taken
                    if taken < shortest_ns:
                        shortest_ns = taken
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return Timed(error, True, 0, total_ns + perf_counter_ns() - start)
        finally:
            self._deadline = inf
        return Timed(value, False, max(shortest_ns - self._overhead_ns, 0), total_ns)


def clock_overhead_ns(n: int = 1000) -> int:
    """The cost of reading the clock twice, in nanoseconds: the median of `n` readings."""
    readings = []
    for _ in range(n):
        start = perf_counter_ns()
        readings.append(perf_counter_ns() - start)
    return sorted(readings)[n // 2]
