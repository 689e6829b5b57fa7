"""What is put under faults, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from harness.fuzz.drills.faults.commands import COMMANDS
from harness.fuzz.drills.faults.edits import EDITS
from harness.fuzz.drills.faults.operation import Operation

OPERATIONS: Mapping[str, Operation] = MappingProxyType({one.name: one for one in (*EDITS, *COMMANDS)})
"""Name -> operation. Adding an edit is adding a line to `EDITS`, and a command one to `COMMANDS`."""
