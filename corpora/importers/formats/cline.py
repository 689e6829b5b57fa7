"""Cline: `tasks/<id>/api_conversation_history.json` below the extension's storage, one JSON list of messages per task.

A call is XML in the assistant's text, or a `tool_use` block. Its result is a text `[replace_in_file for 'path']
Result:`, with its content in the same block or in the following ones, or a `tool_result` block. The model is named by
the message's `modelInfo`, else by `task_metadata.json` beside the log. The logs name no version. Traps:

- The XML is not escaped, so the text of a file ends at the last closing tag, not at the first.
- XML calls have no ids: a result is paired by the tool and the path that it names.
- `final_file_content` is the file as saved: its end is normalised to one line feed, and the editor's formatter may
  have changed more than the edit did, in which case it is not the edit's result.
- `file_content` of a failure is the file before the edit.
- Earlier texts may have been removed from the log to save room.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from corpora.importers.calls import with_shown
from corpora.importers.importer import Surroundings
from corpora.importers.listings import BAR, unnumbered
from corpora.importers.log import Log, Tally, dig, items, joined_text, json_document, text
from corpora.importers.session import NOT_TRIED, Attempt, Disturbed, Event, Opened, Read, Wrote
from editcore.types import File

_TOOL = re.compile(r"<(replace_in_file|write_to_file|new_rule|read_file|execute_command|apply_patch|use_mcp_tool)>")
_LONG = ("diff", "content", "input")
"""Parameters that may contain any text."""
_WITH_TEXT = ("replace_in_file", "write_to_file", "new_rule", "apply_patch")
_LAST = r"</(?:diff|content|input)>\s*(?:<(task_progress|line_count)>.*?</\1>\s*)?"
_RESULT = re.compile(r"(?:Tool #\d+: )?\[(\w+)(?: for '(.*?)')?(?:\. [^\]]*)?\] (?:Error )?Result:\n?", re.DOTALL)
_FINAL = re.compile(r'<final_file_content path="([^"\n]*)">\n(.*)\n</final_file_content>', re.DOTALL)
_ORIGINAL = re.compile(r'<file_content path="[^"\n]*">\n(.*)\n</file_content>', re.DOTALL)
_FINAL_OPENS = r'<final_file_content path="[^"\n]*">\n'
_ORIGINAL_OPENS = r'<file_content path="[^"\n]*">\n'
_ERROR = re.compile(r"<error>\n?(.*?)\n?</error>", re.DOTALL)
_FOLDER = re.compile(r"# (?:Current )?Working Directory \((.+?)\)|working directory is now '(.+?)'")
_CHANGED_OUTSIDE = "# Recently Modified Files"
_OUTCOMES = (
    ("declined", re.compile(r"\AThe user denied|\A.{0,200}PLAN MODE|blocked by the \.clineignore", re.DOTALL)),
    ("cancelled", re.compile(r"was not executed|Skipping tool|was interrupted")),
    (
        "no_match",
        re.compile(r"does(?:n't| not) match anything in the file|failed to find|could not find", re.IGNORECASE),
    ),
    (
        "malformed",
        re.compile(
            r"Missing value for required parameter|Empty SEARCH block|Invalid \w+ marker|malformed", re.IGNORECASE
        ),
    ),
)
_SAVED = re.compile(r"successfully (?:saved|applied)|<final_file_content ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Call:
    """A call that has no result yet."""

    key: str
    tool: str
    params: dict[str, str]
    model: str | None

    @property
    def path(self) -> str:
        return self.params.get("path") or self.params.get("absolutePath") or ""


def events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    """The events of a task. Each call is placed at its result."""
    messages = json_document(log, surroundings.tally)
    task = log.path.parent.name if log.path else log.name
    model = _model_beside(log)
    pending: list[_Call] = []
    yield Opened()
    for number, message in enumerate(items(messages)):
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else items(content)
        if message.get("role") == "assistant":
            named = text(dig(message, "modelInfo", "modelId")) or model
            pending += _calls(blocks, f"{task}:{number}", named)
            continue
        yield from _surroundings(blocks)
        for tool, name, output in _results(blocks):
            call = next((call for call in pending if _answers(call, tool, name)), None)
            if call:
                pending.remove(call)
                yield from with_shown(_result_events(call, output), call.params, output)
            elif tool in ("replace_in_file", "apply_patch"):
                surroundings.tally.add("result without its call", f"{log.name}:{number}")
    for call in pending:
        yield from _attempts(call)


def _model_beside(log: Log) -> str | None:
    """The model of the task, if it used only one."""
    place = log.path and log.path.with_name("task_metadata.json")
    if not place or not place.is_file():
        return None
    used = items(dig(json_document(Log.at(place), Tally()), "model_usage"))
    models = {text(one.get("model_id")) for one in used}
    return models.pop() or None if len(models) == 1 else None


def _surroundings(blocks: list[dict[str, Any]]) -> Iterator[Event]:
    for block in blocks:
        shown = text(block.get("text"))
        if folder := _FOLDER.search(shown):
            yield Opened(cwd=folder[1] or folder[2])
        if _CHANGED_OUTSIDE in shown:
            yield Disturbed(shown)


def _calls(blocks: list[dict[str, Any]], position: str, model: str | None) -> Iterator[_Call]:
    for number, block in enumerate(blocks):
        if block.get("type") == "tool_use":
            given = block.get("input")
            pairs = given.items() if isinstance(given, dict) else ()
            params = {name: value for name, value in pairs if isinstance(value, str)}
            key = text(block.get("id")) or f"{position}:{number}"
            yield _Call(key, text(block.get("name")), params, model)
        else:
            yield from _xml_calls(text(block.get("text")), f"{position}:{number}", model)


def _xml_calls(shown: str, position: str, model: str | None) -> Iterator[_Call]:
    """The calls in an assistant's text, in order. Tags inside a parameter are no calls."""
    at = n = 0
    while opening := _TOOL.search(shown, at):
        body = shown[opening.end() : _end(shown, opening)]
        yield _Call(f"{position}:{n}", opening[1], dict(_params(body)), model)
        at, n = opening.end() + len(body), n + 1


