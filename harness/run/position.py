"""Where a worker is: shared with its supervisor, which reads there what call to blame."""

from __future__ import annotations

from collections.abc import MutableSequence
from time import monotonic_ns

Position = MutableSequence[int]
"""Sample number, strategy index, start of the call (monotonic ns; 0 between calls)."""


def begin_call(position: Position, index: int) -> None:
    """Say that the call of a strategy begins now."""
    position[1], position[2] = index, monotonic_ns()
