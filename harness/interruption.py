"""Blocks that the time limit of a call must not interrupt: a process or an open file would be left behind.

Blocking the limit's signal is not enough. In a process with several threads another thread takes the signal instead,
and Python then calls the handler in the main thread all the same.
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
    """Let no time limit interrupt this thread in the block. A limit that passes meanwhile takes effect after the
    block.
    """
    _uninterrupted.depth += 1
    try:
        yield
    finally:
        _uninterrupted.depth -= 1


def can_be_interrupted() -> bool:
    """True if this thread is in no such block."""
    return _uninterrupted.depth == 0
