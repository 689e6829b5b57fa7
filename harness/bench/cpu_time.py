"""The CPU time of a call at growing sizes of its input, in a process of its own, so that a hang is only told."""

from __future__ import annotations

import faulthandler
import gc
import multiprocessing
import os
import re
import resource
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from multiprocessing.connection import Connection
from pathlib import Path
from time import get_clock_info, thread_time
from typing import IO, Any

from harness.processes import end_with_parent, exit_text

BUDGET_S = 2.0
"""CPU time that one call may take."""
MEMORY = 1 << 30
"""Bytes that a process may take beyond what it began with."""

_SMALLEST, _LARGEST = 256, 1_000_000
"""The size to begin with, in the unit of the input; and characters to stop at, however short the time still is."""
_MEASURABLE_S = 0.04
"""A call that takes so long is measured, and the same at half and at a quarter of its size."""
_LEAST_S = 0.004
"""Below it, a time says nothing of its growth."""
_REPEATS, _SPENT_S = 3, 0.03
_LINE = "    value_7 = compute(item_3, 11) or default_7\n"
_TRIES = 3
"""A slope that is too steep is measured again before it is believed: others use the machine, too."""
_TICK_S = get_clock_info("thread_time").resolution
"""No time is less: a coarse clock says 0 of what is short."""
_HUNG_S = 120.0
"""Wall time after which a process is ended that waits for something."""

Call = Callable[[], object]
Make = Callable[[int], tuple[int, Call]]
"""A size in a unit of its own -> the characters of that input, and the call to be measured on it."""


@dataclass(frozen=True, slots=True)
class Point:
    """What was measured at a size."""

    size: int
    """Characters."""
    seconds: float
    """CPU time, the least of several."""
    yardstick: float
    """That of something linear on as many characters: splitting them into lines, and trimming those."""


def slope(points: Sequence[Point]) -> float | None:
    """The growth exponent: the least-squares slope of log time over log size; None for times too short to say.

    Less by what the yardstick has too much: of larger inputs less fits into the caches, whatever the program.
    """
    if points[-1].seconds < _LEAST_S:
        return None
    sizes = [log(point.size) for point in points]
    excess = _fitted(sizes, [log(point.yardstick) for point in points]) - 1
    return _fitted(sizes, [log(point.seconds) for point in points]) - max(excess, 0)


def _fitted(sizes: Sequence[float], times: Sequence[float]) -> float:
    middle = sum(sizes) / len(sizes)
    spread = sum((size - middle) ** 2 for size in sizes)
    return sum((size - middle) * time for size, time in zip(sizes, times, strict=True)) / spread


def measure_in_process(make: Make, most: float) -> list[Point] | str:
    """The three largest sizes measured, again if their slope is over `most`; or in one line how the process ended."""
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    ours, theirs = context.Pipe(duplex=False)
    with tempfile.TemporaryFile("w+") as stack:
        process = context.Process(target=_work, args=(theirs, stack.fileno(), make, most, os.getpid()), daemon=True)
        process.start()
        theirs.close()
        try:
            answer: list[Point] | str = ours.recv() if ours.poll(_HUNG_S) else f"no answer within {_HUNG_S:g} s"
        except EOFError:
            process.join()
            stack.seek(0)
            answer = _told(exit_text(process.exitcode), stack)
        finally:
            process.kill()
            process.join()
            ours.close()
    return answer


def _told(how: str, stack: IO[str]) -> str:
    frame = re.search(r'File "(.+)", line (\d+) in (\w+)', stack.read())
    where = f" in {frame[3]} ({Path(frame[1]).name}:{frame[2]})" if frame else ""
    return f"over {BUDGET_S:g} s of CPU time{where}" if how == "SIGPROF" else f"the process ended with {how}"


# In the process


def _work(answers: Connection, stack: int, make: Make, most: float, parent: int) -> None:
    end_with_parent(parent)
    gc.disable()
    # The stack is told by C code, whatever the interpreter is busy with; then the signal ends the process.
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    faulthandler.register(signal.SIGPROF, file=stack, chain=True)
    used = (
        int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() if sys.platform == "linux" else 0
    )
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.RLIM_INFINITY))
    answer: list[Point] | str
    try:
        answer = _measured(make, most)
    except MemoryError:
        answer = f"over {MEMORY >> 20} MB of memory"
    except Exception as error:
        answer = f"raised {type(error).__name__}: {error}"[:200]
    answers.send(answer)


def _measured(make: Make, most: float) -> list[Point]:
    n = _largest(make)
    sizes = (n // 4, n // 2, n)
    points = [_point(make, size) for size in sizes]
    for _ in range(_TRIES):
        if (slope(points) or 0) <= most:
            break
        again = [_point(make, size) for size in sizes]
        points = [
            Point(one.size, min(one.seconds, other.seconds), min(one.yardstick, other.yardstick))
            for one, other in zip(points, again, strict=True)
        ]
    return points


def _largest(make: Make) -> int:
    """The size at which a call takes long enough to be measured, or which is large enough."""
    n = _SMALLEST
    while True:
        size, call = make(n)
        seconds = _seconds(call)
        grown = n * (4 if seconds < _MEASURABLE_S / 16 and size < _LARGEST / 4 else 2)
        if seconds >= _MEASURABLE_S or size * grown > _LARGEST * n:
            return n
        n = grown


def _point(make: Make, n: int) -> Point:
    size, call = make(n)
    text = (_LINE * (size // len(_LINE) + 1))[:size]
    return Point(size, _least(call), _least(lambda: [line.strip() for line in text.split("\n")]))


def _least(call: Call) -> float:
    """The least time of several: of so many more as they are shorter, since others use the machine, too."""
    times = [_seconds(call)]
    while len(times) < _REPEATS or (sum(times) < _SPENT_S and len(times) < 10 * _REPEATS):
        times.append(_seconds(call))
    return min(times)


def _seconds(call: Call) -> float:
    signal.setitimer(signal.ITIMER_PROF, BUDGET_S)
    start = thread_time()
    call()
    taken = thread_time() - start
    signal.setitimer(signal.ITIMER_PROF, 0)
    return max(taken, _TICK_S)
