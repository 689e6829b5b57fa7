"""Operations that are put under faults, and work in a forked process, which may be killed at any moment."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import NoReturn, Protocol

from harness.processes import end_with_parent, exit_text

_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class ChildResult:
    answer: str
    """The value that the work returned, or type and text of its exception; empty if the process ended before."""
    how: str
    """`exit code 0`, or the name of a signal."""

    @property
    def is_killed(self) -> bool:
        return self.how == "SIGKILL"


def run_forked(work: Callable[[], str], *, timeout_s: float = _TIMEOUT_S) -> ChildResult:
    """Do the work in a forked process. When this returns, that process and all its forks have ended.

    Its output is discarded. `how` is `SIGALRM` if the process took too long and was ended.
    """
    ours, theirs = os.pipe()
    parent, child = os.getpid(), os.fork()
    if not child:
        os.close(ours)
        end_with_parent(parent)
        _run_child(work, theirs)
    os.close(theirs)
    try:
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
    """Everything written before the other end is closed; None if that takes too long."""
    pieces: list[bytes] = []
    until = monotonic() + timeout_s
    while select.select([pipe], [], [], max(0.0, until - monotonic()))[0]:
        piece = os.read(pipe, 1 << 16)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
    return None


def _run_child(work: Callable[[], str], pipe: int) -> NoReturn:
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


@dataclass(frozen=True, slots=True)
class FaultOutcome:
    """An injected fault, and how the process ended."""

    call: str
    """The call that failed, such as `os.rename`."""
    kind: str
    """How it failed, such as `EIO`."""
    ended: ChildResult


class Operation(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def max_faults(self) -> int:
        """The number of its calls at which faults are injected, evenly spread if it makes more calls."""

    def set_up(self, folder: Path) -> None:
        """Create the initial state in an empty folder, which is copied for every try."""

    def prepare(self, folder: Path) -> Callable[[], str]:
        """Do everything before the operation, without faults; return the operation, which returns its report."""

    def state(self, folder: Path) -> object:
        """The relevant state of the folder, for comparison with `==`."""

    def violation(self, folder: Path, outcome: FaultOutcome, old: object, new: object) -> str | None:
        """One line on what does not hold after a fault; None if everything does.

        `old` and `new` are the states before the operation and after an operation without faults.
        """
