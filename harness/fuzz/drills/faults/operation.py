"""What can be put under faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from harness.fuzz.drills.faults.child import Ended


@dataclass(frozen=True, slots=True)
class Struck:
    """A call that failed, and what became of the process."""

    call: str
    """As `os.rename`."""
    kind: str
    """As `EIO`."""
    ended: Ended


class Operation(Protocol):
    """Something that writes files."""

    @property
    def name(self) -> str: ...

    @property
    def most(self) -> int:
        """At how many of its calls a fault is tried; evenly spread where it makes more."""

    def lay(self, folder: Path) -> None:
        """Make what it begins with, in an empty folder; which is copied for every try."""

    def ready(self, folder: Path) -> Callable[[], str]:
        """Do what comes before it, without faults; the operation itself, which answers with what it says."""

    def state(self, folder: Path) -> object:
        """What is on the disk, as far as it matters."""

    def flaw(self, folder: Path, struck: Struck, old: object, new: object) -> str | None:
        """What does not hold, of the states before and after a try that nothing befell."""
