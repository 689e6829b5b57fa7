"""Copilot CLI: `~/.copilot/session-state/<id>/events.jsonl`, one event per line; version 1.0.64 was seen.

`tool.execution_start` has a call and `tool.execution_complete` its result, paired by `toolCallId`. The model is named
by `session.model_change` and by results. Traps:

- The arguments of `apply_patch` are the patch itself, a string.
- A file is shown with `1. ` before each line. If the last line is not empty, it is unknown if the file ends in a line
  feed.
- The diff of a result names its files without the root of their paths.
- Some set-ups have one tool `str_replace_editor` with commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

from corpora.importers.calls import LOOK, RUN, Call, Calls, Tool, at_time, classify_error, with_shown
from corpora.importers.git_history.changes import repository_name
from corpora.importers.importer import Surroundings
from corpora.importers.listings import POINT, unnumbered
from corpora.importers.log import Log, dig, json_lines, text
from corpora.importers.rebuilding import paths
from corpora.importers.session import Attempt, Event, Opened, Read, RecordedDiff

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
_EDIT = Tool("edit", "path", "new_str", "old_str", is_lenient=True)
_TOOLS = {
    "edit": _EDIT,
    "str_replace": _EDIT,
    "insert": Tool("insert", "path", "new_str", line="insert_line"),
    "apply_patch": Tool("patch", new="input"),
    "create": Tool("write", "path", "file_text"),
    "view": Tool("read", "path"),
    **dict.fromkeys(("bash", "shell", "local_shell", "powershell", "write_bash", "write_powershell"), RUN),
}
_FILE = re.compile(r"^diff --git .*$", re.MULTILINE)
_HEADER = re.compile(r"^(?:---|\+\+\+) (?:[ab]/)?([^\t\n]+)", re.MULTILINE)


def events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    """The events of a session. Each call is placed at its result."""
    model: str | None = None
    calls = Calls(surroundings.tally, _TOOLS, otherwise=LOOK)
    for number, line in json_lines(log, surroundings.tally):
        data, where = line.get("data"), f"{log.name}:{number}"
        key = text(dig(data, "toolCallId"))
        match line.get("type"):
            case "session.start":
                yield _opened(data)
                model = text(dig(data, "selectedModel")) or model
            case "session.model_change":
                model = text(dig(data, "newModel")) or model
            case "tool.execution_start":
                name, arguments = _tool(text(dig(data, "toolName")), dig(data, "arguments"))
                calls.open(key, calls.call(key, name, arguments, where, model=model), where)
            case "tool.execution_complete":
                if call := calls.answered(key, where):
                    said = dig(data, "result", "content")
                    told = (call.arguments, dig(data, "error", "message") if said is None else said)
                    yield from at_time(with_shown(_result_events(call, data), *told), line.get("timestamp"))
    yield from calls.unanswered()


def _tool(name: str, arguments: Any) -> tuple[str, Any]:
    """The tool's name and the arguments as an object. A command of `str_replace_editor` counts as a tool."""
    if name == "str_replace_editor":
        name = text(dig(arguments, "command"))
    if name == "insert" and not dig(arguments, "new_str"):
        arguments = {**arguments, "new_str": arguments.get("insert_text")} if isinstance(arguments, dict) else None
    return name, {"input": arguments} if isinstance(arguments, str) else arguments


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


def _result_events(call: Call, data: Any) -> Iterator[Event]:
    succeeded = dig(data, "success") is True
    if call.attempt:
        outcome, error = _outcome(data)
        model = text(dig(data, "model")) or call.model
        made = replace(call.attempt, outcome=outcome, error=error, model=model)
        diff = text(dig(data, "result", "detailedContent")) if succeeded else ""
        yield replace(made, diffs=tuple(_diffs(diff, made)))
    elif call.tool.kind == "read" and succeeded and call.path:
        if found := unnumbered(text(dig(data, "result", "content")), POINT):
            first, content = found
            whole = first == 1 and not dig(call.arguments, "view_range") and content.endswith("\n")
            yield Read(call.path, content, first, whole)
    else:
        yield from call.other_events(succeeded=succeeded)


def _outcome(data: Any) -> tuple[str, str | None]:
    """The outcome, and the first line of the error."""
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
    """True if two paths may be the same file: one of them is the end of the other."""
    one, other = ("/" + path.lstrip("/") for path in (one, other))
    return one.endswith(other) or other.endswith(one)
