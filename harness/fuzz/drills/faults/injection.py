"""Drill: each file-system call of an operation fails once in every way, and the process is killed at each."""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import monotonic

from harness.fuzz.drills.drill import Drill, DrillSettings, Trial
from harness.fuzz.drills.faults.commands import operations as all_operations
from harness.fuzz.drills.faults.operation import ChildResult, FaultOutcome, Operation, run_forked
from harness.fuzz.drills.faults.shim import KINDS, Fault, Shim
from harness.scratch import scratch

_NEVER = Fault("", 0)
_MAX_CALLS = 50_000
"""An operation with more calls is reported as endless."""


def faults(settings: DrillSettings, operations: Iterable[Operation] | None = None) -> Iterator[Trial]:
    """Try each operation with each fault at each call, until a try makes fewer calls. Operations take turns.

    Raises ValueError if `operations` is None and the settings name no program.
    """
    if operations is None:
        if settings.program is None:
            raise ValueError("the settings name no program whose commands could be run")
        operations = all_operations(settings.program).values()
    until, n_left = settings.deadline(), settings.runs
    with scratch() as folder:
        running = deque(_trials(one, folder / str(n), settings.seed) for n, one in enumerate(operations))
        while running and n_left != 0 and monotonic() < until:
            if trial := next(running[0], None):
                running.rotate(-1)
                n_left = None if n_left is None else n_left - 1
                yield trial
            else:
                running.popleft()


def _trials(operation: Operation, folder: Path, seed: int) -> Iterator[Trial]:
    """The operation without a fault, and then with each fault at each call, every time in the same folder."""
    laid, tried = folder / "laid", folder / "tried"
    laid.mkdir(parents=True)
    operation.set_up(laid)
    clean = Shim(str(tried), _NEVER)
    _try_once(operation, laid, tried, None)
    old = operation.state(tried)
    ended = _try_once(operation, laid, tried, clean)
    new = operation.state(tried)
    without_fault = operation.violation(tried, FaultOutcome("", "", ended), old, new)
    yield Trial(operation.name, "nothing fails", without_fault, {"calls": clean.n_calls})
    stride = -(-clean.n_calls // operation.max_faults)
    for first in range(1, _MAX_CALLS, stride):
        n_reached = 0
        for index, kind in enumerate(KINDS):
            n = first + (seed + index) % stride
            if n <= clean.n_calls and not clean.can_fail(n, kind):
                continue
            for _ in range(2):  # Again after a timeout: a busy machine must not count as a failure.
                shim = Shim(str(tried), Fault(kind, n))
                ended = _try_once(operation, laid, tried, shim)
                if ended.how != "SIGALRM":
                    break
            if shim.n_calls < n:
                continue
            n_reached += 1
            outcome = FaultOutcome(shim.name(n), kind, ended)
            broken = operation.violation(tried, outcome, old, new)
            yield Trial(operation.name, f"{ordinal(n)} call, {outcome.call}, {kind}", broken, {"stride": stride})
        if not n_reached:
            return
    yield Trial(operation.name, f"{_MAX_CALLS} calls", "it never ends")


def _try_once(operation: Operation, laid: Path, tried: Path, shim: Shim | None) -> ChildResult:
    """Do the operation on a copy of its initial state; without a shim, only prepare it."""
    shutil.rmtree(tried, ignore_errors=True)
    shutil.copytree(laid, tried)

    def work() -> str:
        prepared = operation.prepare(tried)
        if shim is None:
            return ""
        shim.install()
        return prepared()

    return run_forked(work)


def ordinal(n: int) -> str:
    """1st, 2nd, 3rd, 4th."""
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


FAULTS = Drill(
    "faults",
    "Each file-system call fails once in every way, or the process is killed: files are old or new, reports are true.",
    faults,
    frozenset({"seed", "program"}),
)
