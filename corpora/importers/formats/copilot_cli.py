"""Copilot CLI: `~/.copilot/session-state/<id>/events.jsonl`, one event per line; version 1.0.64 was seen.

`tool.execution_start` has a call and `tool.execution_complete` its result, paired by `toolCallId`. The model is named
by `session.model_change` and by results. Traps:

- The arguments of `apply_patch` are the patch itself, a string.
- A file is shown with `1. ` before each line. If the last line is not empty, it is not known whether the file ends in
  a line feed.
- The diff of a result names its files without the root of their paths.
- Some set-ups have one tool `str_replace_editor` with commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from corpora.importers.calls import at_time, classify_error, whole_file, with_shown
from corpora.importers.git_history.changes import repository_name
from corpora.importers.importer import Importer, Surroundings, files_matching
from corpora.importers.listings import POINT, unnumbered
from corpora.importers.log import Log, dig, json_lines, text
from corpora.importers.rebuilding import paths
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Read, RecordedDiff
from editcore.types import Edit

_OWNER_AND_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_ERROR_PHRASES = (
    ("declined", "rejected", "denied"),
    ("cancelled", "cancelled", "aborted"),
    ("identical", "identical", "must be different", "o changes"),
    ("ambiguous", "ultiple matches", "ultiple occurrences"),
    ("no_match", "o match", "did not appear", "find expected lines", "find context"),
    ("malformed", "nvalid patch", "nvalid hunk", "is required"),
)
_CODES = {"rejected": "declined", "denied": "declined", "cancelled": "cancelled", "aborted": "cancelled"}
_SHELLS = ("bash", "shell", "local_shell", "powershell", "write_bash", "write_powershell")
_FILE = re.compile(r"^diff --git .*$", re.MULTILINE)
_HEADER = re.compile(r"^(?:---|\+\+\+) (?:[ab]/)?([^\t\n]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Call:
    """A call whose result has not been read yet."""

    tool: str
    arguments: Any
    model: str | None


def events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    """The events of a session, each call at the place of its result."""
    model: str | None = None
    pending: dict[str, _Call] = {}
    for number, line in json_lines(log, surroundings.tally):
        data = line.get("data")
        key = text(dig(data, "toolCallId"))
        match line.get("type"):
            case "session.start":
                yield _opened(data)
                model = text(dig(data, "selectedModel")) or model
            case "session.model_change":
                model = text(dig(data, "newModel")) or model
            case "tool.execution_start" if key:
                pending[key] = _Call(text(dig(data, "toolName")), dig(data, "arguments"), model)
            case "tool.execution_complete" if key in pending:
                call = pending.pop(key)
                said = dig(data, "result", "content")
                told = (call.arguments, dig(data, "error", "message") if said is None else said)
                call = replace(call, model=text(dig(data, "model")) or call.model)
                yield from at_time(with_shown(_result_events(call, data, key), *told), line.get("timestamp"))
            case "tool.execution_start" | "tool.execution_complete":
                surroundings.tally.add("call or result without its counterpart", f"{log.name}:{number}")
    for key, call in pending.items():
        yield from _attempts(call, key)


def _opened(data: Any) -> Opened:
    context = dig(data, "context")
    cwd, version, commit, repo = (
        text(value) or None
        for value in (
            dig(context, "cwd"),
            dig(data, "copilotVersion"),
            dig(context, "headCommit"),
            dig(context, "repository"),
        )
    )
    name = repo if repo is None or _OWNER_AND_NAME.fullmatch(repo) else repository_name(repo)
    return Opened(cwd=cwd, version=version, commit=commit, repo=name)


def _tool(call: _Call) -> str:
    """The name of the tool; of `str_replace_editor`, the command."""
    return text(dig(call.arguments, "command")) if call.tool == "str_replace_editor" else call.tool


def _result_events(call: _Call, data: Any, key: str) -> Iterator[Event]:
    succeeded = dig(data, "success") is True
    path = text(dig(call.arguments, "path"))
    match _tool(call):
        case "create" if succeeded:
            yield from whole_file(path, dig(call.arguments, "file_text"))
        case "view" if succeeded and path:
            if found := unnumbered(text(dig(data, "result", "content")), POINT):
                first, content = found
                whole = first == 1 and not dig(call.arguments, "view_range") and content.endswith("\n")
                yield Read(path, content, first, whole)
        case tool if tool in _SHELLS:
            yield Disturbed()
        case _:
            outcome, error = _outcome(data)
            diff = text(dig(data, "result", "detailedContent")) if succeeded else ""
            for attempt in _attempts(call, key):
                yield replace(attempt, outcome=outcome, error=error, diffs=tuple(_diffs(diff, attempt)))


def _attempts(call: _Call, key: str) -> Iterator[Attempt]:
    """The call as an attempt with an unknown outcome; none if it is not an edit."""
    arguments = call.arguments
    path = text(dig(arguments, "path")) or None
    match _tool(call):
        case "edit" | "str_replace":
            old, new = dig(arguments, "old_str"), dig(arguments, "new_str")
            edits = (Edit(old, text(new)),) if isinstance(old, str) else None
            yield Attempt(key, "str_replace", path=path, edits=edits, model=call.model)
        case "insert":
            added, line = dig(arguments, "new_str") or dig(arguments, "insert_text"), dig(arguments, "insert_line")
            if isinstance(added, str) and isinstance(line, int) and path:
                yield Attempt(key, "insert", path=path, patch=added, line=line, model=call.model)
        case "apply_patch":
            patch = arguments if isinstance(arguments, str) else dig(arguments, "input")
            if isinstance(patch, str):
                yield Attempt(key, "begin_patch", patch=patch, model=call.model)


def _outcome(data: Any) -> tuple[str, str | None]:
    """(outcome, the first line of the error)."""
    if dig(data, "success") is True:
        return "applied", None
    output = text(dig(data, "error", "message")) or text(dig(data, "error")) or text(dig(data, "result", "content"))
    if outcome := _CODES.get(text(dig(data, "error", "code"))):
        return outcome, None
    outcome, error = classify_error(output, _ERROR_PHRASES)
    return outcome if dig(data, "success") is False else "unknown", error


def _diffs(shown: str, attempt: Attempt) -> Iterator[RecordedDiff]:
    """The diff of each file, under the name that the call gives the file."""
    starts = [match.start() for match in _FILE.finditer(shown)] or [0] * shown.startswith("--- ")
    names = paths.named(attempt)
    for start, end in pairwise([*starts, len(shown)]):
        part = shown[start:end]
        headers = [path for path in _HEADER.findall(part) if path != "/dev/null"]
        if "\n@@ " not in part or not headers:
            continue
        path = headers[-1]
        known = names if attempt.path else [name for name in names if _same(name, path)]
        yield RecordedDiff(known[0] if known else path, part)


def _same(one: str, other: str) -> bool:
    """Whether two paths may be the same file: one of them is the end of the other."""
    one, other = ("/" + path.lstrip("/") for path in (one, other))
    return one.endswith(other) or other.endswith(one)


IMPORTER = Importer(
    name="copilot_cli",
    summary="Copilot CLI sessions: ~/.copilot/session-state/*/events.jsonl",
    logs=files_matching("events.jsonl"),
    events=events,
    homes=(".copilot/session-state",),
    versions=("1.0.64", "1.0.64"),
)
