"""Calls of an agent's tools: a table of the tools, and one session of calls whose results are paired by id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from corpora.importers.faults import fault_of, may_edit
from corpora.importers.log import Tally, dig, embedded, parts_of, text
from corpora.importers.session import (
    NOT_TRIED,
    Attempt,
    Disturbed,
    Event,
    Quirk,
    Ran,
    Read,
    RecordedDiff,
    Shown,
    Unmade,
    Wrote,
)
from editcore.types import Edit

_LONGEST = 300
"""The number of characters that are kept of an error."""

_LATEST_MS = 10**13
"""The year 2286 in milliseconds. A thousandth of it separates times in seconds from times in milliseconds."""

ErrorPhrases = Sequence[tuple[str, ...]]
"""Rows of an outcome and phrases of error texts. The first row with a phrase that occurs decides."""


Kind = Literal["edit", "insert", "patch", "write", "read", "run", "look"]
"""The effect of a call: `run` may change any file, `read` shows a file, `look` shows anything else."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A row of an agent's table of tools: the effect of a call, and the names of its arguments."""

    kind: Kind
    path: str = ""
    new: str = ""
    """The argument with the new text, the patch, the inserted lines or the content of the written file."""
    old: str = ""
    """The argument with the search text."""
    every: str = ""
    """The argument that is true if every match is replaced."""
    several: str = ""
    """The argument with a list of edits, whose fields are `old`, `new` and `every`."""
    line: str = ""
    """The argument with the line after which lines are inserted."""
    quirks: tuple[Quirk, ...] = ()
    is_lenient: bool = False
    """True if an edit without its texts or its path counts as an attempt, instead of being left out."""


LOOK, RUN = Tool("look"), Tool("run")
EDITING = ("edit", "insert", "patch")
"""The kinds of tools whose calls are edits."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool."""

    name: str
    tool: Tool = LOOK
    arguments: Any = None
    attempt: Attempt | None = None
    """The call as an edit. None for other calls, and for an edit without its texts."""
    model: str | None = None
    key: str = ""
    is_known: bool = True
    """True if the tool is in the agent's table."""

    @property
    def path(self) -> str:
        """The file that the call names; empty if it names none."""
        return text(dig(self.arguments, self.tool.path))

    def other_events(
        self, *, succeeded: bool, path: str = "", written: Any = None, exit_code: int | None = None,
        diffs: tuple[RecordedDiff, ...] | None = None,
    ) -> Iterator[Event]:  # fmt: skip
        """The events of a call that has no edit and shows no file. `path` and `written` come from the result."""
        content = written if isinstance(written, str) else dig(self.arguments, self.tool.new)
        if not succeeded:
            yield from self.unmade()
        if self.tool.kind == "run" and (command := command_of(self.arguments)):
            folder = text(dig(self.arguments, "workdir")) or text(dig(self.arguments, "cwd"))
            meant = text(dig(self.arguments, "description"))
            yield Ran(None, self.key, command, folder, meant, exit_code, diffs, self.model)
        elif self.tool.kind == "run" or (self.tool.kind in EDITING and succeeded):
            yield Disturbed()
        elif self.tool.kind == "write" and succeeded:
            yield from whole_file(path or self.path, content)

    def unmade(self) -> Iterator[Unmade]:
        """The event of a refused call without an edit, if its tool edits or may have been meant to."""
        if self.tool.kind in EDITING:
            tool = self.tool
            fields = (tool.path, tool.several) if tool.several else (tool.path, tool.old, tool.new)
            yield Unmade(self.key, fault_of(self.arguments, fields), self.model)
        elif not self.is_known and may_edit(self.name):
            yield Unmade(self.key, model=self.model)


class Calls:
    """The calls of a session that have no result yet, by id, and the agent's table of tools."""

    def __init__(self, tally: Tally, tools: Mapping[str, Tool], otherwise: Tool = RUN) -> None:
        self._tally, self._tools, self._otherwise = tally, tools, otherwise
        self._open: dict[str, Call] = {}

    def call(
        self, key: str, name: str, arguments: Any, where: str, *, model: str | None = None,
        attempt: Attempt | None = None,
    ) -> Call:  # fmt: skip
        """Read a call by the table of tools, or take `attempt` as its edit. An edit without its texts is counted."""
        call = self.read(key, name, self._tools.get(name, self._otherwise), arguments, where, model, attempt)
        return replace(call, is_known=name in self._tools)

    def read(
        self, key: str, name: str, tool: Tool, arguments: Any, where: str, model: str | None,
        attempt: Attempt | None = None,
    ) -> Call:  # fmt: skip
        """Read a call of this tool, which is in no table."""
        made = attempt or attempt_of(tool, key, arguments, model)
        if made is None and tool.kind in ("edit", "patch") and not tool.is_lenient:
            self._tally.add("edit call without its strings", where)
        return Call(name, tool, arguments, made, model, key)

    def open(self, key: str, call: Call, where: str = "") -> None:
        """Keep a call until its result is read. A call without an id is counted, since no result can name it."""
        if key:
            self._open[key] = call
        else:
            self._tally.add("call without an id", where)

    def answered(self, key: str, where: str, *, is_counted: bool = True) -> Call | None:
        """The call of a result, which is removed. None, and counted, if there is no such call."""
        call = self._open.pop(key, None)
        if call is None and is_counted:
            self._tally.add("result without its call", where)
        return call

    def left(self) -> Iterator[tuple[str, Call]]:
        """The ids and the calls that have no result."""
        yield from self._open.items()

    def unanswered(self) -> Iterator[Attempt]:
        """The edits that have no result."""
        yield from (call.attempt for _, call in self.left() if call.attempt)


