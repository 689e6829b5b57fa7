"""Where a worker is: shared with its supervisor, which reads there what call to blame."""

from __future__ import annotations

from collections.abc import MutableSequence
from enum import IntEnum
from time import monotonic_ns

Position = MutableSequence[int]
"""Sample number, strategy index, start (monotonic ns; 0 where no strategy is at work), `Phase`."""


class Phase(IntEnum):
    """What a strategy is asked for."""

    CALL = 0
    """The answer to a sample, which is scored."""
    START = 1
    """To start what it needs, with an answer that is not scored."""
    REPEAT = 2
    """An answer again, to be compared and timed."""


def begin(position: Position, index: int, phase: Phase) -> None:
    """Say that a strategy is asked from now on."""
    # The time comes last: a supervisor that reads in between sees nobody at work.
    position[2] = 0
    position[1], position[3], position[2] = index, phase, monotonic_ns()


def end(position: Position) -> None:
    """Say that no strategy is at work."""
    position[2] = 0
