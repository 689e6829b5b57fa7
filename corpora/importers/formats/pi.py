"""pi: `~/.pi/agent/sessions/*/*.jsonl`, one JSON object per line; session formats 1 (unnamed) and 3 were seen.

A call is a `toolCall` of an assistant message; its result is a message with the role `toolResult`. The log names the
version of its format only, so that is the version here. Traps:

- Several edits of one call are each made against the original text.
- `details.diff` numbers each line and leaves out stretches. Before `firstChangedLine` was added, the numbers of context
  after such a stretch are wrong.
- The text of a read ends in a note if the file has more lines; the first versions word it differently.
- The edits may be a JSON string, and the single pair of the older form may be beside them.

With the extension pi-hashline-edit a read shows lines with anchors, and an edit names them: H2 in some versions. Its
other formats are not read here: such edits are counted, and such reads are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from corpora.importers.calls import LOOK, Call, Calls, Tool, at_time, edits_in, with_error, with_shown
from corpora.importers.importer import Surroundings
from corpora.importers.listings import anchored_call, anchored_listing, has_unknown_anchors, unified_hunks
from corpora.importers.log import Log, dig, embedded, items, json_lines, text
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Read, RecordedDiff
from corpora.sample import Format
from editcore.types import File

_RELEVANT = (b'"session"', b'"toolCall"', b'"toolResult"', b'"bashExecution"')
_TOOLS = {
    "edit": Tool("edit", "path"),
    "write": Tool("write", "path", "content"),
    "read": Tool("read", "path"),
    **dict.fromkeys(("grep", "find", "ls"), LOOK),
}
_ERROR_PHRASES = (
    ("no_match", "Could not find"),
    ("ambiguous", "occurrences of"),
    ("identical", "No changes made to", "No changes would be made to"),
    ("malformed", "Validation failed", "must not be empty", "overlap in"),
    ("cancelled", "Operation aborted", "Skipped due to queued user message"),
    ("declined", "Tool execution was blocked"),
    ("no_match", "[E_STALE_ANCHOR]"),
    ("identical", "[E_NOOP_LOOP]"),
    ("no_match", "[E_NO_MATCH]"),
    ("ambiguous", "[E_MULTI_MATCH]"),
    ("no_match", "[E_RANGE_OOB]"),
    ("malformed", "[E_"),
)
_MORE = re.compile(r"\n\n(?:\[(?:Showing lines |\d+ more lines in file)[^\n]*\]|\.\.\. \(([^\n]*)\))\Z")
_EXIT = re.compile(r"Command exited with code (\d{1,3})\s*\Z")
_NO_TEXT = re.compile(r"\[Line \d+ is [^\n]*exceeds |Read image file \[")


def events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    return session_events(log, surroundings, PI)


@dataclass(slots=True)
class Session:
    """The state of a session while it is read."""

    calls: Calls
    listed: Format | None = None
    """The format in which files were last shown with anchors; before the first, the agent's format."""
    with_line_feeds: set[str] = field(default_factory=set)
    """Files whose lines are known to end in line feeds."""
    tagged: dict[str, File] = field(default_factory=dict)
    """Texts by their tags, in formats with tags; those seen longest ago first."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The rules of an agent whose sessions are written like pi's."""

    attempt: Callable[[str, Any, str | None, Session], Attempt | None]
    """(key, arguments of an edit, model, session) -> the edit; None if it cannot be read."""
    results: Callable[[Call, Any, Session], Iterator[Event]]
    """(call, message with its result, session) -> its events."""
    listed: Format | None = None
    """The format in which the agent shows files with anchors."""


def session_events(log: Log, surroundings: Surroundings, dialect: Dialect) -> Iterator[Event]:
    """The events of a session."""
    session = Session(Calls(surroundings.tally, _TOOLS), dialect.listed)
    for number, line in json_lines(log, surroundings.tally, only=_RELEVANT):
        yield from at_time(_line_events(line, f"{log.name}:{number}", session, dialect), line.get("timestamp"))
    yield from session.calls.unanswered()


