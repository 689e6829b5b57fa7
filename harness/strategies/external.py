"""A strategy in another process, which speaks JSON lines over pipes (docs/protocol.md).

    cmd:NAME=COMMAND                    the strategy `cmd/NAME`, for samples with edits
    cmd:NAME[FORMAT,FORMAT]=COMMAND     for samples of these formats
    cmd:NAME[once=60]=COMMAND           called once for each sample, with a time limit of so many seconds

The first sample starts the process as a child of the worker, and later samples reuse it. After a failure the process
is killed with everything that it started, and the next sample starts another (`keeper`). Its stderr is read at once,
so writing never blocks, and a part of it is kept in a file.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import select
import shlex
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any
from weakref import finalize

from corpora.sample import Format, Sample
from editcore.errors import UsageError
from editcore.quoting import quoted
from editcore.text.document import Document
from harness.processes import cpu_ns, descendants, exit_text, uninterrupted
from harness.strategies.command_spec import FORMATS, parts_of, version_of
from harness.strategies.keeper import LAST_BYTES, end_kept, start_kept
from harness.strategies.protocol import CommandError, parse_answer, request_line
from harness.strategies.strategy import Strategy, example_sample
from reports.runs.manifest import STDERR

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


SPEC = "cmd:"
_CHUNK = 1 << 16
_STARTS = 3
"""The number of processes of a command that may end before they answer the example; then the command is given up."""
_EXIT_WAIT_S = 1.0
"""How long a process may run on after it closed its stdout."""
ANSWER_BYTES = 16 << 20
"""The most bytes of an answer; twice the request if that is more."""
_ERROR_LINE = re.compile(r"(?=\S).*(error|exception|panic)", re.IGNORECASE)
"""An unindented line that names an error. In some languages a stack trace follows it."""


def command_strategy(spec: str, *, tiers: tuple[str, ...] = ()) -> Strategy:
    """The strategy `cmd/NAME` for `cmd:NAME=COMMAND`. Its version is a hash of the files in the command line.

    Its requests name `tiers`, if there are any. Raises UsageError if the spec is malformed or the program cannot be
    found.
    """
    name, formats, once_s, words = parts_of(spec)
    return external_strategy(
        f"cmd/{name}", words, formats=formats, version=version_of(words), written=spec, once_s=once_s, tiers=tiers
    )


def parse_command(text: str) -> tuple[Command, Sequence[Format]]:
    """The command of a spec or a plain command line, and its formats. Raises UsageError as `command_strategy` does."""
    name, formats, _, words = parts_of(text if text.startswith(SPEC) else f"{SPEC}command={text}")
    return Command(name, words), formats


def external_strategy(
    name: str, command: Sequence[str], *, formats: Iterable[Format] = FORMATS, version: str = "?", summary: str = "",
    origin: str = "", environment: Mapping[str, str] | None = None, written: str = "", once_s: float | None = None,
    tiers: tuple[str, ...] = (),
) -> Strategy:  # fmt: skip
    """A strategy that runs a command which speaks docs/protocol.md.

    With str_replace among the formats, the strategy reads a sample's edits, otherwise its patch. `environment` is
    added to the environment of this process. With `once_s`, a sample is asked once with that time limit, and no
    example is asked when the command starts.
    """
    first, *others = formats
    formats = frozenset([first, *others])
    made = Command(name, command, environment, tiers)
    return Strategy(
        name, formats, made.apply, summary or f"The command {shlex.join(command)}", version,
        origin or os.path.basename(command[0]), reads="edits" if "str_replace" in formats else "patch",
        start=made.open if once_s else partial(made.start, example_sample(first)), cpu_ns=made.cpu_ns,
        bytes_by="itself", written=written, once_s=once_s,
    )  # fmt: skip


while_waiting: Callable[[], object] | None = None
"""Called after each request is sent: the fuzzer draws its next input while the program is at work."""


class Command:
    """A command that applies samples, and its process if one is running."""

    def __init__(
        self, name: str, command: Sequence[str], environment: Mapping[str, str] | None = None,
        tiers: tuple[str, ...] = (), read: Callable[..., Any] = parse_answer,
    ) -> None:  # fmt: skip
        """Requests name `tiers`; a request for the whole rule names none. `read` takes an answer apart."""
        self._name = name
        self._command = list(command)
        self._environment = environment or {}
        self._process: _Process | None = None
        self._tiers, self._read = tiers, read
        self._can_start = True
        self._gone: CommandError | None = None
        """How the processes ended at their start, after the command was given up; None before."""

    def apply(self, sample: Sample, _: Document | None = None) -> Any:
        """The process's answer: an EditResult, or what `read` makes of it.

        Raises CommandError if there is none or it breaks the protocol.
        """
        # The process is stored again only after a valid answer: however this is interrupted, the next call starts one.
        process, self._process = self._process, None
        if self._gone:
            raise CommandError(self._gone.message, self._gone.tip, ended=True)
        if process is None or process.owner != os.getpid():
            process = _Process(self._name, self._command, self._environment)
        number = secrets.token_hex(8)  # Not to be known before the request is read.
        try:
            result = self._read(process.exchange(request_line(number, sample, self._tiers)), number, sample=sample)
        except BaseException:
            process.end()
            raise
        self._process = process
        if process.at_work is None:
            process.look()
        return result

    def cpu_ns(self) -> int:
        """The CPU time of the running process and of those it had started by its first answer; 0 without a process."""
        return cpu_ns(self._process.at_work or ()) if self._process else 0

    def start(self, example: Sample) -> None:
        """Start a process if none is running, and wait until it has answered `example`.

        After a failed answer, later calls do nothing. A command whose processes end one after another is given up,
        and nothing is started for the samples. The example makes this the same for every job.
        """
        if self._can_start and (self._process is None or self._process.owner != os.getpid()):
            self._can_start = False
            for left in reversed(range(_STARTS)):
                try:
                    self.apply(example)
                except CommandError as error:
                    if not left and error.ended:
                        self._gone = error
                    if not left or not error.ended:
                        raise
                else:
                    break
            self._can_start = True

    def open(self) -> None:
        """Start a process if none is running. It is asked nothing."""
        if self._process is None or self._process.owner != os.getpid():
            self._process = _Process(self._name, self._command, self._environment)

    def finish(self, timeout_s: float) -> str | None:
        """Close the process's stdin; return how the process ended, in words, or None if it did not end in time."""
        process, self._process = self._process, None
        return process.finish(timeout_s) if process else None


