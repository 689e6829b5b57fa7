"""The operations that are put under faults, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from harness.fuzz.drills.drill import Program
from harness.fuzz.drills.faults.commands import commands
from harness.fuzz.drills.faults.edits import EDITS
from harness.fuzz.drills.faults.operation import Operation


def operations(program: Program) -> Mapping[str, Operation]:
    """Name -> operation: the edits, and the commands of a program that write folders.

    Adding an edit is adding a line to `EDITS`; adding a command, one to `commands`.
    """
    found: tuple[Operation, ...] = (*EDITS, *commands(program))
    return MappingProxyType({one.name: one for one in found})