def _line_events(line: dict[str, Any], where: str, session: Session, dialect: Dialect) -> Iterator[Event]:
    if line.get("type") == "session":
        version = line.get("version")
        yield Opened(text(line.get("cwd")) or None, str(version) if type(version) is int else None)
    message = line.get("message")
    match dig(message, "role"):
        case "assistant":
            for n, part in enumerate(items(dig(message, "content"))):
                if part.get("type") == "toolCall":
                    key, tool = text(part.get("id")) or f"{where}#{n}", text(part.get("name"))
                    arguments, model = part.get("arguments"), text(dig(message, "model")) or None
                    attempt = dialect.attempt(key, arguments, model, session) if tool == "edit" else None
                    session.calls.open(key, session.calls.call(key, tool, arguments, where, attempt=attempt))
        case "toolResult":
            if call := session.calls.answered(text(dig(message, "toolCallId")), where):
                made = dialect.results(call, message, session)
                yield from with_shown(made, call.arguments, dig(message, "content"))
        case "bashExecution":
            yield from with_shown([Disturbed()], message)


def _attempt(key: str, arguments: Any, model: str | None, session: Session) -> Attempt | None:
    path = text(dig(arguments, "path"))
    given = embedded(dig(arguments, "edits"))
    if anchored := anchored_call(arguments, session.listed):
        return Attempt(key, anchored[0], patch=anchored[1], model=model)
    listed = given if isinstance(given, list) else []
    several = bool(listed)
    # The single pair of the older form may be beside a list.
    if dig(arguments, "oldText") is not None or not several:
        listed = [*listed, arguments]
    edits = edits_in(listed, "oldText", "newText")
    return Attempt(key, "str_replace", path, edits, model=model, against_original=several) if path and edits else None


def output_of(message: Any) -> str:
    return "\n".join(text(part.get("text")) for part in items(dig(message, "content")))


def is_failed(message: Any) -> bool:
    return dig(message, "isError") is True


def _result_events(call: Call, message: Any, session: Session) -> Iterator[Event]:
    output, failed = output_of(message), is_failed(message)
    if call.attempt and failed:
        yield with_error(call.attempt, output, _ERROR_PHRASES)
    elif call.attempt and dig(message, "details", "classification") == "noop":
        yield replace(call.attempt, outcome="identical")
    elif call.attempt:
        yield replace(call.attempt, outcome="applied", diffs=recorded_diffs(call.path, dig(message, "details")))
    else:
        yield from other_results(call, message, session)


def other_results(call: Call, message: Any, session: Session) -> Iterator[Event]:
    """The events of a result of a call that is no edit."""
    parts = items(dig(message, "content"))
    if call.tool.kind != "read":
        code = _EXIT.search(output_of(message)) if is_failed(message) else None
        yield from call.other_events(
            succeeded=not is_failed(message), exit_code=int(code[1]) if code else None if is_failed(message) else 0
        )
    elif call.path and not is_failed(message) and all(part.get("type") == "text" for part in parts):
        yield from _read_events(call.path, dig(call.arguments, "offset"), message, session)


def _read_events(path: str, offset: Any, message: Any, session: Session) -> Iterator[Event]:
    output = output_of(message)
    if listing := anchored_listing(output):
        session.listed = listing.format
        yield listing.read(path)
        return
    if has_unknown_anchors(output):
        return
    first = offset if type(offset) is int and offset > 0 else 1
    more = _MORE.search(output)
    if _NO_TEXT.match(output) or (more and "truncated" in (more[1] or "")):
        return
    yield Read(path, output[: more.start()] if more else output, first, whole=first == 1 and more is None)


def recorded_diffs(path: str, details: Any) -> tuple[RecordedDiff, ...]:
    """The diff of a result, if it has one."""
    patch = text(dig(details, "patch"))
    if "@@ -" in patch:
        return (RecordedDiff(path, patch),)
    hunks = unified_hunks(text(dig(details, "diff")))
    numbers_hold = type(dig(details, "firstChangedLine")) is int
    return (RecordedDiff(path, hunks, numbers_hold=numbers_hold, ends_shown=False),) if hunks else ()


PI = Dialect(_attempt, _result_events)
