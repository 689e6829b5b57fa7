"""How a process ends: with its parent, and in which words it is told."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def end_with_parent(parent: int) -> None:
    """Have this process killed as soon as its parent ends, where the system can (Linux): a hang would never notice."""
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
