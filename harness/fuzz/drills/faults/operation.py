"""Operations that the drills put under faults, and what each try of one begins with."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Protocol

from harness.fuzz.drills.drill import DrillSettings, Trial
from harness.fuzz.drills.faults.child import ChildResult, run_forked


@dataclass(frozen=True, slots=True)
class FaultOutcome:
    """An injected fault, and how the process ended."""

    call: str
    """The call that failed, such as `os.rename`."""
    kind: str
    """How it failed, such as `EIO`."""
    ended: ChildResult


class Operation(Protocol):
    """An operation that writes files."""

    @property
    def name(self) -> str: ...

    @property
    def max_faults(self) -> int:
        """The number of its calls at which faults are injected; evenly spread if it makes more calls."""

    def set_up(self, folder: Path) -> None:
        """Create the initial state in an empty folder, which is copied for every try."""

    def prepare(self, folder: Path) -> Callable[[], str]:
        """Do what precedes the operation, without faults; return the operation, which returns what it reports."""

    def state(self, folder: Path) -> object:
        """The relevant state of the folder, to be compared with `==`."""

    def violation(self, folder: Path, outcome: FaultOutcome, old: object, new: object) -> str | None:
        """What does not hold after a fault; None if all does.

        `old` and `new` are the states before the operation and after one without faults.
        """


class Tried:
    """An operation, and the folder in which it is tried with one fault after the other.

    `run` does the operation without a fault, after `fresh` has made the folder as it was before.
    """

    def __init__(self, operation: Operation, folder: Path, run: Callable[[Tried], ChildResult]) -> None:
        self.operation, self._initial, self.folder = operation, folder / "laid", folder / "tried"
        self._initial.mkdir(parents=True)
        operation.set_up(self._initial)
        self.fresh()
        run_forked(self._only_prepare)
        self._old = operation.state(self.folder)
        ended = run(self)
        self._new = operation.state(self.folder)
        self.without_fault = self.violation(FaultOutcome("", "", ended))

    def fresh(self) -> None:
        """Make the folder as it was before the operation."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self._initial, self.folder)

    def violation(self, outcome: FaultOutcome) -> str | None:
        """What does not hold in the folder after a fault; None if all does."""
        return self.operation.violation(self.folder, outcome, self._old, self._new)

    def _only_prepare(self) -> str:
        self.operation.prepare(self.folder)
        return ""


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


def ordinal(n: int) -> str:
    """1st, 2nd, 3rd, 4th."""
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"
