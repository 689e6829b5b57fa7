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
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from corpora.importers.calls import LOOK, RUN, Call, Calls, Tool, with_shown
from corpora.importers.chat_calls import ChatCalls
from corpora.importers.importer import Surroundings, records
from corpora.importers.listings import CAT_N, unnumbered
from corpora.importers.log import (
    LARGEST_DOCUMENT,
    Log,
    Tally,
    dig,
    embedded,
    items,
    joined_text,
    json_document,
    json_lines,
    text,
)
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Quirk, Read, RecordedDiff, Wrote
from corpora.regular_file import content
from editcore.types import File

_OUTCOMES = (
    ("no_match", re.compile(r"did not appear verbatim")),
    ("ambiguous", re.compile(r"Multiple occurrences of old_str")),
    ("identical", re.compile(r"must be different|is the same as new_str")),
    ("malformed", re.compile(r"Parameter `?\w+`? is required|Missing required parameter|Unrecognized command")),
)
_QUIRKS: tuple[Quirk, ...] = ("expands_tabs",)
_TOOLS = {
    "str_replace": Tool("edit", "path", "new_str", "old_str", quirks=_QUIRKS, is_lenient=True),
    "insert": Tool("insert", "path", "new_str", line="insert_line", is_lenient=True),
    "create": Tool("write", "path", "file_text"),
    **dict.fromkeys(("read", "view"), Tool("read", "path")),
    **dict.fromkeys(("run", "run_ipython", "call_tool_mcp"), RUN),
    **dict.fromkeys(("write", "edit", "undo_edit"), Tool("look", "path")),
}
"""The effects of `write`, `edit` and `undo_edit` are in their results."""
_EDITORS = ("edit", "str_replace", "insert", "create", "write", "undo_edit")


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
    """The events of a session. Each call is placed at its result."""
    name = log.path.name if log.path else log.name
    for session, stream in enumerate(_streams(log, surroundings.tally)):
        yield from _session(stream, f"{name}:{session}", surroundings.tally, log.name)


def _streams(log: Log, tally: Tally) -> Iterator[Iterator[dict[str, Any]]]:
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
    """The events of a list of events, or of pairs of events."""
    for event in history if isinstance(history, list) else ():
        if isinstance(event, list):
            yield from items(event)
        elif isinstance(event, dict):
            yield event


def _session(stream: Iterator[dict[str, Any]], session: str, tally: Tally, where: str) -> Iterator[Event]:
    yield Opened(afresh=True)
    calls = Calls(tally, _TOOLS, otherwise=LOOK)
    for number, event in enumerate(stream):
        if asked := _action(event):
            key = _call_id(event) or f"{session}:{number}"
            calls.open(_id(event, "id") or key, calls.call(key, *asked, where, model=_model(event)))
        elif "observation" in event:
            is_counted = bool(_id(event, "cause")) and dig(event, "observation") in _EDITORS
            if call := calls.answered(_id(event, "cause"), where, is_counted=is_counted):
                kind, output, extras = _observed(event)
                yield from with_shown(_result_events(call, kind, output, extras), call.arguments, output)
    yield from calls.unanswered()


def _id(event: dict[str, Any], name: str) -> str:
    """The id that an action and its observation share."""
    value = event.get("tool_call_id") if "kind" in event else event.get(name)
    return str(value) if isinstance(value, int | str) else ""


