"""The drill in which every call to the file system fails once, in every way, and the process is killed at each."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import monotonic

from harness.fuzz.drills.drill import Drill, Orders, Trial
from harness.fuzz.drills.faults.child import Ended, forked
from harness.fuzz.drills.faults.operation import Operation, Struck
from harness.fuzz.drills.faults.operations import OPERATIONS
from harness.fuzz.drills.faults.shim import KINDS, Fault, Shim
from harness.fuzz.engine.scratch import scratch

_NEVER = Fault("", 0)
_MOST = 50_000
"""Calls after which an operation is held never to end."""


def faults(orders: Orders, operations: Iterable[Operation] = tuple(OPERATIONS.values())) -> Iterator[Trial]:
    """Each operation, under each fault at each call, until a try that the fault did not reach; in turn."""
    with scratch() as folder:
        fields = [_Field(operation, folder / str(n)) for n, operation in enumerate(operations)]
        yield from in_turn([field.trials(orders.seed) for field in fields], orders)


def in_turn(running: list[Iterator[Trial]], orders: Orders) -> Iterator[Trial]:
    """A trial of each, again and again, until all are done or as it was ordered."""
    until = None if orders.seconds is None else monotonic() + orders.seconds
    n_left = orders.runs
    while running and n_left != 0 and (until is None or monotonic() < until):
        trials = running.pop(0)
        trial = next(trials, None)
        if trial is not None:
            running.append(trials)
            n_left = None if n_left is None else n_left - 1
            yield trial


class _Field:
    """A folder in which an operation is tried, again and again."""

    def __init__(self, operation: Operation, folder: Path) -> None:
        self._operation, self._folder = operation, folder
        self._laid, self._tried = folder / "laid", folder / "tried"

    def trials(self, seed: int) -> Iterator[Trial]:
        self._laid.mkdir(parents=True)
        self._operation.lay(self._laid)
        self._fresh()
        forked(self._only_ready)
        self._old = self._operation.state(self._tried)
        clean, ended = self._try(_NEVER)
        self._new = self._operation.state(self._tried)
        name, n_calls = self._operation.name, clean.n_calls
        flaw = self._operation.flaw(self._tried, Struck("", "", ended), self._old, self._new)
        yield Trial(name, "nothing fails", flaw, {"calls": n_calls})
        stride = -(-n_calls // self._operation.most)
        for first in range(1, _MOST, stride):
            n_reached = 0
            for index, kind in enumerate(KINDS):
                n = first + (seed + index) % stride
                if n <= n_calls and not clean.fits(n, kind):
                    continue
                shim, ended = self._try(Fault(kind, n))
                if shim.n_calls < n:
                    continue
                n_reached += 1
                struck = Struck(shim.name(n), kind, ended)
                flaw = self._operation.flaw(self._tried, struck, self._old, self._new)
                yield Trial(name, f"{ordinal(n)} call, {struck.call}, {kind}", flaw, {"stride": stride})
            if not n_reached:
                return
        yield Trial(name, f"{_MOST} calls", "it never comes to an end")

    def _only_ready(self) -> str:
        self._operation.ready(self._tried)
        return ""

    def _fresh(self) -> None:
        shutil.rmtree(self._tried, ignore_errors=True)
        shutil.copytree(self._laid, self._tried)

    def _try(self, fault: Fault) -> tuple[Shim, Ended]:
        """What became of it; once more where it took too long, since a busy machine is no finding."""
        shim, ended = self._tried_once(fault)
        return self._tried_once(fault) if ended.how == "SIGALRM" else (shim, ended)

    def _tried_once(self, fault: Fault) -> tuple[Shim, Ended]:
        self._fresh()
        shim = Shim(str(self._tried), fault)

        def work() -> str:
            operation = self._operation.ready(self._tried)
            shim.put_on()
            return operation()

        return shim, forked(work)


def ordinal(n: int) -> str:
    """1st, 2nd, 3rd, 4th."""
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


FAULTS = Drill(
    "faults",
    "Each call to the file system fails once in every way, or the process is killed at it: old or new, and no lie.",
    faults,
)
