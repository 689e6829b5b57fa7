"""Work in a forked process that may be killed at any moment: how the process ended, and what the work returned."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import NoReturn

from harness.processes import end_with_parent, exit_text

_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class ChildResult:
    """How a process ended."""

    answer: str
    """What the work returned, or type and text of what it raised; empty if the process ended before."""
    how: str
    """`exit code 0`, or the name of a signal."""

    @property
    def is_killed(self) -> bool:
        return self.how == "SIGKILL"


def run_forked(
    work: Callable[[], str], *, while_running: Callable[[int], object] | None = None, timeout_s: float = _TIMEOUT_S
) -> ChildResult:
    """Do the work in a forked process; when this returns, that process and all that it forked have ended.

    What it prints is discarded. `while_running` is called with its process id while it runs. `how` is `SIGALRM` if
    the process was ended because it took too long.
    """
    ours, theirs = os.pipe()
    parent, child = os.getpid(), os.fork()
    if not child:
        os.close(ours)
        end_with_parent(parent)
        _run_child(work, theirs)
    os.close(theirs)
    try:
        if while_running:
            while_running(child)
        answer = _read_all(ours, timeout_s)
    finally:
        os.close(ours)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if answer is None:
        return ChildResult("", "SIGALRM")
    return ChildResult(answer.decode("utf-8", "replace"), exit_text(os.waitstatus_to_exitcode(status)))


def _read_all(pipe: int, timeout_s: float) -> bytes | None:
    """Everything written until the other end is closed; None if that takes too long."""
    pieces: list[bytes] = []
    until = monotonic() + timeout_s
    while select.select([pipe], [], [], max(0.0, until - monotonic()))[0]:
        piece = os.read(pipe, 1 << 16)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
    return None


def _run_child(work: Callable[[], str], pipe: int) -> NoReturn:
    """Do the work in the child process, send its result, and exit."""
    os.setpgid(0, 0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    sys.stdout = sys.stderr = os.fdopen(nowhere, "w")
    write, leave = os.write, os._exit
    try:
        answer = work()
    except BaseException as error:
        answer = f"{type(error).__name__}: {error}"
    write(pipe, answer.encode("utf-8", "replace"))
    leave(0)
