"""Qwen Code: `~/.qwen/projects/<project>/chats/*.jsonl`, one JSON object per line, known from its source (015346f).

Qwen Code continues Gemini CLI and has the same tools. A line is a `ChatRecord` of
packages/core/src/services/chatRecordingService.ts. A call is a `functionCall` in `message.parts` of an `assistant`
line. Its result is a `tool_result` line: `toolCallResult` has `callId`, `status` and `resultDisplay`, and
`message.parts` the `functionResponse`. Older versions write `chats/session-*.json` as Gemini CLI does, which the
importer `gemini_cli` reads. Traps:

- Texts of over 16,000 characters and diffs of over 50,000 are cut in the middle: `originalContentTruncated`,
  `newContentTruncated` and `fileDiffTruncated` say which.
- `uuid` and `parentUuid` make a tree, since a user may go back. Lines are read in the order in which they were written;
  what was undone shows as a file that changed unseen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from corpora.importers.calls import Call, Calls
from corpora.importers.formats.gemini_cli import call_events
from corpora.importers.importer import Surroundings
from corpora.importers.log import Log, dig, items, json_lines, text
from corpora.importers.session import Event, Opened

_RELEVANT = (b'"functionCall"', b'"tool_result"')
_CUT = {
    "originalContentTruncated": "originalContent",
    "newContentTruncated": "newContent",
    "fileDiffTruncated": "fileDiff",
}
"""The flag of a text that was cut, and the text."""


def events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    opened = Opened()
    calls = Calls(surroundings.tally, {})
    for number, line in json_lines(log, surroundings.tally, only=_RELEVANT):
        where = f"{log.name}:{number}"
        now = Opened(text(line.get("cwd")) or opened.cwd, text(line.get("version")) or opened.version)
        if now != opened:
            opened = now
            yield now
        parts = items(dig(line, "message", "parts"))
        for n, part in enumerate(parts):
            if isinstance(call := part.get("functionCall"), dict):
                key, model = text(call.get("id")) or f"{where}#{n}", text(line.get("model")) or None
                calls.open(key, Call(text(call.get("name")), arguments=call, model=model))
        if line.get("type") == "tool_result":
            key = text(dig(line, "toolCallResult", "callId")) or text(dig(parts, 0, "functionResponse", "id"))
            if asked := calls.answered(key, where):
                answered = _with_result(asked.arguments, line.get("toolCallResult"), parts)
                yield from call_events(answered, key, asked.model)
    for key, left in calls.left():
        yield from call_events(left.arguments, key, left.model)


def _with_result(call: dict[str, Any], told: Any, parts: list[dict[str, Any]]) -> dict[str, Any]:
    """The call and its result in one object, as Gemini CLI writes it."""
    status = text(dig(told, "status"))
    if not status:
        failed = dig(told, "error") or dig(parts, 0, "functionResponse", "response", "error")
        status = "error" if failed else "success"
    display = dig(told, "resultDisplay")
    if isinstance(display, dict):
        cut = {name for flag, name in _CUT.items() if display.get(flag)}
        display = {name: value for name, value in display.items() if name not in cut}
    return {
        "name": call.get("name"),
        "args": call.get("args"),
        "status": status,
        "result": parts,
        "resultDisplay": display,
    }
