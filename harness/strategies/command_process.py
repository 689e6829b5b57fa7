"""The process of a command, and its pipes: lines are written, and lines are read.

Its stderr is read at once, so writing never blocks, and a part of it is kept in a file (`keeper`).
"""

from __future__ import annotations

import errno
import os
import re
import select
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO
from weakref import finalize

from harness.processes import descendants, exit_text, uninterrupted
from harness.strategies.keeper import LAST_BYTES, end_kept, start_kept
from harness.strategies.protocol import CommandError
from reports.runs.manifest import STDERR

_CHUNK = 1 << 16
_EXIT_WAIT_S = 1.0
"""How long a process may run on after it closed its stdout."""
ANSWER_BYTES = 16 << 20
"""The most bytes of an answer; twice the request if that is more."""
_ERROR_LINE = re.compile(r"(?=\S).*(error|exception|panic)", re.IGNORECASE)
"""An unindented line that names an error. In some languages a stack trace follows it."""

# The stderr files of a run: one per strategy and worker

_run_folder: Path | None = None


def keep_stderr(folder: Path) -> None:
    """Let processes that are started from now on write their stderr into this run folder."""
    global _run_folder
    _run_folder = folder


def stderr_file(name: str) -> IO[bytes]:
    """The file for the stderr of a strategy's process; a temporary file without a run folder."""
    if _run_folder is None:
        return TemporaryFile()
    folder = _run_folder / STDERR
    folder.mkdir(exist_ok=True)
    if folder.is_symlink():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    path = folder / f"{name.replace('/', '-')}-{os.getpid()}.log"
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
    return os.fdopen(os.open(path, flags, 0o666), "r+b", buffering=0)


def drop_empty_stderr(folder: Path) -> None:
    """Delete the stderr files of a run folder that are empty."""
    if (folder / STDERR).is_symlink():
        return
    for path in (folder / STDERR).glob("*.log"):
        if not path.is_symlink() and not path.stat().st_size:
            path.unlink()
    with suppress(OSError):
        (folder / STDERR).rmdir()


