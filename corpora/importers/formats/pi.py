"""pi: `~/.pi/agent/sessions/*/*.jsonl`, one JSON object per line; session formats 1 (unnamed) and 3 were seen.

A call is a `toolCall` of an assistant message; its result is a message with the role `toolResult`. The log names the
version of its format only, so that is the version here. Traps:

- Several edits of one call are each made against the original text.
- `details.diff` numbers each line and leaves out stretches. Before `firstChangedLine` was added, the numbers of context
  after such a stretch are wrong.
- The text of a read ends in a note if the file has more lines; the first versions word it differently.
- The edits may be a JSON string, and the single pair of the older form may be beside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from corpora.importers.calls import Call, OpenCalls, at_time, edits_in, whole_file, with_error, with_shown
from corpora.importers.importer import Importer, Surroundings, files_matching
from corpora.importers.log import Log, dig, embedded, items, json_lines, text
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Read, RecordedDiff

_RELEVANT = (b'"session"', b'"toolCall"', b'"toolResult"', b'"bashExecution"')
_HARMLESS = ("read", "grep", "find", "ls", "edit", "write")
_ERROR_PHRASES = (
    ("Could not find", "no_match"),
    ("occurrences of", "ambiguous"),
    ("No changes made to", "identical"),
    ("No changes would be made to", "identical"),
    ("Validation failed", "malformed"),
    ("must not be empty", "malformed"),
    ("overlap in", "malformed"),
    ("Operation aborted", "cancelled"),
    ("Skipped due to queued user message", "cancelled"),
    ("Tool execution was blocked", "declined"),
)
_NUMBERED = re.compile(r"([ +-])\s*(\d{1,9}) (.*)", re.DOTALL)
_MORE = re.compile(r"\n\n(?:\[(?:Showing lines |\d+ more lines in file)[^\n]*\]|\.\.\. \(([^\n]*)\))\Z")
_NO_TEXT = re.compile(r"\[Line \d+ is [^\n]*exceeds |Read image file \[")


def events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    """The events of a session."""
    calls = OpenCalls(surroundings.tally)
    for number, line in json_lines(log, surroundings.tally, only=_RELEVANT):
        yield from at_time(_line_events(line, f"{log.name}:{number}", calls), line.get("timestamp"))
    yield from calls.unanswered()


def _line_events(line: dict[str, Any], where: str, calls: OpenCalls) -> Iterator[Event]:
    if line.get("type") == "session":
        version = line.get("version")
        yield Opened(text(line.get("cwd")) or None, str(version) if type(version) is int else None)
    message = line.get("message")
    match dig(message, "role"):
        case "assistant":
            for n, part in enumerate(items(dig(message, "content"))):
                if part.get("type") == "toolCall":
                    key, tool = text(part.get("id")) or f"{where}#{n}", text(part.get("name"))
                    made = _call(key, tool, part.get("arguments"), text(dig(message, "model")) or None)
                    calls.add(key, made, where, is_edit=tool == "edit")
        case "toolResult":
            if call := calls.answered(text(dig(message, "toolCallId")), where):
                yield from with_shown(_result_events(call, message), call.arguments, dig(message, "content"))
        case "bashExecution":
            yield from with_shown([Disturbed()], message)


def _call(key: str, tool: str, arguments: Any, model: str | None) -> Call:
    attempt = _attempt(key, arguments, model) if tool == "edit" else None
    return Call(tool, arguments, attempt)


def _attempt(key: str, arguments: Any, model: str | None) -> Attempt | None:
    path = text(dig(arguments, "path"))
    given = embedded(dig(arguments, "edits"))
    listed = given if isinstance(given, list) else []
    several = bool(listed)
    if dig(arguments, "oldText") is not None or not several:
        listed = [*listed, arguments]
    edits = edits_in(listed, "oldText", "newText")
    return Attempt(key, "str_replace", path, edits, model=model, against_original=several) if path and edits else None


def _result_events(call: Call, message: Any) -> Iterator[Event]:
    parts = items(dig(message, "content"))
    output = "\n".join(text(part.get("text")) for part in parts)
    failed = dig(message, "isError") is True
    path = text(dig(call.arguments, "path"))
    if call.attempt and failed:
        yield with_error(call.attempt, output, _ERROR_PHRASES)
    elif call.attempt:
        yield replace(call.attempt, outcome="applied", diffs=_diffs(call.attempt.path or "", dig(message, "details")))
    elif call.tool == "write" and not failed:
        yield from whole_file(path, dig(call.arguments, "content"))
    elif call.tool == "read" and not failed and path and all(part.get("type") == "text" for part in parts):
        yield from _read_events(path, dig(call.arguments, "offset"), output)
    elif call.tool not in _HARMLESS:
        yield Disturbed()


def _read_events(path: str, offset: Any, output: str) -> Iterator[Event]:
    first = offset if type(offset) is int and offset > 0 else 1
    more = _MORE.search(output)
    if _NO_TEXT.match(output) or (more and "truncated" in (more[1] or "")):
        return
    yield Read(path, output[: more.start()] if more else output, first, whole=first == 1 and more is None)


def _diffs(path: str, details: Any) -> tuple[RecordedDiff, ...]:
    patch = text(dig(details, "patch"))
    if "@@ -" in patch:
        return (RecordedDiff(path, patch),)
    hunks = unified_hunks(text(dig(details, "diff")))
    return (RecordedDiff(path, hunks, numbers_hold=type(dig(details, "firstChangedLine")) is int),) if hunks else ()


def unified_hunks(numbered: str) -> str:
    """The unified hunks of a diff with numbered lines: removed and context lines have old numbers, added new ones."""
    stretches: list[list[tuple[str, int, str]]] = [[]]
    for line in numbered.split("\n"):
        if row := _NUMBERED.fullmatch(line):
            stretches[-1].append((row[1], int(row[2]), row[3]))
        elif stretches[-1]:
            stretches.append([])
    hunks: list[str] = []
    grown = 0
    for rows in stretches:
        if not any(mark != " " for mark, _, _ in rows):
            continue
        mark, number, _ = rows[0]
        start = number - grown if mark == "+" else number
        n_old = sum(mark != "+" for mark, _, _ in rows)
        n_new = sum(mark != "-" for mark, _, _ in rows)
        # A side without lines is numbered by the line before it.
        hunks.append(f"@@ -{start - (not n_old)},{n_old} +{start + grown - (not n_new)},{n_new} @@\n")
        hunks += (f"{mark}{content}\n" for mark, _, content in rows)
        grown += n_new - n_old
    return "".join(hunks)


IMPORTER = Importer(
    name="pi",
    summary="pi coding agent sessions (~/.pi/agent/sessions/*/*.jsonl)",
    logs=files_matching("*.jsonl"),
    events=events,
    homes=(".pi/agent/sessions",),
    versions=("1", "3"),
)