def command_of(arguments: Any) -> str:
    """The command in the arguments of a shell call; empty without one. A list has it behind the shell's name."""
    found = next((found for name in ("command", "cmd") if (found := dig(arguments, name))), None)
    if isinstance(found, list) and len(found) == 3 and found[1] in ("-c", "-lc"):
        found = found[2]
    return found if isinstance(found, str) else ""


def attempt_of(tool: Tool, key: str, arguments: Any, model: str | None) -> Attempt | None:
    """The call as an attempt with an unknown outcome. None if the tool does not edit, or if its texts are missing."""
    path = text(dig(arguments, tool.path)) or None
    old, new, line = (dig(arguments, name) for name in (tool.old, tool.new, tool.line))
    blank = Attempt(key, "str_replace", path, model=model, quirks=tool.quirks)
    if tool.kind == "edit" and tool.is_lenient:
        return replace(blank, edits=(Edit(old, text(new)),) if isinstance(old, str) else None)
    if tool.kind == "edit":
        given = embedded(dig(arguments, tool.several)) if tool.several else [arguments]
        edits = edits_in(given, tool.old, tool.new, tool.every)
        return replace(blank, edits=edits) if path and edits else None
    if tool.kind == "insert" and isinstance(new, str) and isinstance(line, int) and (path or tool.is_lenient):
        return replace(blank, format="insert", patch=new, line=line)
    is_patch = tool.kind == "patch" and isinstance(new, str) and new
    return replace(blank, format="begin_patch", path=None, patch=new) if is_patch else None


def with_shown(events: Iterable[Event], *told: Any) -> Iterator[Event]:
    """The events of a call, and a `Shown` event with the texts of its arguments and its result (`told`).

    The last of `told` is the result. An edit has its text as the reply.

    No `Shown` follows a `Read`, which has its own text, or a `Disturbed`, which receives the texts. The texts are
    unknown if one of `told` is None, which means that the log lacks it.
    """
    texts = None if None in told else _texts(list(told))
    # A read or a disturbing call carries the text itself.
    is_said = not texts
    reply = _texts(told[-1])
    for event in events:
        if isinstance(event, Disturbed):
            yield replace(event, shown=texts)
        elif isinstance(event, Attempt | Unmade):
            yield replace(event, reply=reply)
        else:
            yield event
        is_said |= isinstance(event, Disturbed | Read)
    if texts and not is_said:
        yield Shown(texts)


def _texts(value: Any) -> str:
    return "\n".join(part for part in parts_of(value) if isinstance(part, str))


def edits_in(given: Any, old: str, new: str, every: str = "") -> tuple[Edit, ...]:
    """The edits in a list of objects with the fields `old`, `new` and `every`; empty if an object lacks a text."""
    listed = given if isinstance(given, list) else []
    texts = [(dig(one, old), dig(one, new), dig(one, every) in (True, "true")) for one in listed]
    is_whole = all(isinstance(side, str) for one in texts for side in one[:2])
    return tuple(Edit(*one) for one in texts) if is_whole else ()


def at_time(events: Iterable[Event], value: Any) -> Iterator[Event]:
    """The events, in which each edit has the time that the log gives."""
    time = seconds(value)
    for event in events:
        yield replace(event, time=time) if isinstance(event, Attempt | Unmade | Ran) and time is not None else event


def seconds(value: Any) -> float | None:
    """A time of a log in seconds since 1970. `value` is a number of seconds or milliseconds, or a text by ISO 8601."""
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp()
        except (ValueError, OverflowError):
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < _LATEST_MS:
        return None
    return value / 1000 if value > _LATEST_MS / 1000 else float(value)


def whole_file(path: str, content: Any) -> Iterator[Wrote]:
    """The event of a call that wrote a whole file. No event if the log lacks the path or the text."""
    if path and isinstance(content, str):
        yield Wrote(path, content)


def with_error(attempt: Attempt, message: str, phrases: ErrorPhrases) -> Attempt:
    """The attempt, with the outcome that the error text of the agent's tool means."""
    outcome, error = classify_error(message, phrases)
    return replace(attempt, outcome=outcome, error=error)


def classify_error(message: str, phrases: ErrorPhrases) -> tuple[str, str | None]:
    """The outcome that the first line of an error means, and that line.

    Further lines repeat the model's input. The line is None for a call that was not tried: it may be a person's
    words.
    """
    line = next((line.strip() for line in message.splitlines() if line.strip()), "")
    outcome = next((outcome for outcome, *words in phrases if any(one in line for one in words)), "unknown")
    return outcome, None if outcome in NOT_TRIED else line[:_LONGEST] or None
