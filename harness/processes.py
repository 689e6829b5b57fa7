"""Processes: tied to their parent, found, ended, described; their command line; blocks that no limit interrupts."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import local
from time import monotonic, sleep

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER, _PR_GET_CHILD_SUBREAPER = 36, 37
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
_LEAVE_S = 5.0
"""Time for processes that were left behind to end by themselves, and again to die once they are killed."""


def end_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent ends (Linux only). A hanging process would not notice."""
    signal_when_parent_ends(parent, signal.SIGKILL)


def signal_when_parent_ends(parent: int, number: int) -> None:
    """Have the kernel send this process a signal when its parent ends (Linux only)."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, number)
        if os.getppid() != parent:
            os._exit(1)


def become_subreaper(*, on: bool = True) -> None:
    """Adopt descendants whose parent ends, instead of the system's first process (Linux only)."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0)


def _is_subreaper() -> bool:
    found = ctypes.c_int()
    return _LIBC is not None and _LIBC.prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(found)) == 0 and bool(found.value)


def children() -> dict[int, list[int]]:
    """Process id -> ids of its children, zombies included; empty where there is no /proc."""
    found: dict[int, list[int]] = {}
    with suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdecimal():
                with suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
                    # The name of the program, in parentheses, may contain anything.
                    parent = int(file.read().rpartition(b")")[2].split()[1])
                    found.setdefault(parent, []).append(int(name))
    return found


def descendants(process: int) -> list[int]:
    """Ids of all processes below one, zombies included; empty where there is no /proc."""
    below, found = children(), []
    waiting = list(below.get(process, ()))
    while waiting:
        one = waiting.pop()
        found.append(one)
        waiting += below.get(one, ())
    return found


def cpu_ns(processes: Iterable[int]) -> int:
    """CPU time of all threads of these processes, in nanoseconds. Ended processes count 0. Always 0 but on Linux."""
    total = 0
    for process in processes if sys.platform == "linux" else ():
        with suppress(OSError):
            # The clock of a process, as clock_getcpuclockid() of the C library makes it.
            total += time.clock_gettime_ns((~process << 3) | 2)
    return total


def kill_processes(processes: Iterable[int]) -> None:
    """Send SIGKILL to each process that still exists and may be killed."""
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)


@contextmanager
def nothing_left_behind() -> Iterator[None]:
    """After the block, end every process that its ended children have left behind (Linux only).

    This process adopts orphans in the block. Children from before the block, and all they start, are left alone.
    """
    if _LIBC is None:
        yield
        return
    me, was_subreaper = os.getpid(), _is_subreaper()
    known = set(children().get(me, ()))
    become_subreaper()
    try:
        yield
    finally:
        start = monotonic()
        while monotonic() - start < 2 * _LEAVE_S:
            left = [child for child in children().get(me, ()) if child not in known]
            # A keeper ends by itself and ends its own children: give it time first.
            if monotonic() - start > _LEAVE_S:
                kill_processes(one for child in left for one in (child, *descendants(child)))
            for child in left:
                with suppress(ChildProcessError):
                    os.waitpid(child, os.WNOHANG)
            if not left:
                break
            sleep(0.005)
        become_subreaper(on=was_subreaper)


def exit_text(exitcode: int | None) -> str:
    """The name of the signal that ended a process, or its exit code in words."""
    if exitcode is not None and exitcode < 0:
        with suppress(ValueError):
            return signal.Signals(-exitcode).name
    return f"exit code {exitcode}"


# Blocks that the time limit of a call must not interrupt: a process or an open file would be left behind.
#
# Blocking the limit's signal is not enough. In a process with several threads another thread takes the signal instead,
# and Python then calls the handler in the main thread all the same.


class _Depth(local):
    depth = 0


_uninterrupted = _Depth()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let no time limit interrupt this thread in the block. A limit that passes meanwhile takes effect after it."""
    _uninterrupted.depth += 1
    try:
        yield
    finally:
        _uninterrupted.depth -= 1


def can_be_interrupted() -> bool:
    """True if this thread is in no such block."""
    return _uninterrupted.depth == 0


# The command line that other processes see of this one. During a run it shows nothing of the run.

_TITLE = b"editgauge"
_ARG_START, _ARG_END = 45, 46
"""Places of the addresses in /proc/self/stat, behind the name of the program."""


@contextmanager
def hidden_arguments() -> Iterator[None]:
    """Show `editgauge` without arguments as the command line of this process and of its forks (Linux only).

    A strategy in a process of its own could read the corpus's name there, and look the right answers up.
    """
    start, size = _arguments()
    written = ctypes.string_at(start, size) if size else b""
    _write(start, _TITLE[: max(0, size - 1)].ljust(size, b"\0"))
    try:
        yield
    finally:
        _write(start, written)


def _arguments() -> tuple[int, int]:
    """Address and size of the arguments in this process's memory; 0 and 0 where they are not known."""
    try:
        # The name of the program, in parentheses, may contain anything.
        fields = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
        start, end = int(fields[_ARG_START]), int(fields[_ARG_END])
    except (OSError, ValueError, IndexError):
        return 0, 0
    return (start, end - start) if 0 < start < end else (0, 0)


def _write(start: int, data: bytes) -> None:
    if data:
        ctypes.memmove(start, data, len(data))
