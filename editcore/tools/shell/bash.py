"""`bash`: a command run in a shell, its output as it comes, nothing of it left behind.

What the command is about to do is asked for beforehand. That is advice to whoever answers, no jail: a script can reach
everything that the user can, by ways that no reading of its text will find.
"""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import monotonic
from typing import Annotated, Any

from msgspec import Meta

from editcore.errors import ToolError, WorkspaceError
from editcore.quoting import shown
from editcore.tools.host.built_in import BuiltIn
from editcore.tools.host.host import Host
from editcore.tools.host.tool import Context, PermissionRequest, Result
from editcore.tools.shell.captured_output import CapturedOutput
from editcore.tools.shell.script import Script, read_script
from editcore.types import Reason
from editcore.workspace import WRITES_NOTHING

Command = Annotated[str, Meta(description="The command, as bash reads it.", min_length=1)]
Timeout = Annotated[int, Meta(description="After how many milliseconds it is ended.", ge=1, le=600_000)]
Description = Annotated[str, Meta(description="What it does, in 5 to 10 words.")]
Workdir = Annotated[str, Meta(description="The directory to run it in; the project's root by default. Not cd.")]

_LONGEST = 100_000
"""Bytes; the system takes no argument that is much longer."""
_TICK = 0.05
"""Seconds between two looks at whether the shell has ended."""
_UPDATE = 0.1
"""Seconds between two calls of `on_metadata` at least."""
_LINGER = 0.3
"""Seconds for which a pipe is read on that is still open once the shell has ended."""
_GRACE = 0.5
"""Seconds between SIGTERM and SIGKILL."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """One script."""

    command: Command
    timeout: Timeout = 120_000
    description: Description = ""
    workdir: Workdir = ""


def _run(host: Host, context: Context, params: Parameters) -> Result:
    _check("command", params.command)
    _check("workdir", params.workdir)
    # By where links lead, because that is where the command will be.
    workdir = os.path.realpath(os.path.join(host.workspace.root, params.workdir))
    cwd = host.directory(context, workdir).absolute
    if not os.path.isdir(cwd):
        raise ToolError(
            f"There is no directory {shown(params.workdir)}: nothing was run; give a workdir that exists.",
            reason=Reason.NOT_FOUND,
        )
    _ask(host, context, params, read_script(params.command), cwd)
    return _Run(context, params, cwd).result()


def _check(name: str, text: str) -> None:
    try:
        n_bytes = len(text.encode())
    except UnicodeEncodeError:
        n_bytes = -1
    if n_bytes < 0 or "\0" in text:
        raise ToolError(
            f"bash: {name} has a NUL or half a character in it: nothing was run; send it as plain text.",
            reason=Reason.MALFORMED,
        )
    if n_bytes > _LONGEST:
        raise ToolError(
            f"bash: {name} has {n_bytes:,} bytes, the most is {_LONGEST:,}: nothing was run; write it to a file first.",
            reason=Reason.TOO_LARGE,
        )


def _ask(host: Host, context: Context, params: Parameters, script: Script, cwd: str) -> None:
    """Go on only with a yes to all that the script seems to do."""
    outside = dict.fromkeys(_directory(cwd, path) for path in script.paths)
    for directory in outside:
        if directory != cwd:
            with suppress(WorkspaceError):  # One that is not there is the command's matter.
                host.directory(context, directory)
    metadata = {"command": params.command, "description": params.description}
    context.ask(PermissionRequest("bash", script.commands, script.always, metadata))


def _directory(cwd: str, path: str) -> str:
    """The directory that a command touches which names that path, by where links lead."""
    real = os.path.realpath(os.path.join(cwd, path))
    return real if os.path.isdir(real) else os.path.dirname(real)


class _Run:
    """A command while it runs."""

    def __init__(self, context: Context, params: Parameters, cwd: str) -> None:
        self._context, self._params, self._cwd = context, params, cwd
        self._title = params.description or shown(params.command)
        self._gathered = CapturedOutput()
        self._told_at = 0.0
        self._is_told = False

    def result(self) -> Result:
        """What it came to, once it and all that it started has ended."""
        params = self._params
        self._tell()
        with self._started() as process:
            is_late = self._read(process, monotonic() + params.timeout / 1000)
            if is_late:
                _kill(process, signal.SIGTERM)
                self._read(process, monotonic() + _GRACE)
        code = None if is_late else process.returncode if process.returncode >= 0 else 128 - process.returncode
        note = f"(ended after {params.timeout:,} ms: give a longer timeout if it needs one)" if is_late else ""
        note = note or (f"(exit code {code})" if code else "")
        output = self._gathered.text
        if note or not output:
            output += ("\n" if output and not output.endswith("\n") else "") + (note or "(no output)")
        metadata = self._metadata(exit=code)
        self._context.on_metadata(self._title, metadata)
        return Result(self._title, output, metadata)

    @contextmanager
    def _started(self) -> Iterator[subprocess.Popen[bytes]]:
        """The shell, in a process group of its own, of which nothing is left afterwards.

        What has left the group on purpose (`setsid`, a daemon) lives on.
        """
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
                # Before it is waited for: until then no other process can have its number.
                _kill(process, signal.SIGKILL)
                process.wait()

    def _read(self, process: subprocess.Popen[bytes], deadline: float) -> bool:
        """Take in what is printed until all is over; whether the shell was still running at the deadline."""
        assert process.stdout
        has_ended = False
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while True:
                now = monotonic()
                if not has_ended and _has_ended(process):
                    has_ended = True
                    deadline = min(deadline, now + _LINGER)
                if now >= deadline or (has_ended and not selector.get_map()):
                    return not has_ended
                for _ in selector.select(min(_TICK, deadline - now)):
                    data = os.read(process.stdout.fileno(), 1 << 16)
                    if not data:
                        selector.unregister(process.stdout)
                    self._gathered.add(data)
                    self._is_told = self._is_told and not data
                if not self._is_told and monotonic() - self._told_at >= _UPDATE:
                    self._tell()

    def _tell(self) -> None:
        self._context.on_metadata(self._title, self._metadata())
        self._told_at, self._is_told = monotonic(), True

    def _metadata(self, **more: Any) -> Mapping[str, Any]:
        return {"output": self._gathered.end, "description": self._params.description, **more}


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has, without waiting for it, where the system can tell."""
    if not hasattr(os, "waitid"):  # pragma: no cover
        return process.poll() is not None
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # The host ignores SIGCHLD.
        return True


def _kill(process: subprocess.Popen[bytes], how: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):  # Nobody there who could be killed.
        os.killpg(process.pid, how)


BASH = BuiltIn(
    "bash",
    "Runs a command with bash and gives what it prints, errors among it, and its exit code if that is not 0. There is "
    "no input and no terminal. Every call is a new shell, in the project's root unless workdir says otherwise. It is "
    "ended after timeout milliseconds; what it started in the background is ended when the shell ends. Use the other "
    "tools to read, search and edit files.",
    Parameters,
    _run,
    lambda host: host.workspace.mode not in WRITES_NOTHING,
    keep="tail",
    packages=("tree_sitter", "tree_sitter_bash"),
)
