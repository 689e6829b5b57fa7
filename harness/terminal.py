"""Text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def pipe_may_close() -> Iterator[None]:
    """Where Rich prints: its answer to a pipe that was closed is to exit; ours is another."""
    try:
        yield
    except SystemExit:
        raise BrokenPipeError from None