class Process:
    """A process of a command below a keeper, which can end the process and everything it started."""

    at_work: Sequence[int] | None = None
    """The ids of the command's process and of its descendants, as of its first answer."""
    _unsent = memoryview(b"")
    _left: bytes = b""
    """What was read behind the last line."""

    def __init__(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.owner = os.getpid()
        # An interrupted start would leave behind a process that nobody can end, or a file that nobody closes.
        with uninterrupted():
            self._last = TemporaryFile()  # noqa: SIM115
            try:
                with stderr_file(name) as log:
                    self._popen = start_kept(
                        command, os.environ | environment, log=log.fileno(), last=self._last.fileno()
                    )
            except OSError:
                self._last.close()
                raise
            self._finalizer = finalize(self, _end, self._popen, self._last, self.owner)
        assert self._popen.stdin
        assert self._popen.stdout
        self._stdin, self._stdout = self._popen.stdin.fileno(), self._popen.stdout.fileno()
        os.set_blocking(self._stdin, False)
        self._poll = select.poll()
        self._poll.register(self._stdin, select.POLLOUT)
        self._poll.register(self._stdout, select.POLLIN)
        self._early = select.poll()
        self._early.register(self._stdout, select.POLLIN)

    def look(self) -> None:
        """Record which processes work for the command."""
        self.at_work = descendants(self._popen.pid)

    def exchange(self, request: bytes) -> bytes:
        """Send one line and return the line that answers it.

        Reading and writing follow the pipes: long lines cannot block both sides. Raises CommandError if the process
        ends, or if output is there before the line is sent.
        """
        if self._left or self._early.poll(0):
            raise self._unasked(self._left or os.read(self._stdout, _CHUNK))
        self.send(request)
        line = self.line(max(ANSWER_BYTES, 2 * len(request)))
        if self._unsent or self._left:
            raise CommandError(
                "the answer came before the end of the request" if self._unsent else "the answer is more than one line",
                "Read one line, then write one, in a loop.",
            )
        return line

    def send(self, requests: bytes) -> None:
        """Write as much as the pipe takes; `line` writes the rest."""
        self._unsent = self._write(memoryview(requests))

    def line(self, most: int, *, timeout_s: float | None = None) -> bytes:
        """The next line, of at most so many bytes. Raises CommandError if none comes, or none in time."""
        chunks, n_bytes = [self._left], len(self._left)
        limit_ms = None if timeout_s is None else timeout_s * 1000
        while b"\n" not in chunks[-1]:
            if self._unsent or limit_ms is not None:
                ready = dict((self._poll if self._unsent else self._early).poll(limit_ms))
                if not ready:
                    raise CommandError("no answer came in time", "Answer each request once it is there.")
                if self._stdin in ready and self._unsent:
                    self._unsent = self._write(self._unsent)
                if self._stdout not in ready:
                    continue
            chunk = os.read(self._stdout, _CHUNK)
            if not chunk:
                raise self._failure()
            chunks.append(chunk)
            n_bytes += len(chunk)
            if n_bytes > most and b"\n" not in chunk:
                raise CommandError(
                    f"{n_bytes:,} bytes on stdout without a line feed: an answer has at most {most:,}",
                    "End each answer with a line feed, and write nothing else to stdout.",
                )
        line, _, self._left = b"".join(chunks).partition(b"\n")
        return line

    def _unasked(self, data: bytes) -> CommandError:
        """The error for output since the last answer; empty data means that the process ended."""
        if not data:
            return self._failure()
        return CommandError(
            "an answer was there before its request was sent",
            "Write one line for each request, after you have read it, and nothing else.",
        )

    def _write(self, data: memoryview) -> memoryview:
        """Write as much as the pipe takes now; return the rest."""
        try:
            return data[os.write(self._stdin, data) :]
        except BlockingIOError:
            return data
        except BrokenPipeError:
            raise self._failure() from None

    def _failure(self) -> CommandError:
        """The error for a process that ended or closed a pipe, with the cause if stderr shows it."""
        try:
            how = f"ended with {exit_text(self._popen.wait(_EXIT_WAIT_S))}"
        except subprocess.TimeoutExpired:
            how = "closed its stdin or stdout"
        # Its keeper has read all of stderr once it has ended.
        cause = self._error_line()
        return CommandError(
            f"the command {how}{f': {cause}' if cause else ''}",
            "Start it by hand to see why. It stays alive until stdin ends, and answers `rejected` where it refuses.",
            ended=True,
        )

    def _error_line(self) -> str:
        """The last line on stderr that names an error; without one, the last line."""
        lines = os.pread(self._last.fileno(), LAST_BYTES, 0).decode("utf-8", "replace").strip().splitlines()
        errors = [line for line in lines if _ERROR_LINE.match(line)]
        return (errors or lines or [""])[-1].strip()

    def finish(self, timeout_s: float) -> str | None:
        """Close stdin; return how the process ended, or None if it was still running after the time."""
        try:
            assert self._popen.stdin
            self._popen.stdin.close()
            return exit_text(self._popen.wait(timeout_s))
        except subprocess.TimeoutExpired:
            return None
        finally:
            self.end()

    def end(self) -> None:
        # The finalizer is given up last: where this is interrupted before that begins, it still ends the process.
        _end(self._popen, self._last, self.owner)
        self._finalizer.detach()


def _end(popen: subprocess.Popen[bytes], last: IO[bytes], owner: int) -> None:
    """End a process and everything it started. In a fork of the process that started it, close the pipes only."""
    # Interrupted by the time limit of a call, it would leave a process that runs on.
    with uninterrupted():
        if os.getpid() == owner:
            end_kept(popen)
        else:
            popen.returncode = 0
        for file in (popen.stdin, popen.stdout, last):
            if file:
                file.close()
