"""`bash`: runs a command in a shell, reports its output while it runs, and ends its process group afterwards.

A process that leaves the group lives on, such as one started by `setsid`.

Permission is asked beforehand for everything that the command seems to do. That informs the user; it is not a
sandbox: a script can reach everything that its user can, in ways that no analysis of its text finds.
"""

from __future__ import annotations

import codecs
import glob
import os
import selectors
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from time import monotonic
from typing import Annotated, Any

from msgspec import Meta

from editcore.errors import ToolError, WorkspaceError
from editcore.host.cancellation import TICK, Cancellation
from editcore.host.host import Host
from editcore.host.registry import BuiltIn
from editcore.host.shell.guard import Guard
from editcore.host.tool import CANCELLED, Context, PermissionRequest, Result, always_of
from editcore.quoting import shown
from editcore.shell.script import Script, read_script
from editcore.types import Reason

_KEPT_BYTES = 10_000_000
_MAX_SHOWN = 30_000
"""Characters that are reported while the process runs."""


class CapturedOutput:
    """Output of a process, decoded as UTF-8: all of it up to 10 MB, else the first and the last 5 MB."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._n_dropped = 0

    def add(self, data: bytes) -> None:
        self._data += data
        if len(self._data) > 2 * _KEPT_BYTES:  # Rarely, because it moves the second half.
            self._drop()

    @property
    def text(self) -> str:
        """The kept text. A line between its halves gives the number of dropped bytes, if any."""
        if len(self._data) > _KEPT_BYTES:
            self._drop()
        if not self._n_dropped:
            return self._data.decode("utf-8", "replace")
        head, tail = self._data[: _KEPT_BYTES // 2], self._data[_KEPT_BYTES // 2 :]
        note = f"\n... {self._n_dropped:,} bytes were not kept ...\n"
        return head.decode("utf-8", "replace") + note + tail.decode("utf-8", "replace")

    @property
    def end(self) -> str:
        """The last 30,000 characters, with a note if there are more. An incomplete character at the end is left out."""
        data = self._data[-4 * (_MAX_SHOWN + 1) :]
        text = codecs.getincrementaldecoder("utf-8")("replace").decode(data)
        if len(text) <= _MAX_SHOWN and len(data) == len(self._data):
            return text
        return f"... what came before is left out ...\n{text[-_MAX_SHOWN:]}"

    def _drop(self) -> None:
        """Drop bytes between the first and the last 5 MB."""
        excess = len(self._data) - _KEPT_BYTES
        del self._data[_KEPT_BYTES // 2 : _KEPT_BYTES // 2 + excess]
        self._n_dropped += excess


Command = Annotated[str, Meta(description="The command, in bash syntax.", min_length=1)]
Timeout = Annotated[int, Meta(description="Milliseconds after which the command is ended.", ge=1, le=600_000)]
Description = Annotated[str, Meta(description="What the command does, in 5 to 10 words.")]
Workdir = Annotated[
    str, Meta(description="The directory to run in; the project's root if empty. Use it instead of cd.")
]

_MAX_BYTES = 100_000
"""Of the command; longer arguments are refused by the system."""
_MAX_WILD, _MAX_MATCHES = 2, 1_000
"""A glob with more wildcard parts, or with more matching paths, counts as unknown."""
_UPDATE = 0.1
"""The least number of seconds between two calls of `on_metadata`."""
_LINGER = 0.3
"""Seconds for which a pipe that is still open is read after the shell has ended."""
_GRACE, _GRACE_CANCELLED = 0.5, 0.1
"""Seconds between SIGTERM and SIGKILL, after a timeout and after a cancellation."""


@dataclass(frozen=True, slots=True)
class Parameters:
    command: Command
    timeout: Timeout = 120_000
    description: Description = ""
    workdir: Workdir = ""


def _run(host: Host, context: Context, params: Parameters) -> Result:
    _check("command", params.command)
    _check("workdir", params.workdir)
    # The command will run there: permission is asked for the directory, not for a link to it.
    workdir = os.path.realpath(os.path.join(host.workspace.root, params.workdir))
    cwd = host.directory(context, workdir).absolute
    if not os.path.isdir(cwd):
        raise ToolError(
            f"There is no directory {shown(params.workdir)}: nothing was run; give a workdir that exists.",
            reason=Reason.NOT_FOUND,
        )
    guard = Guard(host, params.command, params.description, cwd)
    guard.check()
    _ask(host, context, params, read_script(params.command), cwd)
    return guard.with_changes(_Run(context, params, cwd).result())


def _check(name: str, text: str) -> None:
    try:
        n_bytes = len(text.encode())
    except UnicodeEncodeError:
        n_bytes = -1
    if n_bytes < 0 or "\0" in text:
        raise ToolError(
            f"bash: {name} contains a NUL or a lone surrogate: nothing was run; send valid text.",
            reason=Reason.MALFORMED,
        )
    if n_bytes > _MAX_BYTES:
        raise ToolError(
            f"bash: {name} has {n_bytes:,} bytes (limit {_MAX_BYTES:,}): nothing was run; write it to a file first.",
            reason=Reason.TOO_LARGE,
        )


def _ask(host: Host, context: Context, params: Parameters, script: Script, cwd: str) -> None:
    """Ask for permission for everything that the script seems to do. Raises ToolError if one is refused."""
    matches, unknown = _matches(script, cwd)
    named: dict[str, str] = {}
    """Directory -> the first path of the command that is in it."""
    for path in [*script.paths, *matches]:
        named.setdefault(_directory(cwd, path), os.path.realpath(os.path.join(cwd, path)))
    for path in script.mentioned:  # It may be no path at all: `sed /a/d`.
        directory = _directory(cwd, path)
        if os.path.lexists(os.path.join(cwd, path)) or (directory != "/" and os.path.isdir(directory)):
            named.setdefault(directory, os.path.realpath(os.path.join(cwd, path)))
    for directory, target in named.items():
        if directory != cwd:
            host.ask_outside(context, target, directory)
    if unknown:
        host.ask_unknown(context, unknown)
    metadata = {"command": params.command, "description": params.description}
    if script.writes:
        paths = dict.fromkeys(os.path.realpath(os.path.join(cwd, path)) for path in script.writes)
        written = tuple(map(host.name_of, paths))
        shows = {"filepath": ", ".join(paths), "tool": "bash", **metadata}
        context.ask(PermissionRequest("edit", written, always_of(written), shows))
    context.ask(PermissionRequest("bash", script.commands, script.always, metadata))


def _matches(script: Script, cwd: str) -> tuple[list[str], tuple[str, ...]]:
    """The paths that the script's globs match (they may be links), and the words whose paths are not known."""
    matches: list[str] = []
    unknown = list(script.unknown)
    for pattern in script.globs:
        wild = [part for part in pattern.split("/") if glob.has_magic(part)]
        # `.*` matches `..` in older shells.
        if len(wild) > _MAX_WILD or any(part.startswith(".") for part in wild):
            unknown.append(pattern)
            continue
        found = list(islice(glob.iglob(os.path.join(glob.escape(cwd), pattern)), _MAX_MATCHES))
        matches += found
        if len(found) == _MAX_MATCHES:
            unknown.append(pattern)
    return matches, tuple(dict.fromkeys(unknown))


