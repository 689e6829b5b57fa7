"""Which processes live, for the tests of what ends them."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

import psutil


def is_alive(pid: int) -> bool:
    """Whether there is such a process, and it has not ended."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def offspring() -> set[psutil.Process]:
    """All descendants of this process, but for those of a database server that other tests may run."""
    found = set()
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if child.name() != "postgres":
                found.add(child)
    return found


def eventually(condition: Callable[[], object]) -> None:
    """Wait for something that is bound to happen."""
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.01)
