"""Drill: each file-system call of an operation fails once in every way, and the process is killed at each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from harness.fuzz.drills.drill import Drill, DrillSettings, Trial
from harness.fuzz.drills.faults.commands import operations as all_operations
from harness.fuzz.drills.faults.operation import (
    ChildResult,
    FaultOutcome,
    Operation,
    Tried,
    ordinal,
    round_robin,
    run_forked,
)
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
    with scratch() as folder:
        running = [_trials(one, folder / str(n), settings.seed) for n, one in enumerate(operations)]
        yield from round_robin(running, settings)


def _trials(operation: Operation, folder: Path, seed: int) -> Iterator[Trial]:
    clean = Shim(str(folder / "tried"), _NEVER)
    tried = Tried(operation, folder, lambda tried: _try_once(tried, clean))
    yield Trial(operation.name, "nothing fails", tried.without_fault, {"calls": clean.n_calls})
    stride = -(-clean.n_calls // operation.max_faults)
    for first in range(1, _MAX_CALLS, stride):
        n_reached = 0
        for index, kind in enumerate(KINDS):
            n = first + (seed + index) % stride
            if n <= clean.n_calls and not clean.can_fail(n, kind):
                continue
            shim, ended = _try(tried, Fault(kind, n))
            if shim.n_calls < n:
                continue
            n_reached += 1
            outcome = FaultOutcome(shim.name(n), kind, ended)
            what = f"{ordinal(n)} call, {outcome.call}, {kind}"
            yield Trial(operation.name, what, tried.violation(outcome), {"stride": stride})
        if not n_reached:
            return
    yield Trial(operation.name, f"{_MAX_CALLS} calls", "it never ends")


def _try(tried: Tried, fault: Fault) -> tuple[Shim, ChildResult]:
    """Try with a fault, and again after a timeout: a busy machine must not count as a failure."""
    for _ in range(2):
        shim = Shim(str(tried.folder), fault)
        ended = _try_once(tried, shim)
        if ended.how != "SIGALRM":
            break
    return shim, ended


def _try_once(tried: Tried, shim: Shim) -> ChildResult:
    tried.fresh()

    def work() -> str:
        operation = tried.operation.prepare(tried.folder)
        shim.install()
        return operation()

    return run_forked(work)


FAULTS = Drill(
    "faults",
    "Each file-system call fails once in every way, or the process is killed: files are old or new, reports are true.",
    faults,
    frozenset({"seed", "program"}),
)
