"""A keeper: the parent of a command's process. It ends everything that the command started, and bounds its stderr.

    worker ── keeper ── command ── its children

On Linux the keeper is a subreaper: every process that the command starts stays among the keeper's descendants, even a
daemon in a session of its own, and no other process is among them. When the command ends, when SIGTERM arrives or
when the worker ends, the keeper kills its descendants and then ends as the command did. On other systems only the
command's own process group is killed.
"""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from time import monotonic
from typing import NoReturn

from harness.processes import become_subreaper, descendants, kill_processes, signal_when_parent_ends

KEPT_BYTES = 1 << 20
"""The most bytes that are kept of the start of stderr, and of its end."""
LAST_BYTES = 4000
"""The bytes at the end of stderr that are searched for the cause of a failure."""
_CHUNK = 1 << 16
_END_S = 5.0
"""How long descendants are killed, and how long a keeper may take to end."""
_NOTE = re.compile(rb"\n\[editgauge: (\d+) bytes left out\]\n")


def start_kept(
    command: Sequence[str], environment: Mapping[str, str], *, log: int, last: int, kept_bytes: int = KEPT_BYTES
) -> subprocess.Popen[bytes]:
    """Start a command below a keeper, with pipes for stdin and stdout. The process id is the keeper's.

    The first and the last bytes of stderr go to the file descriptor `log`, its very end also to `last`. Raises
    OSError if the command cannot be started.
    """
    owner = os.getpid()
    errors, theirs = os.pipe()
    try:
        return subprocess.Popen(
            command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=theirs, env=environment,
            start_new_session=True, preexec_fn=lambda: _divide(owner, errors, log, last, kept_bytes),
        )  # fmt: skip
    finally:
        os.close(errors)
        os.close(theirs)


def end_kept(popen: subprocess.Popen[bytes]) -> None:
    """End a command and everything it started, and wait for that."""
    if popen.poll() is None:
        popen.send_signal(signal.SIGTERM)
        try:
            popen.wait(2 * _END_S)
        except subprocess.TimeoutExpired:
            popen.kill()
            popen.wait()


def _divide(owner: int, errors: int, log: int, last: int, kept_bytes: int) -> None:
    """Fork the process that becomes the command. This process stays as its keeper."""
    keeper = os.getpid()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    become_subreaper()
    command = os.fork()
    if command == 0:
        # A session of its own: signals that it sends to its group do not reach the keeper.
        os.setsid()
        signal_when_parent_ends(keeper, signal.SIGKILL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return
    try:
        signal_when_parent_ends(owner, signal.SIGTERM)
        _close_all_but(errors, log, last)
        _Keeper(command, errors, BoundedLog(log, last, kept_bytes)).keep()
    finally:
        kill_processes([command])
        os._exit(1)


def _close_all_but(*kept: int) -> None:
    """Close every other descriptor: only the command may hold its ends of the pipes."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    start = 3
    for descriptor in sorted(kept):
        os.closerange(start, descriptor)
        start = descriptor + 1
    os.closerange(start, os.sysconf("SC_OPEN_MAX"))


class _Keeper:
    def __init__(self, command: int, errors: int, log: BoundedLog) -> None:
        self._command, self._errors, self._log = command, errors, log
        self._status: int | None = None
        self._is_asked_to_end = False
        os.set_blocking(errors, False)
        self._wakeup, wake = os.pipe()
        os.set_blocking(self._wakeup, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, self._end)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD, signal.SIGTERM])

    def _end(self, *_: object) -> None:
        self._is_asked_to_end = True

    def keep(self) -> NoReturn:
        """Copy stderr until the command ends or must end, kill what is left, and end as the command did."""
        poll = select.poll()
        poll.register(self._wakeup, select.POLLIN)
        poll.register(self._errors, select.POLLIN)
        self._reap()
        while self._status is None and not self._is_asked_to_end:
            for descriptor, _ in poll.poll():
                if descriptor == self._wakeup:
                    with suppress(BlockingIOError):
                        os.read(self._wakeup, _CHUNK)
                elif not self._copy():
                    poll.unregister(self._errors)
            self._reap()
        self._kill_all()
        for _ in range(KEPT_BYTES // _CHUNK):
            if not self._copy():
                break
        with suppress(OSError):
            self._log.close()
        _end_like(self._status)

    def _copy(self) -> bool:
        """Copy what is on stderr now; return True if there may be more."""
        try:
            data = os.read(self._errors, _CHUNK)
        except BlockingIOError:
            return False
        # A full disk must not end the command.
        with suppress(OSError):
            self._log.add(data)
        return bool(data)

    def _reap(self) -> None:
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                if pid == self._command:
                    self._status = status

    def _kill_all(self) -> None:
        until = monotonic() + _END_S
        if self._status is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._command, signal.SIGKILL)
        while monotonic() < until:
            left = descendants(os.getpid())
            kill_processes(left)
            self._reap()
            if not left and self._status is not None:
                return
            select.select([], [], [], 0.001)


def _end_like(status: int | None) -> NoReturn:
    """End with the exit code or signal of the command."""
    if status is not None and os.WIFSIGNALED(status):
        import resource

        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
        os.kill(os.getpid(), number)
    os._exit(1 if status is None else os.waitstatus_to_exitcode(status))


class BoundedLog:
    """A file that keeps the first and the last bytes written to it, with a note on the bytes between."""

    def __init__(self, log: int, last: int, kept_bytes: int) -> None:
        """`log` is empty, or was written by an earlier BoundedLog."""
        self._log, self._last, self._kept = log, last, kept_bytes
        self._size = os.fstat(log).st_size
        self._tail, self._end, self._n_left_out = b"", b"", 0
        self._is_changed = False
        if self._size > kept_bytes:
            tail = os.pread(log, self._size - kept_bytes, kept_bytes)
            if note := _NOTE.match(tail):
                self._n_left_out = int(note[1])
                tail = tail[note.end() :]
            self._tail = tail

    def add(self, data: bytes) -> None:
        self._end = (self._end + data)[-LAST_BYTES:]
        os.pwrite(self._last, self._end, 0)
        room = max(self._kept - self._size, 0)
        if room:
            self._size += os.pwrite(self._log, data[:room], self._size)
        self._tail += data[room:]
        self._is_changed = self._is_changed or len(data) > room
        if len(self._tail) > 2 * self._kept:
            self._drop()

    def _drop(self) -> None:
        n_more = max(len(self._tail) - self._kept, 0)
        self._tail = self._tail[n_more:]
        self._n_left_out += n_more

    def close(self) -> None:
        """Write the last bytes, and the note if bytes were left out."""
        if self._is_changed:
            self._drop()
            note = b"\n[editgauge: %d bytes left out]\n" % self._n_left_out if self._n_left_out else b""
            os.ftruncate(self._log, self._kept)
            os.pwrite(self._log, note + self._tail, self._kept)