def _end(shown: str, opening: re.Match[str]) -> int:
    """The offset of the call's end: the closing tag after its long parameter, not one inside the parameter."""
    close = f"</{opening[1]}>"
    if opening[1] in _WITH_TEXT:
        if found := re.compile(_LAST + close, re.DOTALL).search(shown, opening.end()):
            return found.end() - len(close)
        end = shown.rfind(close, opening.end())
    else:
        end = shown.find(close, opening.end())
    return end if end != -1 else len(shown)


def _first_match(whole: re.Pattern[str], opening: str, output: str) -> re.Match[str] | None:
    """The match at the first opening tag. If that tag is not closed, no later one is: trying each would take long."""
    found = re.search(opening, output)
    return whole.match(output, found.start()) if found else None


def _params(body: str) -> Iterator[tuple[str, str]]:
    for name in ("path", "absolutePath", "start_line", "end_line", *_LONG):
        start = body.find(f"<{name}>")
        end = body.rfind(f"</{name}>") if name in _LONG else body.find(f"</{name}>", start)
        if start != -1 and end > start:
            value = body[start + len(name) + 2 : end]
            yield name, value.removeprefix("\n").removesuffix("\n") if name in _LONG else value.strip()


def _results(blocks: list[dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """The tool or call id, the path and the text of each result in a user's message."""
    header: re.Match[str] | None = None
    parts: list[str] = []
    for block in blocks:
        output = text(block.get("text"))
        if block.get("type") == "tool_result":
            inner = joined_text(block.get("content"))
            yield text(block.get("tool_use_id")), "", inner[found.end() :] if (found := _RESULT.match(inner)) else inner
        elif found := _RESULT.match(output):
            if header:
                yield header[1], header[2] or "", "".join(parts)
            header, parts = found, [output[found.end() :]]
        elif header and not parts[0]:
            parts = [output]
    if header:
        yield header[1], header[2] or "", "".join(parts)


def _answers(call: _Call, tool: str, name: str) -> bool:
    return call.key == tool or (call.tool == tool and (not name or not call.path or call.path == name))


def _result_events(call: _Call, output: str) -> Iterator[Event]:
    error = _first_match(_ERROR, "<error>", output)
    failed = bool(error) or not _SAVED.search(output)
    match call.tool:
        case "read_file":
            if call.path and not error and not output.startswith(("[[NOTE]", "The user denied")):
                yield _read(call, output)
        case "execute_command" | "use_mcp_tool":
            yield Disturbed()
        case "write_to_file" | "new_rule":
            if not failed and call.path:
                final = _first_match(_FINAL, _FINAL_OPENS, output)
                yield Wrote(call.path, final[2] if final else call.params.get("content", ""))
        case _:
            for attempt in _attempts(call):
                yield from _with_outcome(attempt, output, failed)


def _read(call: _Call, output: str) -> Read:
    part = "start_line" in call.params or "end_line" in call.params
    found = unnumbered(output, BAR)
    if found and found[1].count("\n") == output.rstrip("\n").count("\n"):
        return Read(call.path, found[1], found[0], whole=found[0] == 1 and not part, ends_shown=False)
    return Read(call.path, output, whole=not part)


def _attempts(call: _Call) -> Iterator[Attempt]:
    """The call as an attempt with an unknown outcome; none if it is no edit."""
    if call.tool == "replace_in_file":
        path, patch = call.path or None, call.params.get("diff")
        yield Attempt(call.key, "search_replace", path=path, patch=patch, model=call.model)
    elif call.tool == "apply_patch" and "input" in call.params:
        yield Attempt(call.key, "begin_patch", patch=call.params["input"], model=call.model)


def _with_outcome(attempt: Attempt, output: str, failed: bool) -> Iterator[Event]:
    """The attempt with its outcome, and a read of the saved text if a formatter changed it."""
    path = attempt.path
    if failed:
        outcome = next((outcome for outcome, words in _OUTCOMES if words.search(output)), "unknown")
        original = _first_match(_ORIGINAL, _ORIGINAL_OPENS, output)
        if outcome in NOT_TRIED:
            yield replace(attempt, outcome=outcome)
            return
        before = (File(path, original[1]),) if path and original else None
        yield replace(attempt, outcome=outcome, error=_first_line(output), before=before)
        return
    final = _first_match(_FINAL, _FINAL_OPENS, output) if path else None
    formatted = "auto-formatting to your content" in output[: final.start() if final else None]
    yield replace(
        attempt,
        outcome="applied",
        after=(File(path, final[2]),) if path and final and not formatted else None,
        changed_by_user=output.startswith("The user made the following updates"),
    )
    if path and final and formatted:
        yield Read(path, final[2])


def _first_line(output: str) -> str | None:
    """The first line of an error, without the search text."""
    found = _first_match(_ERROR, "<error>", output)
    lines = (found[1] if found else output).strip().split("\n")
    line = next((line for line in lines if line.startswith("...")), "") if lines[0] == "The SEARCH block:" else lines[0]
    return line.removeprefix("...").strip()[:300] or None
