"""Output through Rich."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def pipe_may_close() -> Iterator[None]:
    """Wrap printing with Rich, which exits when the reader closes the pipe: raise BrokenPipeError instead."""
    try:
        yield
    except SystemExit:
        raise BrokenPipeError from None
