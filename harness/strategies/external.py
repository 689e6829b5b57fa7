"""A strategy in another process, JSON lines over pipes.

    cmd:NAME=COMMAND                    the strategy `cmd/NAME`, for samples with edits
    cmd:NAME[FORMAT,FORMAT]=COMMAND     for samples of these formats

The process is started by the first sample, in the process that applies, and kept; whatever goes wrong ends it,
and the next sample gets a new one. What it writes to stderr goes to a file, so that it never has to wait for us.
"""

from __future__ import annotations

import hashlib
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, get_args
from weakref import finalize

import xxhash

from corpora.sample import EDIT_FORMATS, Format, Sample
from editcore.document import Document
from editcore.errors import UsageError
from editcore.types import EditResult
from harness.processes import end_with_parent, exit_text
from harness.strategies.example_samples import example
from harness.strategies.protocol import CommandError, parse_answer, request_line
from harness.strategies.strategy import Strategy

FORMATS: tuple[Format, ...] = get_args(Format)
SPEC = "cmd:"
_SPEC = re.compile(r"cmd:(?P<name>[A-Za-z0-9_-]+)(?:\[(?P<formats>[^]]*)\])?=(?P<command>.*)", re.DOTALL)
_CHUNK = 1 << 16
_PATIENCE_S = 1.0
"""How long a process may take to end after it has closed its stdout."""
_LAST_BYTES = 4000
"""Of stderr, looked through for what it died of."""
_TELLING = re.compile(r"(?=\S).*(error|exception|panic)", re.IGNORECASE)
"""A line, not one of a stack trace, that tells what happened: in some languages it is not the last."""


def parsed_command(spec: str) -> Strategy:
    """The strategy `cmd/NAME` that `cmd:NAME=COMMAND` stands for; its version is a hash of the files of the command.

    Raises UsageError for a spec that is malformed, or a program that is not there.
    """
    name, formats, words = _parts(spec)
    return external_strategy(f"cmd/{name}", words, formats=formats, version=_version(words), written=spec)


def command_in(text: str) -> tuple[Command, Sequence[Format]]:
    """The command of a spec, or of a mere command line, and the formats it takes. Raises UsageError as above."""
    name, formats, words = _parts(text if text.startswith(SPEC) else f"{SPEC}command={text}")
    return Command(name, words), formats


def _parts(spec: str) -> tuple[str, Sequence[Format], list[str]]:
    parts = _SPEC.fullmatch(spec)
    if parts is None:
        raise UsageError(
            f"{spec!r} is not cmd:NAME=COMMAND",
            "NAME is a plain word, and formats go behind it: 'cmd:mine=node edit.js', 'cmd:mine[unified_diff]=./mine'.",
        )
    formats = EDIT_FORMATS if parts["formats"] is None else _formats(parts["formats"])
    return parts["name"], formats, _words(parts["command"])


def _formats(text: str) -> tuple[Format, ...]:
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in FORMATS:
            raise UsageError(f"There is no format {word!r}", f"Choose from: {', '.join(FORMATS)}.")
    return tuple(known for known in FORMATS if known in words)


def _words(command: str) -> list[str]:
    """A command line as words, the program found. Raises UsageError where it cannot be."""
    if os.name != "posix":
        raise UsageError("Commands as strategies need a POSIX system", "Use Linux, macOS or WSL.")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"The command {command!r} cannot be read: {error}", "Quote it as for a shell.") from None
    if not words:
        raise UsageError("There is no command to start", "Write it behind the =: 'cmd:mine=node edit.js'.")
    program = shutil.which(words[0])
    if program is None and os.path.isfile(words[0]):
        raise UsageError(
            f"{words[0]} cannot be run as it is",
            f"Make it executable and write its path, as ./{words[0]}, or name its interpreter.",
        )
    if program is None:
        raise UsageError(f"There is no program {words[0]!r}", "Give its path, or put it on the PATH.")
    return words


def _version(words: Iterable[str]) -> str:
    """A hash of the program and of the files among its arguments."""
    state = xxhash.xxh3_64()
    for word in words:
        path = shutil.which(word) or word
        if os.path.isfile(path):
            with suppress(OSError), open(path, "rb") as file:
                state.update(hashlib.file_digest(file, xxhash.xxh3_64).digest())
    return state.hexdigest()


def external_strategy(
    name: str,
    command: Sequence[str],
    *,
    formats: Iterable[Format] = FORMATS,
    version: str = "?",
    summary: str = "",
    origin: str = "",
    environment: Mapping[str, str] | None = None,
    written: str = "",
) -> Strategy:
    """A strategy that a command carries out, which speaks docs/protocol.md.

    Of several formats that include str_replace it goes by the edits, else by the patch. `environment` is added to
    that of this process.
    """
    first, *others = formats
    formats = frozenset([first, *others])
    made = Command(name, command, environment)
    return Strategy(
        name,
        formats,
        made.apply,
        summary or f"The command {shlex.join(command)}",
        version,
        origin or os.path.basename(command[0]),
        reads="edits" if "str_replace" in formats else "patch",
        written=written,
        start=partial(made.start, example(first)),
    )


