"""The latency of a call: without clock overhead, garbage collection or scoring; in wall time and in CPU time.

The document's tables are dropped before every call, so that no strategy pays for, or profits from, tables that
another one built. The garbage collector is off while a worker runs a job (`harness.run.pool`). Which calls are
repeated, and when, is in `harness.run.repeats`.
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
from harness.interruption import can_be_interrupted
from harness.strategies.external import start_limit_s
from harness.strategies.strategy import Strategy

# Where a worker is: shared with its supervisor, which reads there what call to blame.

Position = MutableSequence[int]
"""Sample number, strategy index, start (monotonic ns; 0 where no strategy is at work), `Phase`."""


class Phase(IntEnum):
    """What a strategy is asked for."""

    CALL = 0
    """The answer to a sample, which is scored."""
    START = 1
    """To start what it needs, with an answer that is not scored."""
    REPEAT = 2
    """An answer again, to be compared and timed."""


def begin(position: Position, index: int, phase: Phase) -> None:
    """Say that a strategy is asked from now on."""
    # The time comes last: a supervisor that reads in between sees nobody at work.
    position[2] = 0
    position[1], position[3], position[2] = index, phase, monotonic_ns()


def end(position: Position) -> None:
    """Say that no strategy is at work."""
    position[2] = 0


_TICK_S = 0.05
"""Interval at which the time limit is checked."""

CAN_INTERRUPT = hasattr(signal, "setitimer")


def nothing(*_: object) -> None:
    """Does nothing, where nothing is to be done before a call."""


class TimedOut(BaseException):
    """The call hit its time limit. Not an Exception, so that a strategy which catches those cannot swallow it."""


class Timed(NamedTuple):
    """The value of a call, and how long it took."""

    value: object
    """The return value, or the exception that was raised."""
    raised: bool
    latency_ns: int
    """Wall time, clock overhead subtracted; 0 where it raised."""
    cpu_ns: int
    """CPU time, likewise: of the processes that work for the call, or else of this thread."""
    total_ns: int
    """Wall time as measured, until it returned or raised."""


class Stopwatch:
    """Times calls on the main thread of a process, and interrupts those over their time limit. Use it in `with`."""

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
        self,
        strategy: Strategy,
        sample: Sample,
        document: Document | None,
        *,
        timeout_s: float,
        begin: Callable[[Phase], object] = nothing,
        phase: Phase = Phase.CALL,
    ) -> Timed:
        """The call of a strategy, timed after what it needs has been started; `begin` is called before each of both."""
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
        """The call's value, or the exception it raised, and its latency; `prepare` is called before it.

        After `timeout_s` seconds, TimedOut is raised inside the call, where it can be interrupted. `elsewhere` is the
        CPU time so far, in nanoseconds, of the processes that work for it.
        """
        start = perf_counter_ns()
        try:
            prepare()
            before = elsewhere() if elsewhere else 0
            self._deadline = monotonic() + timeout_s
            cpu_start = thread_time_ns()
            start = perf_counter_ns()
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
    """The cost of reading the clocks around a call, in wall time and in CPU time: the medians of `n` readings."""
    walls, cpus = [], []
    for _ in range(n):
        cpu_start = thread_time_ns()
        start = perf_counter_ns()
        walls.append(perf_counter_ns() - start)
        cpus.append(thread_time_ns() - cpu_start)
    return sorted(walls)[n // 2], sorted(cpus)[n // 2]
