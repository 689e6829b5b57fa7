"""The protocol of operations that the drills put under faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from harness.fuzz.drills.faults.child import ChildResult


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
