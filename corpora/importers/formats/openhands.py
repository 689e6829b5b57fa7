"""OpenHands: an event stream, as a trajectory (a JSON list), a folder of `events/<n>.json`, or evaluation output.

An event has an `action` with `args`, or an `observation` with `content` and `extras`; an observation names the `id` of
its action in `cause`. Evaluation output has one record per line, with its events under `history`, singly or in pairs.
Events of the later SDK are read too: `kind` is ActionEvent or ObservationEvent, paired by `tool_call_id`. The logs name
no version. Traps:

- In results of the editor tool, `old_content` and `new_content` are the whole file in some versions and the strings of
  the call in others; then only `diff` shows the change, without context and without trailing whitespace.
- A failed edit is an edit observation too; its content starts with ERROR.
- An edit that is drafted by a second model has no search text: only its result counts.
- A written file gets a line feed after each of its lines.
"""

from __future__ import annotations

import errno
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from corpora.importers.calls import whole_file, with_shown
from corpora.importers.importer import Importer, Surroundings
from corpora.importers.listings import CAT_N, unnumbered
from corpora.importers.log import LARGEST_DOCUMENT, Log, Tally, dig, items, json_document, json_lines, text
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Read, RecordedDiff, Wrote
from corpora.regular_file import content
from editcore.types import Edit, File

_OUTCOMES = (
    ("no_match", re.compile(r"did not appear verbatim")),
    ("ambiguous", re.compile(r"Multiple occurrences of old_str")),
    ("identical", re.compile(r"must be different|is the same as new_str")),
    ("malformed", re.compile(r"Parameter `?\w+`? is required|Missing required parameter|Unrecognized command")),
)
_RUNS = ("run", "run_ipython", "call_tool_mcp")
_EDITORS = ("edit", "str_replace", "insert", "create", "write", "undo_edit")


@dataclass(frozen=True, slots=True)
class _Call:
    """A call whose result has not been read yet."""

    key: str
    command: str
    args: dict[str, Any]
    model: str | None


def logs(path: Path) -> Iterator[Log]:
    """A log for each folder of events, and for each other JSON file."""
    if path.is_file():
        yield Log.at(path)
        return
    files = sorted(file for pattern in ("*.json", "*.jsonl") for file in path.rglob(pattern) if file.is_file())
    folders = {file.parent for file in files if file.parent.name == "events"}
    for place in sorted(folders | {file for file in files if file.parent not in folders}):
        yield _folder(place) if place in folders else Log.at(place)


def _folder(folder: Path) -> Log:
    """The log of a folder of events: one event per line, in the order of their numbers."""

    def opened() -> BinaryIO:
        files = sorted(folder.glob("*.json"), key=lambda file: int(f"0{''.join(re.findall('[0-9]+', file.stem)[:1])}"))
        if sum(file.stat().st_size for file in files) > LARGEST_DOCUMENT:
            raise OSError(errno.EFBIG, f"its events have over {LARGEST_DOCUMENT >> 20} MB")
        return io.BytesIO(b"\n".join(content(file, LARGEST_DOCUMENT).replace(b"\n", b" ") for file in files))

    return Log(str(folder), opened, folder)


def events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    """The events of a session, each call at the place of its result."""
    name = log.path.name if log.path else log.name
    for session, stream in enumerate(_streams(log, surroundings.tally)):
        yield from _session(stream, f"{name}:{session}", surroundings.tally, log.name)


def _streams(log: Log, tally: Tally) -> Iterator[Iterator[dict[str, Any]]]:
    """The event streams in a log."""
    if log.path and log.path.is_dir():
        yield (event for _, event in json_lines(log, tally))
    elif log.name.endswith(".jsonl"):
        for _, record in json_lines(log, tally):
            yield _flattened(record.get("history"))
    else:
        document = json_document(log, tally)
        for name in ("history", "trajectory", "events"):
            document = dig(document, name) if isinstance(document, dict) and name in document else document
        yield _flattened(document)


def _flattened(history: Any) -> Iterator[dict[str, Any]]:
    """The events of a list of events or of pairs of events."""
    for event in history if isinstance(history, list) else ():
        if isinstance(event, list):
            yield from items(event)
        elif isinstance(event, dict):
            yield event


def _session(stream: Iterator[dict[str, Any]], session: str, tally: Tally, where: str) -> Iterator[Event]:
    yield Opened(afresh=True)
    pending: dict[str, _Call] = {}
    for number, event in enumerate(stream):
        if call := _action(event, f"{session}:{number}"):
            cause = _id(event, "id")
            pending[cause or call.key] = call
        elif "observation" in event:
            cause = _id(event, "cause")
            if call := pending.pop(cause, None):
                kind, output, extras = _observed(event)
                yield from with_shown(_result_events(call, kind, output, extras), call.args, output)
            elif cause and dig(event, "observation") in _EDITORS:
                tally.add("result without its call", where)
    for call in pending.values():
        yield from _attempts(call)


def _id(event: dict[str, Any], name: str) -> str:
    """The id that an action and its observation share."""
    value = event.get("tool_call_id") if "kind" in event else event.get(name)
    return str(value) if isinstance(value, int | str) else ""