def _directory(cwd: str, path: str) -> str:
    """The directory of a path in the command, or the path itself if it is a directory; links are resolved."""
    real = os.path.realpath(os.path.join(cwd, path))
    return real if os.path.isdir(real) else os.path.dirname(real)


class _Run:
    def __init__(self, context: Context, params: Parameters, cwd: str) -> None:
        self._context, self._params, self._cwd = context, params, cwd
        self._title = params.description or shown(params.command)
        self._captured = CapturedOutput()
        self._reported_at = 0.0
        self._is_reported = False

    def result(self) -> Result:
        """Run the command. Returns when the shell and everything in its process group has ended."""
        params = self._params
        self._report()
        cancellation = self._context.cancellation
        with self._started() as process:
            is_ended = self._read(process, monotonic() + params.timeout / 1000, cancellation)
            is_cancelled = not is_ended and cancellation.is_cancelled
            if not is_ended:
                _kill(process, signal.SIGTERM)
                self._read(process, monotonic() + (_GRACE_CANCELLED if is_cancelled else _GRACE))
        code = None if not is_ended else process.returncode if process.returncode >= 0 else 128 - process.returncode
        if is_cancelled:
            note = "(cancelled: the command was ended; what it had done by then was not undone)"
        elif not is_ended:
            note = f"(ended after {params.timeout:,} ms: give a longer timeout if needed)"
        else:
            note = f"(exit code {code})" if code else ""
        output = self._captured.text
        if note or not output:
            output += ("\n" if output and not output.endswith("\n") else "") + (note or "(no output)")
        metadata = self._metadata(exit=code, **({"reason": CANCELLED} if is_cancelled else {}))
        self._context.on_metadata(self._title, metadata)
        return Result(self._title, output, metadata, is_error=is_cancelled)

    @contextmanager
    def _started(self) -> Iterator[subprocess.Popen[bytes]]:
        """Start the shell in a process group of its own, and kill the group at the end."""
        shell = shutil.which("bash") or "sh"
        try:
            process = subprocess.Popen(
                [shell, "-c", self._params.command], cwd=self._cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, bufsize=0, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            why = (error.strerror or type(error).__name__).lower()
            raise WorkspaceError(f"The command could not be started ({why}): nothing was run; try again.") from error
        assert process.stdout
        with process.stdout:
            try:
                yield process
            finally:
                # Before the wait: until then no other process can have its process id.
                _kill(process, signal.SIGKILL)
                process.wait()

    def _read(
        self, process: subprocess.Popen[bytes], deadline: float, cancellation: Cancellation | None = None
    ) -> bool:
        """Read the output until the end, the deadline or a cancellation. Returns True if the shell has ended."""
        assert process.stdout
        has_ended = False
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while True:
                now = monotonic()
                if not has_ended and _has_ended(process):
                    has_ended = True
                    deadline = min(deadline, now + _LINGER)
                is_cancelled = cancellation is not None and cancellation.is_cancelled
                if now >= deadline or is_cancelled or (has_ended and not selector.get_map()):
                    return has_ended
                for _ in selector.select(min(TICK, deadline - now)):
                    data = os.read(process.stdout.fileno(), 1 << 16)
                    if not data:
                        selector.unregister(process.stdout)
                    self._captured.add(data)
                    self._is_reported = self._is_reported and not data
                if not self._is_reported and monotonic() - self._reported_at >= _UPDATE:
                    self._report()

    def _report(self) -> None:
        self._context.on_metadata(self._title, self._metadata())
        self._reported_at, self._is_reported = monotonic(), True

    def _metadata(self, **more: Any) -> Mapping[str, Any]:
        return {"output": self._captured.end, "description": self._params.description, **more}


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """True if the process has ended. It is not reaped, if the system allows that: its process id stays its own."""
    if not hasattr(os, "waitid"):  # pragma: no cover
        return process.poll() is not None
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # The host ignores SIGCHLD.
        return True


def _kill(process: subprocess.Popen[bytes], how: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):  # The group is gone, or is not ours to kill.
        os.killpg(process.pid, how)


BASH = BuiltIn(
    "bash",
    "Runs a command with bash and returns its output, standard error included, and its exit code if not 0. There is no "
    "input and no terminal. Each call starts a new shell in the project's root, or in workdir. The command is ended "
    "after timeout milliseconds, and background processes when the shell ends. To read, search and edit files, use the "
    "other tools. A command that edits files (sed -i, a script) is refused if it matches nothing, or more places than "
    "its description says.",
    Parameters,
    _run,
    lambda host: host.workspace.mode == "execute",
    effect="runs",
    keep="tail",
    packages=("tree_sitter", "tree_sitter_bash", "re2"),
)