class Command:
    """A command that applies samples, and the process of it that is running."""

    def __init__(self, name: str, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self._name = name
        self._command = list(command)
        self._environment = environment or {}
        self._process: _Process | None = None
        self._n_asked = 0
        self._can_start = True

    def apply(self, sample: Sample, _: Document | None = None) -> EditResult:
        """What the process answers. Raises CommandError where it does not, or wrongly."""
        # While it is asked, nobody has the process: however this is interrupted, the next sample gets a new one.
        process, self._process = self._process, None
        if process is None or process.owner != os.getpid():
            process = _Process(self._name, self._command, self._environment)
        self._n_asked += 1
        number = str(self._n_asked)
        try:
            result = parse_answer(process.exchange(request_line(number, sample)), number)
        except BaseException:
            process.end()
            raise
        self._process = process
        return result

    def start(self, example: Sample) -> None:
        """Have a process that has answered a sample, so that the next need not wait until it is up.

        Where it did not answer once, it is not waited for a second time.
        """
        if self._can_start and (self._process is None or self._process.owner != os.getpid()):
            self._can_start = False
            self.apply(example)
            self._can_start = True

    def finish(self, timeout_s: float) -> str | None:
        """End the process by the end of its stdin; how it ended, in words, or None where it did not in that time."""
        process, self._process = self._process, None
        return process.finish(timeout_s) if process else None


class _Process:
    """A process of a command, in a session of its own, so that it and all its children can be ended."""

    def __init__(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.owner = os.getpid()
        self._stderr = _stderr_file(name)
        self._said_before = os.fstat(self._stderr.fileno()).st_size
        # Interrupted within, Popen would leave a process that nobody knows.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        try:
            self._popen = subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                env=os.environ | environment,
                start_new_session=True,
                preexec_fn=lambda: _prepare(mask, self.owner),
            )
        except OSError:
            self._stderr.close()
            raise
        else:
            self.end = finalize(self, _end, self._popen, self._stderr, self.owner)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        assert self._popen.stdin
        assert self._popen.stdout
        self._stdin, self._stdout = self._popen.stdin.fileno(), self._popen.stdout.fileno()
        os.set_blocking(self._stdin, False)
        self._poll = select.poll()
        self._poll.register(self._stdin, select.POLLOUT)
        self._poll.register(self._stdout, select.POLLIN)

    def exchange(self, request: bytes) -> bytes:
        """The line that comes back for a line. Raises CommandError where the process ends instead.

        Both directions are served at once, so that neither side waits for the other, however long the lines.
        """
        unsent = self._write(memoryview(request))
        chunks = []
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
            if b"\n" in chunk:
                break
        line, _, more = b"".join(chunks).partition(b"\n")
        if unsent or more:
            raise CommandError(
                "the answer came before the end of the request" if unsent else "the answer is more than one line",
                "Read one line, then write one, in a loop.",
            )
        return line

    def _write(self, data: memoryview) -> memoryview:
        """As much as goes through the pipe at once; what is left."""
        try:
            return data[os.write(self._stdin, data) :]
        except BlockingIOError:
            return data
        except BrokenPipeError:
            raise self._failure() from None

    def _failure(self) -> CommandError:
        """How it ended, and the last it said."""
        said = self._last_words()
        try:
            how = f"ended with {exit_text(self._popen.wait(_PATIENCE_S))}"
        except subprocess.TimeoutExpired:
            how = "closed its stdin or stdout"
        return CommandError(
            f"the command {how}{f': {said}' if said else ''}",
            "Stay alive until stdin ends; answer `rejected` to what cannot be done.",
        )

    def _last_words(self) -> str:
        """The last line on stderr that tells of an error, or the last line."""
        # The process shares the file's position, so it must not be moved.
        file = self._stderr.fileno()
        start = max(self._said_before, os.fstat(file).st_size - _LAST_BYTES)
        lines = os.pread(file, _LAST_BYTES, start).decode("utf-8", "replace").strip().splitlines()
        telling = [line for line in lines if _TELLING.match(line)]
        return (telling or lines or [""])[-1].strip()

    def finish(self, timeout_s: float) -> str | None:
        """Close its stdin; how it ended, or None where it went on for that long."""
        try:
            assert self._popen.stdin
            self._popen.stdin.close()
            return exit_text(self._popen.wait(timeout_s))
        except subprocess.TimeoutExpired:
            return None
        finally:
            self.end()


def _prepare(mask: Iterable[int], parent: int) -> None:
    """What the new process does before it becomes the command."""
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    end_with_parent(parent)


def _end(popen: subprocess.Popen[bytes], stderr: IO[bytes], owner: int) -> None:
    """End a process and its children; in a fork of the process that started it, only let go of it."""
    if os.getpid() == owner:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(popen.pid, signal.SIGKILL)
        popen.wait()
    else:
        popen.returncode = 0
    for file in (popen.stdin, popen.stdout, stderr):
        if file:
            file.close()


STDERR = "stderr"
"""The folder, in the run folder, of what commands said: a file a worker."""

_run_folder: Path | None = None


def keep_stderr(folder: Path) -> None:
    """Have processes that are started from now on write their stderr into this run folder."""
    global _run_folder
    _run_folder = folder


def _stderr_file(name: str) -> IO[bytes]:
    """The file for what a strategy's process says; a temporary one where there is no run folder."""
    if _run_folder is None:
        return TemporaryFile()
    path = _run_folder / STDERR / f"{name.replace('/', '-')}-{os.getpid()}.log"
    path.parent.mkdir(exist_ok=True)
    return path.open("a+b")


def drop_empty_stderr(folder: Path) -> None:
    """Remove the files of a run folder that no command wrote to."""
    for path in (folder / STDERR).glob("*.log"):
        if not path.stat().st_size:
            path.unlink()
    with suppress(OSError):
        (folder / STDERR).rmdir()
