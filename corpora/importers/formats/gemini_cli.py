"""Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.json`, one JSON document per session or one message per line.

A call in a message of type `gemini` contains its own result: `status`, `result` with the text for the model, and
`resultDisplay`, which in later versions is an object with both texts of the file. The logs name no version; tool names
and fields common to the versions seen are read. Traps:

- `success` also follows tolerant matching and a model's correction of the search text, so only the texts show what
  changed.
- A refusal by the user is recorded as `cancelled`.
- If the user altered the proposal, the arguments are the user's.
- Longer files are read in part, after a note, and very long lines are cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from corpora.importers.calls import LOOK, RUN, Call, Tool, at_time, attempt_of, classify_error, with_shown
from corpora.importers.importer import Surroundings
from corpora.importers.log import Log, Tally, dig, embedded, items, json_document, json_lines, text
from corpora.importers.session import Attempt, Event, Opened, Read, RecordedDiff, Wrote
from editcore.types import File

_ERROR_PHRASES = (
    ("no_match", "0 occurrences found", "ould not find the string", "but found 0"),
    ("ambiguous", "but found", "occurrences for old_string"),
    ("identical", "No changes to apply", "are identical"),
    ("malformed", "params must", "must have required property"),
)
_EDIT = Tool("edit", "file_path", "new_string", "old_string")
_TOOLS = {
    "replace": _EDIT,
    "edit": _EDIT,
    "write_file": Tool("write", "file_path", "content"),
    "read_file": Tool("read", "file_path"),
    "run_shell_command": RUN,
}
_REFUSALS = ("did not allow", "declined", "denied", "rejected")
_TRUNCATED = re.compile(r"--- FILE CONTENT \(truncated\) ---\n|(?<=total lines\.)\n\n---\n\n")
"""The head of an output that shows a part of a file; the second form is Qwen Code's."""
_SHOWN = re.compile(r"Showing lines (\d+)-\d+ of (?:at least )?\d+")
_HEAD = 1000
"""The number of characters that are searched for the head."""
_CUT_LINE = "... [truncated]"


def events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    yield Opened()
    for where, message in _messages(log, surroundings.tally):
        for number, call in enumerate(items(message.get("toolCalls"))):
            key = text(call.get("id")) or f"{log.name}:{where}:{number}"
            yield from at_time(call_events(call, key, text(message.get("model")) or None), call.get("timestamp"))


def _messages(log: Log, tally: Tally) -> Iterator[tuple[int, dict[str, Any]]]:
    if _is_lines(log):
        yield from json_lines(log, tally)
        return
    document = json_document(log, tally)
    if document is not None and not isinstance(dig(document, "messages"), list):
        tally.add("document holds no messages", log.name)
    yield from enumerate(items(dig(document, "messages")), 1)


def _is_lines(log: Log) -> bool:
    """True if the first line is a whole JSON object other than the session."""
    try:
        with log.open() as file:
            first = embedded(file.readline(1 << 20))
    except OSError:
        return False
    return isinstance(first, dict) and "messages" not in first


def call_events(asked: dict[str, Any], key: str, model: str | None) -> Iterator[Event]:
    """The events of a call with its result. Qwen Code has the same tools."""
    call = Call(text(asked.get("name")), _TOOLS.get(text(asked.get("name")), LOOK), asked.get("args"), model=model)
    succeeded = asked.get("status") == "success"
    if call.tool is _EDIT:
        events = _edit_events(asked, key, model)
    elif call.tool.kind == "read" and succeeded:
        events = _read_events(asked)
    else:
        events = call.other_events(succeeded=succeeded, written=dig(asked, "resultDisplay", "newContent"))
    yield from with_shown(events, asked.get("args"), _response(asked))


def _read_events(call: dict[str, Any]) -> Iterator[Event]:
    args = call.get("args")
    path = text(dig(args, "file_path")) or text(dig(args, "absolute_path")) or text(dig(args, "path"))
    output = dig(_response(call), "output")
    if not path or not isinstance(output, str) or _CUT_LINE in output:
        return
    if mark := _TRUNCATED.search(output, 0, _HEAD):
        if shown := _SHOWN.search(output, 0, mark.start()):
            yield Read(path, output[mark.end() :], first_line=int(shown[1][:9]), whole=False)
    elif all(dig(args, name) is None for name in ("offset", "limit", "start_line", "end_line")):
        yield Read(path, output)


def _edit_events(call: dict[str, Any], key: str, model: str | None) -> Iterator[Event]:
    args, display = call.get("args"), call.get("resultDisplay")
    attempt = attempt_of(_EDIT, key, args, model)
    outcome, error = _outcome(call)
    if attempt and attempt.path and attempt.edits:
        [edit] = attempt.edits
        if not edit.old_string and outcome == "applied":
            yield Wrote(attempt.path, edit.new_string)
            return
        attempt = replace(attempt, edits=(replace(edit, replace_all=_replaces_all(args)),))
    elif outcome != "cancelled":
        outcome = "malformed"
    made = attempt or Attempt(key, "str_replace", model=model)
    # The result has the absolute path, the call may have a relative one.
    place = text(dig(display, "filePath")) or text(dig(args, "file_path"))
    made = replace(
        made, path=place or None, outcome=outcome, error=error, changed_by_user=_changed_by_user(args, display)
    )
    before, after, diff = (dig(display, name) for name in ("originalContent", "newContent", "fileDiff"))
    if outcome == "applied" and isinstance(before, str) and isinstance(after, str):
        made = replace(made, before=(File(place, before),), after=(File(place, after),))
    yield replace(made, diffs=(RecordedDiff(place, diff),)) if outcome == "applied" and place and text(diff) else made


def _replaces_all(args: Any) -> bool:
    expected = dig(args, "expected_replacements")
    if dig(args, "allow_multiple") is True or dig(args, "replace_all") is True:
        return True
    return isinstance(expected, int | float) and expected > 1


def _changed_by_user(args: Any, display: Any) -> bool:
    changed = (dig(display, "diffStat", name) for name in ("user_added_lines", "user_removed_lines"))
    return dig(args, "modified_by_user") is True or any(isinstance(n, int) and n > 0 for n in changed)


def _response(call: dict[str, Any]) -> Any:
    for part in items(call.get("result")):
        if isinstance(response := dig(part, "functionResponse", "response"), dict):
            return response
    return None


def _outcome(call: dict[str, Any]) -> tuple[str, str | None]:
    """The outcome, and the first line of the error."""
    status = call.get("status")
    if status == "success":
        return "applied", None
    response = _response(call)
    output = text(dig(response, "error")) or text(dig(response, "output")) or text(call.get("resultDisplay"))
    if status == "cancelled":
        return "declined" if any(words in output for words in _REFUSALS) else "cancelled", None
    outcome, error = classify_error(output, _ERROR_PHRASES)
    return outcome if status == "error" else "unknown", error
