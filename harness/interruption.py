"""What the time limit of a call must not interrupt: it would leave behind a process that nobody ends, or an open file.

To block the limit's signal is not enough. In a process with other threads one of them takes the signal instead, and
Python calls the handler in the main thread all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import local


class _Depth(local):
    depth = 0


_uninterrupted = _Depth()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """In the block, no time limit interrupts this thread; one that passes meanwhile does so after it."""
    _uninterrupted.depth += 1
    try:
        yield
    finally:
        _uninterrupted.depth -= 1


def can_be_interrupted() -> bool:
    """Whether this thread is in no such block."""
    return _uninterrupted.depth == 0
