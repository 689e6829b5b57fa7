"""Where a worker is: shared with its supervisor, which reads there what call to blame."""

from __future__ import annotations

from collections.abc import MutableSequence

Position = MutableSequence[int]
"""Sample number, strategy index, start of the call (monotonic ns; 0 between calls)."""


def nothing() -> None:
    """Does nothing: used where no document has tables to forget."""
