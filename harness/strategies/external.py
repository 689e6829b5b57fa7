"""A strategy in another process, which speaks JSON lines over pipes (docs/protocol.md).

    cmd:NAME=COMMAND                    the strategy `cmd/NAME`, for samples with edits
    cmd:NAME[FORMAT,FORMAT]=COMMAND     for samples of these formats
    cmd:NAME[once=60]=COMMAND           called once for each sample, with a time limit of so many seconds

The first sample starts the process as a child of the worker, and later samples reuse it. After a failure the process
is killed with everything that it started, and the next sample starts another (`keeper`). Its stderr is read at once,
so writing never blocks, and a part of it is kept in a file.
"""

from __future__ import annotations

import os
import shlex
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from corpora.sample import Format, Sample
from editcore.errors import UsageError
from editcore.quoting import quoted
from editcore.text.document import Document
from harness.processes import cpu_ns
from harness.strategies.command_process import ANSWER_BYTES, Process
from harness.strategies.command_spec import FORMATS, parts_of, version_of
from harness.strategies.protocol import CommandError, parse_answer, request_line
from harness.strategies.strategy import Strategy, example_sample

SPEC = "cmd:"
_AHEAD_S = 2.0
"""How long an answer to a request that was sent ahead may take."""
_STARTS = 3
"""The number of processes of a command that may end before they answer the example; then the command is given up."""


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
        ask_ahead=made.ask_ahead, bytes_by="itself", written=written, once_s=once_s,
    )  # fmt: skip


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
        self._process: Process | None = None
        self._tiers, self._read = tiers, read
        self._can_start = True
        self._asked: deque[tuple[Sample, str]] = deque()
        """Samples that were asked ahead and their ids, in order, of which the answers were not read yet."""
        self._ahead: dict[int, tuple[Sample, Any]] = {}
        """Identity of a sample that was asked ahead -> it and its answer."""
        self._takes_several = True
        self._gone: CommandError | None = None
        """How the processes ended at their start, after the command was given up; None before."""

    def apply(self, sample: Sample, _: Document | None = None) -> Any:
        """The process's answer: an EditResult, or what `read` makes of it.

        Raises CommandError if there is none or it breaks the protocol.
        """
        if (self._asked or self._ahead) and (found := self._answered_ahead(sample)) is not None:
            return found
        # The process is stored again only after a valid answer: however this is interrupted, the next call starts one.
        process, self._process = self._process, None
        if self._gone:
            raise CommandError(self._gone.message, self._gone.tip, ended=True)
        if process is None or process.owner != os.getpid():
            process = Process(self._name, self._command, self._environment)
        number = os.urandom(8).hex()  # Not to be known before the request is read.
        try:
            result = self._read(process.exchange(request_line(number, sample, self._tiers)), number, sample=sample)
        except BaseException:
            self._takes_several = True  # It fails when it is asked alone, too.
            process.end()
            raise
        self._process = process
        if process.at_work is None:
            process.look()
        return result

    def ask_ahead(self, samples: Sequence[Sample]) -> None:
        """Write the requests of several samples at once. Their answers are read when `apply` is called with each.

        A program that reads one line and then writes one sees no difference. A program that does is asked one by one
        from then on, by another process.
        """
        if self._process is None or not self._takes_several or self._asked or self._process.owner != os.getpid():
            return
        self._ahead.clear()
        self._asked.extend([(sample, os.urandom(8).hex()) for sample in samples])
        try:
            self._process.send(b"".join([request_line(number, one, self._tiers) for one, number in self._asked]))
        except CommandError:
            self._ask_one_by_one()

    def _answered_ahead(self, sample: Sample) -> Any:
        """The answer to a sample that was asked ahead; None for another sample, before which all answers are read."""
        if id(sample) in self._ahead:
            return self._ahead.pop(id(sample))[1]
        process = self._process
        while self._asked and process:
            one, number = self._asked.popleft()
            try:
                result = self._read(process.line(ANSWER_BYTES, timeout_s=_AHEAD_S), number, sample=one)
            except CommandError:
                self._ask_one_by_one()
                return None
            if one is sample:
                return result
            self._ahead[id(one)] = one, result
        return None

    def _ask_one_by_one(self) -> None:
        self._takes_several = False
        self._asked.clear()
        if self._process is not None:
            self._process.end()
            self._process = None

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
            self._process = Process(self._name, self._command, self._environment)

    def finish(self, timeout_s: float) -> str | None:
        """Close the process's stdin; return how the process ended, in words, or None if it did not end in time."""
        process, self._process = self._process, None
        return process.finish(timeout_s) if process else None


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
