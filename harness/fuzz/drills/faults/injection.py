"""Drill: each file-system call of an operation fails once in every way, and the process is killed at each."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import monotonic

from harness.fuzz.drills.drill import Drill, DrillSettings, Trial
from harness.fuzz.drills.faults.child import ChildResult, run_forked
from harness.fuzz.drills.faults.operation import FaultOutcome, Operation
from harness.fuzz.drills.faults.operations import operations as all_operations
from harness.fuzz.drills.faults.shim import KINDS, Fault, Shim
from harness.fuzz.engine.scratch import scratch

_NEVER = Fault("", 0)
_MAX_CALLS = 50_000
"""An operation with more calls is reported as endless."""


def faults(settings: DrillSettings, operations: Iterable[Operation] | None = None) -> Iterator[Trial]:
    """Try each operation with each fault at each call, until a try makes fewer calls; operations take turns.

    Raises ValueError if `operations` is None and the settings name no program.
    """
    if operations is None:
        if settings.program is None:
            raise ValueError("the settings name no program whose commands could be run")
        operations = all_operations(settings.program).values()
    with scratch() as folder:
        faulted = [_FaultedOperation(operation, folder / str(n)) for n, operation in enumerate(operations)]
        yield from round_robin([one.trials(settings.seed) for one in faulted], settings)


def round_robin(running: list[Iterator[Trial]], settings: DrillSettings) -> Iterator[Trial]:
    """One trial of each iterator in turn, until all are done or a limit of the settings is reached."""
    until = None if settings.seconds is None else monotonic() + settings.seconds
    n_left = settings.runs
    while running and n_left != 0 and (until is None or monotonic() < until):
        trials = running.pop(0)
        trial = next(trials, None)
        if trial is not None:
            running.append(trials)
            n_left = None if n_left is None else n_left - 1
            yield trial


class _FaultedOperation:
    """An operation, and the folder in which it is tried with one fault after the other."""

    def __init__(self, operation: Operation, folder: Path) -> None:
        self._operation, self._folder = operation, folder
        self._initial, self._tried = folder / "laid", folder / "tried"

    def trials(self, seed: int) -> Iterator[Trial]:
        self._initial.mkdir(parents=True)
        self._operation.set_up(self._initial)
        self._fresh()
        run_forked(self._only_prepare)
        self._old = self._operation.state(self._tried)
        clean, ended = self._try(_NEVER)
        self._new = self._operation.state(self._tried)
        name, n_calls = self._operation.name, clean.n_calls
        violation = self._operation.violation(self._tried, FaultOutcome("", "", ended), self._old, self._new)
        yield Trial(name, "nothing fails", violation, {"calls": n_calls})
        stride = -(-n_calls // self._operation.max_faults)
        for first in range(1, _MAX_CALLS, stride):
            n_reached = 0
            for index, kind in enumerate(KINDS):
                n = first + (seed + index) % stride
                if n <= n_calls and not clean.can_fail(n, kind):
                    continue
                shim, ended = self._try(Fault(kind, n))
                if shim.n_calls < n:
                    continue
                n_reached += 1
                outcome = FaultOutcome(shim.name(n), kind, ended)
                violation = self._operation.violation(self._tried, outcome, self._old, self._new)
                yield Trial(name, f"{ordinal(n)} call, {outcome.call}, {kind}", violation, {"stride": stride})
            if not n_reached:
                return
        yield Trial(name, f"{_MAX_CALLS} calls", "it never ends")

    def _only_prepare(self) -> str:
        self._operation.prepare(self._tried)
        return ""

    def _fresh(self) -> None:
        shutil.rmtree(self._tried, ignore_errors=True)
        shutil.copytree(self._initial, self._tried)

    def _try(self, fault: Fault) -> tuple[Shim, ChildResult]:
        """Try once with a fault; once more after a timeout, because a busy machine must not count as a failure."""
        shim, ended = self._try_once(fault)
        return self._try_once(fault) if ended.how == "SIGALRM" else (shim, ended)

    def _try_once(self, fault: Fault) -> tuple[Shim, ChildResult]:
        self._fresh()
        shim = Shim(str(self._tried), fault)

        def work() -> str:
            operation = self._operation.prepare(self._tried)
            shim.install()
            return operation()

        return shim, run_forked(work)


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
