"""Work in a forked process, which may be killed at any moment: how it ended, and what it answered."""

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

_ENOUGH_S = 60.0


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended."""

    answer: str
    """Of the work, or the type and text of what it raised; empty where it did not come to that."""
    how: str
    """`exit code 0`, or the name of a signal."""

    @property
    def is_killed(self) -> bool:
        return self.how == "SIGKILL"


def forked(
    work: Callable[[], str], *, beside: Callable[[int], object] | None = None, timeout_s: float = _ENOUGH_S
) -> Ended:
    """Do the work in a process of its own; it and all that it forked are gone when this returns.

    What it prints is thrown away. `beside` is called meanwhile, with its process id. A process that takes too
    long has ended with `SIGALRM`.
    """
    ours, theirs = os.pipe()
    parent, child = os.getpid(), os.fork()
    if not child:
        os.close(ours)
        end_with_parent(parent)
        _live(work, theirs)
    os.close(theirs)
    try:
        if beside:
            beside(child)
        answer = _everything(ours, timeout_s)
    finally:
        os.close(ours)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if answer is None:
        return Ended("", "SIGALRM")
    return Ended(answer.decode("utf-8", "replace"), exit_text(os.waitstatus_to_exitcode(status)))


def _everything(pipe: int, timeout_s: float) -> bytes | None:
    """What is written until nobody holds the other end any more; None where that takes too long."""
    pieces: list[bytes] = []
    until = monotonic() + timeout_s
    while select.select([pipe], [], [], max(0.0, until - monotonic()))[0]:
        piece = os.read(pipe, 1 << 16)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
    return None


def _live(work: Callable[[], str], pipe: int) -> NoReturn:
    """All that the child does."""
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
