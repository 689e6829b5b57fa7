"""Ends of processes: tie one to its parent, and describe an exit code."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def end_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent ends (Linux only). A hanging process would not notice."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def exit_text(exitcode: int | None) -> str:
    """The name of the signal that ended a process, or its exit code in words."""
    if exitcode is not None and exitcode < 0:
        with suppress(ValueError):
            return signal.Signals(-exitcode).name
    return f"exit code {exitcode}"