def _action(event: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """The command and the arguments of an event that is a call; None for another event."""
    action = event.get("action")
    if isinstance(action, dict):
        command = text(action.get("command")) if "Editor" in text(action.get("kind")) else "run"
        return None if "observation" in event else (command, action)
    args = event.get("args")
    if not isinstance(action, str) or not isinstance(args, dict):
        return None
    return text(args.get("command")) if action == "edit" and not (
        args.get("impl_source") == "llm_based_edit" or not text(args.get("command"))
    ) else action, args


def _call_id(event: dict[str, Any]) -> str:
    is_of_sdk = isinstance(event.get("action"), dict)
    return text(event.get("tool_call_id") if is_of_sdk else dig(event, "tool_call_metadata", "tool_call_id"))


def _model(event: dict[str, Any]) -> str | None:
    return text(dig(event, "tool_call_metadata", "model_response", "model")) or None


def _observed(event: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """The kind of observation, its text, and its other fields."""
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


def _result_events(call: Call, kind: str, output: str, extras: dict[str, Any]) -> Iterator[Event]:
    path, args, succeeded = call.path, call.arguments, kind in ("edit", "read", "write")
    if call.attempt:
        yield _with_outcome(call.attempt, args, kind, output, extras)
    elif call.tool.kind == "read" and succeeded and path:
        yield from _read_events(path, args, output)
    elif call.name == "write" and succeeded and path and isinstance(content := args.get("content"), str):
        all_of_it = args.get("start", 0) in (0, 1) and args.get("end", -1) == -1
        yield Wrote(path, content + "\n") if all_of_it else Disturbed()
    elif call.name in ("edit", "undo_edit") and succeeded:
        after = extras.get("new_content")
        yield Wrote(path, after) if path and isinstance(after, str) else Disturbed()
    else:
        code = dig(extras, "metadata", "exit_code")
        yield from call.other_events(succeeded=succeeded, exit_code=code if type(code) is int else None)


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


def _with_outcome(attempt: Attempt, args: dict[str, Any], kind: str, output: str, extras: dict[str, Any]) -> Attempt:
    """The attempt with the outcome, texts and diff of its observation."""
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
    # Some versions repeat the strings of the call in the place of the whole texts.
    own = (old, new) == (args.get("old_str"), args.get("new_str"))
    if not own and isinstance(old, str) and isinstance(new, str):
        return replace(attempt, outcome="applied", before=(File(path, old),), after=(File(path, new),))
    trimmed = any(
        line != line.rstrip() for string in ("old_str", "new_str") for line in text(args.get(string)).split("\n")
    )
    return replace(attempt, outcome="applied", diffs=(RecordedDiff(path, diff),) if diff and not trimmed else ())


# OpenHands' message traces, the layout of large public sets: one run a row, in Parquet or JSON lines.
#
# A row has a list `trajectory` or `messages` of chat messages. An `assistant` message has `tool_calls`, each with `id`
# and `function` (`name`, and `arguments` as JSON text); a `tool` message answers with `tool_call_id` and `content`. The
# row also has `instance_id`, `repo`, and in some sets `license` and `model`. The editor is `str_replace_editor`, the
# shell `execute_bash`. Traps:
#
# - Results have nothing but texts, so only an edit that can have had one result has a label.
# - Calls of two rows may have the same id.
# - A list may also be JSON in a text.

_FOLDER = "/workspace"


def message_events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    for number, row in records(log, surroundings.tally):
        messages = next((some for name in ("trajectory", "messages") if (some := items(embedded(row.get(name))))), [])
        if not messages:
            surroundings.tally.add("row without messages", f"{log.name}:{number}")
            continue
        run = text(row.get("trajectory_id")) or text(row.get("instance_id")) or f"{log.name}:{number}"
        model = text(row.get("model")) or None
        yield Opened(
            _FOLDER, afresh=True, repo=text(row.get("repo")) or None, license=text(row.get("license")) or None,
            agent="openhands",
        )  # fmt: skip
        calls, where = ChatCalls(Calls(surroundings.tally, {})), f"{log.name}:{number}"
        for n, message in enumerate(messages):
            for m, call in enumerate(items(message.get("tool_calls"))):
                key = f"{run}:{text(call.get('id')) or f'{n}#{m}'}"
                calls.call(key, text(dig(call, "function", "name")), dig(call, "function", "arguments"), where, model)
            if message.get("role") == "tool":
                key = f"{run}:{text(message.get('tool_call_id'))}"
                yield from calls.result(key, joined_text(message.get("content"), "\n"), where)
        yield from calls.unanswered()