class _Process:
    """A process of a command below a keeper, which can end the process and everything it started."""

    at_work: Sequence[int] | None = None
    """The ids of the command's process and of its descendants, as of its first answer."""

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
        if self._early.poll(0):
            raise self._unasked(os.read(self._stdout, _CHUNK))
        unsent = self._write(memoryview(request))
        if while_waiting is not None:
            while_waiting()
        chunks: list[bytes] = []
        n_bytes, most = 0, max(ANSWER_BYTES, 2 * len(request))
        while True:
            if unsent:
                ready = dict(self._poll.poll())
                if self._stdin in ready:
                    unsent = self._write(unsent)
                if self._stdout not in ready:
                    continue
            chunk = os.read(self._stdout, _CHUNK)
            if not chunk:
                raise self._failure()
            chunks.append(chunk)
            n_bytes += len(chunk)
            if b"\n" in chunk:
                break
            if n_bytes > most:
                raise CommandError(
                    f"{n_bytes:,} bytes on stdout without a line feed: an answer has at most {most:,}",
                    "End each answer with a line feed, and write nothing else to stdout.",
                )
        line, _, more = b"".join(chunks).partition(b"\n")
        if unsent or more:
            raise CommandError(
                "the answer came before the end of the request" if unsent else "the answer is more than one line",
                "Read one line, then write one, in a loop.",
            )
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


START_VARIABLE = "EDITGAUGE_START_TIMEOUT"
"""The environment variable for the time limit, in seconds, of a command's first answer."""
_START_S = 60.0
_MAX_START_S = 86_400


def start_limit_s() -> float:
    """How long a new process may take for its first answer. Raises UsageError if the setting is no time."""
    text = os.environ.get(START_VARIABLE) or str(_START_S)
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= _MAX_START_S:
        raise UsageError(
            f"{START_VARIABLE} is {quoted(text)}, which is no time limit",
            f"Set it to a number of seconds, at most {_MAX_START_S:,}, or unset it.",
        )
    return seconds
