"""Calls of an agent's tools in a log: those whose results have not been read yet, and what a result says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from corpora.importers.log import Tally, dig
from corpora.importers.session import NOT_TRIED, Attempt, Disturbed, Event, Read, Shown, Wrote
from editcore.types import Edit

_LONGEST = 300
"""Characters that are kept of an error."""

_LATEST_MS = 10**13
"""A time in the year 2286 in milliseconds; what is below a thousandth of it is in seconds."""
_DEEPEST = 4
"""How deep texts are looked for in the arguments of a call."""

ErrorPhrases = Sequence[tuple[str, ...]]
"""Rows of an outcome and phrases of error texts; the first row with a phrase that is found decides."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call whose result has not been read yet."""

    tool: str
    arguments: Any = None
    attempt: Attempt | None = None
    """The call as an edit; None for other calls, and for an edit without its strings."""


class OpenCalls:
    """The calls of a session whose results have not been read yet, by id."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._calls: dict[str, Call] = {}

    def add(self, key: str, call: Call, where: str, *, is_edit: bool) -> None:
        """Take in a call; an edit without its strings is counted. Without an id, no result can name it."""
        if is_edit and call.attempt is None:
            self._tally.add("edit call without its strings", where)
        if key:
            self._calls[key] = call

    def answered(self, key: str, where: str) -> Call | None:
        """The call whose result has been read, which is open no more; None, and counted, if there is none."""
        call = self._calls.pop(key, None)
        if call is None:
            self._tally.add("result without its call", where)
        return call

    def unanswered(self) -> Iterator[Attempt]:
        """The edits without a result."""
        yield from (call.attempt for call in self._calls.values() if call.attempt)


def with_shown(events: Iterable[Event], *told: Any) -> Iterator[Event]:
    """The events of a call, and that the agent saw what was told: its arguments and its result.

    A read says by itself what was seen; a call that disturbs says it with the texts, or not at all if one of the values
    is None: not in the log.
    """
    texts = None if None in told else "\n".join(_texts(list(told)))
    is_said = not texts
    for event in events:
        yield replace(event, shown=texts) if isinstance(event, Disturbed) else event
        is_said |= isinstance(event, Disturbed | Read)
    if texts and not is_said:
        yield Shown(texts)


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    """The texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict) and depth <= _DEEPEST:
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part, depth + 1)


def edits_in(given: Any, old: str, new: str, every: str = "") -> tuple[Edit, ...]:
    """The edits in a list of objects with these names of fields; none if one of them lacks a text."""
    listed = given if isinstance(given, list) else []
    texts = [(dig(one, old), dig(one, new), dig(one, every) in (True, "true")) for one in listed]
    is_whole = all(isinstance(side, str) for one in texts for side in one[:2])
    return tuple(Edit(*one) for one in texts) if is_whole else ()


def at_time(events: Iterable[Event], value: Any) -> Iterator[Event]:
    """The events of a call, its edits with the time that the log gives."""
    time = seconds(value)
    for event in events:
        yield replace(event, time=time) if isinstance(event, Attempt) and time is not None else event


def seconds(value: Any) -> float | None:
    """A time of a log in seconds since 1970: a number of seconds or milliseconds, or a text by ISO 8601."""
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp()
        except (ValueError, OverflowError):
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < _LATEST_MS:
        return None
    return value / 1000 if value > _LATEST_MS / 1000 else float(value)


def whole_file(path: str, content: Any) -> Iterator[Wrote]:
    """The file that a call wrote as a whole; nothing if the log lacks its path or its text."""
    if path and isinstance(content, str):
        yield Wrote(path, content)


def with_error(attempt: Attempt, message: str, phrases: ErrorPhrases) -> Attempt:
    """The attempt with its outcome by the error text of the agent's tool."""
    outcome, error = classify_error(message, phrases)
    return replace(attempt, outcome=outcome, error=error)


def classify_error(message: str, phrases: ErrorPhrases) -> tuple[str, str | None]:
    """The outcome of an error by its first line, and that line.

    Further lines repeat what the model sent. A call that was not tried has no line: it would be a person's reasons.
    """
    line = next((line.strip() for line in message.splitlines() if line.strip()), "")
    outcome = next((outcome for outcome, *words in phrases if any(one in line for one in words)), "unknown")
    return outcome, None if outcome in NOT_TRIED else line[:_LONGEST] or None