def _action(event: dict[str, Any], position: str) -> _Call | None:
    action = event.get("action")
    if isinstance(action, dict):
        if "observation" in event:
            return None
        command = text(action.get("command")) if "Editor" in text(action.get("kind")) else "run"
        return _Call(text(event.get("tool_call_id")) or position, command, action, None)
    args = event.get("args")
    if not isinstance(action, str) or not isinstance(args, dict):
        return None
    call = event.get("tool_call_metadata")
    command = text(args.get("command")) if action == "edit" and not _drafted(args) else action
    model = text(dig(call, "model_response", "model")) or None
    return _Call(text(dig(call, "tool_call_id")) or position, command, args, model)


def _drafted(args: dict[str, Any]) -> bool:
    """Whether a second model drafts the edit."""
    return args.get("impl_source") == "llm_based_edit" or not text(args.get("command"))


def _observed(event: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """(kind of observation, its text, its other fields)."""
    observation = event.get("observation")
    if isinstance(observation, dict):
        parts = observation.get("content")
        output = "".join(text(part.get("text")) for part in items(parts)) or text(observation.get("output"))
        failed = observation.get("is_error") is True or bool(text(observation.get("error")))
        return ("error" if failed else "edit"), text(observation.get("error")) or output, observation
    extras = event.get("extras")
    content = text(event.get("content"))
    failed = content.startswith("ERROR:\n")
    kind = "error" if failed else text(observation)
    return kind, content.removeprefix("ERROR:\n") if failed else content, extras if isinstance(extras, dict) else {}


def _result_events(call: _Call, kind: str, output: str, extras: dict[str, Any]) -> Iterator[Event]:
    path = text(call.args.get("path"))
    succeeded = kind in ("edit", "read", "write")
    match call.command:
        case command if command in _RUNS:
            yield Disturbed()
        case "read" | "view":
            if succeeded and path:
                yield from _read_events(path, call.args, output)
        case "create":
            yield from whole_file(path if succeeded else "", call.args.get("file_text"))
        case "write":
            if succeeded and path and isinstance(content := call.args.get("content"), str):
                all_of_it = call.args.get("start", 0) in (0, 1) and call.args.get("end", -1) == -1
                yield Wrote(path, content + "\n") if all_of_it else Disturbed()
        case "edit" | "undo_edit":
            after = extras.get("new_content")
            if succeeded:
                yield Wrote(path, after) if path and isinstance(after, str) else Disturbed()
        case _:
            for attempt in _attempts(call):
                yield _with_outcome(attempt, call, kind, output, extras)


def _read_events(path: str, args: dict[str, Any], output: str) -> Iterator[Event]:
    if output.startswith("Here's the result of running `cat -n`"):
        if found := unnumbered(output, CAT_N):
            first, content = found
            whole = (
                first == 1
                and not args.get("view_range")
                and content.endswith("\n")
                and "<response clipped>" not in output
            )
            yield Read(path, content, first, whole)
    elif args.get("impl_source") in (None, "default") and not output.startswith("data:"):
        start, end = args.get("start", 0), args.get("end", -1)
        if start == 0 and end == -1 and "command" not in args:
            yield Read(path, output)


def _attempts(call: _Call) -> Iterator[Attempt]:
    """The call as an attempt with an unknown outcome; none if it is not an edit."""
    path = text(call.args.get("path")) or None
    old, new, line = (call.args.get(name) for name in ("old_str", "new_str", "insert_line"))
    if call.command == "str_replace":
        edits = (Edit(old, text(new)),) if isinstance(old, str) else None
        yield Attempt(call.key, "str_replace", path=path, edits=edits, model=call.model, quirks=("expands_tabs",))
    elif call.command == "insert" and isinstance(new, str) and isinstance(line, int):
        yield Attempt(call.key, "insert", path=path, patch=new, line=line, model=call.model)


def _with_outcome(attempt: Attempt, call: _Call, kind: str, output: str, extras: dict[str, Any]) -> Attempt:
    """The attempt with its outcome, texts and diff by its observation."""
    if kind == "user_rejected":
        return replace(attempt, outcome="declined")
    if kind != "edit":
        error = output.strip().split("\n")[0][:300] or None
        outcome = next((outcome for outcome, words in _OUTCOMES if words.search(output)), "unknown")
        return replace(attempt, outcome=outcome, error=error)
    path, diff = attempt.path, text(extras.get("diff"))
    if not path:
        return replace(attempt, outcome="applied")
    old, new = extras.get("old_content"), extras.get("new_content")
    own = (old, new) == (call.args.get("old_str"), call.args.get("new_str"))
    if not own and isinstance(old, str) and isinstance(new, str):
        return replace(attempt, outcome="applied", before=(File(path, old),), after=(File(path, new),))
    trimmed = any(
        line != line.rstrip() for string in ("old_str", "new_str") for line in text(call.args.get(string)).split("\n")
    )
    return replace(attempt, outcome="applied", diffs=(RecordedDiff(path, diff),) if diff and not trimmed else ())


IMPORTER = Importer(
    name="openhands",
    summary="OpenHands trajectories: *.json, folders of events/<n>.json, output.jsonl",
    logs=logs,
    events=events,
    homes=(".openhands/sessions", ".openhands-state/sessions", ".openhands/conversations"),
)
