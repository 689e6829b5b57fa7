"""The latency of a call, in wall time and CPU time, without clock overhead, garbage collection and scoring.

The document's tables are dropped before every call: no strategy pays for the tables of another or profits from them.
The garbage collector is off while a worker runs a job (`harness.run.pool`). `harness.run.repeats` decides which calls
are repeated.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, MutableSequence
from enum import IntEnum
from math import inf
from time import monotonic, monotonic_ns, perf_counter_ns, thread_time_ns
from types import FrameType
from typing import NamedTuple

from corpora.sample import Sample
from editcore.text.document import Document
from harness.processes import can_be_interrupted
from harness.strategies.external import start_limit_s
from harness.strategies.strategy import Strategy

Position = MutableSequence[int]
"""The state of a worker, which its supervisor reads to know which call to blame.

Sample number, strategy index, start time (monotonic nanoseconds; 0 while no strategy runs), `Phase`.
"""


class Phase(IntEnum):
    CALL = 0
    """A call whose answer is scored."""
    START = 1
    """The start of the process that the strategy needs."""
    REPEAT = 2
    """A repeated call, which is compared and timed."""


def begin(position: Position, index: int, phase: Phase) -> None:
    """Record that a strategy runs from now on."""
    # The time comes last: a supervisor that reads in between sees nobody at work.
    position[2] = 0
    position[1], position[3], position[2] = index, phase, monotonic_ns()


def end(position: Position) -> None:
    """Record that no strategy runs."""
    position[2] = 0


_TICK_S = 0.05
"""Interval at which the time limit is checked."""

CAN_INTERRUPT = hasattr(signal, "setitimer")


def nothing(*_: object) -> None:
    """Do nothing."""


class TimedOut(BaseException):
    """The call hit its time limit. Not an Exception, because a strategy may catch all of those."""


class Timed(NamedTuple):
    """The result of a call, and the time that it took."""

    value: object
    raised: bool
    latency_ns: int
    """Wall time without clock overhead; 0 if the call raised."""
    cpu_ns: int
    """CPU time without clock overhead: of the processes that work for the call, if any, else of this thread."""
    total_ns: int
    """Wall time until the call returned or raised."""


class Stopwatch:
    """Times calls on a process's main thread, and interrupts those that exceed their time limit. Use it in `with`."""

    def __init__(self) -> None:
        self._overhead_ns, self._cpu_overhead_ns = clock_overheads_ns()
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
        if monotonic() > self._deadline and can_be_interrupted():
            self._deadline = inf
            raise TimedOut

    def call(
        self, strategy: Strategy, sample: Sample, document: Document | None, *, timeout_s: float,
        begin: Callable[[Phase], object] = nothing, phase: Phase = Phase.CALL,
    ) -> Timed:  # fmt: skip
        """Start what the strategy needs, then time its call on the sample; `begin` is called before each of both."""
        if strategy.start:
            begin(Phase.START)
            # If starting fails, so will the call below, which reports it.
            self.time(strategy.start, timeout_s=start_limit_s())
        begin(phase)
        forget = document.forget if document is not None else nothing
        call = strategy.call(sample, document)
        return self.time(call, prepare=forget, timeout_s=timeout_s, elsewhere=strategy.cpu_ns)

    def time(
        self, call: Callable[[], object], *, timeout_s: float, prepare: Callable[[], object] = nothing,
        elsewhere: Callable[[], int] | None = None,
    ) -> Timed:  # fmt: skip
        """Call `prepare`, then time `call`: its value or exception, and its latency.

        After `timeout_s` seconds, TimedOut is raised inside the call, if signals can interrupt it. `elsewhere`
        returns the CPU time so far, in nanoseconds, of the processes that work for the call.
        """
        start = perf_counter_ns()
        try:
            prepare()
            before = elsewhere() if elsewhere else 0
            self._deadline = monotonic() + timeout_s
            cpu_start = thread_time_ns()
            start = perf_counter_ns()  # Again: preparing does not count.
            value = call()
            taken = perf_counter_ns() - start
            cpu = thread_time_ns() - cpu_start
            self._deadline = inf
            if elsewhere:
                cpu = self._cpu_overhead_ns + max(0, elsewhere() - before)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return Timed(error, True, 0, 0, perf_counter_ns() - start)
        finally:
            self._deadline = inf
        return Timed(value, False, max(taken - self._overhead_ns, 0), max(cpu - self._cpu_overhead_ns, 0), taken)


def clock_overheads_ns(n: int = 1000) -> tuple[int, int]:
    """The cost of reading the clocks around a call, in wall time and CPU time: the medians of `n` readings."""
    walls, cpus = [], []
    for _ in range(n):
        cpu_start = thread_time_ns()
        start = perf_counter_ns()
        walls.append(perf_counter_ns() - start)
        cpus.append(thread_time_ns() - cpu_start)
    return sorted(walls)[n // 2], sorted(cpus)[n // 2]
