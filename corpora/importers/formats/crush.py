"""Crush: `.crush/crush.db` in the project's folder, an SQLite database of its sessions, by the source (0388f5f, 2026).

`messages` has a row per message: `session_id`, `role`, `model`, and `parts`, a JSON list of `{type, data}`. A part
`tool_call` of the assistant has `id`, `name` and `input`, a JSON object as text; a part `tool_result` has
`tool_call_id`, `content`, `is_error` and `metadata`, also JSON as text (internal/message/content.go, internal/db and
internal/agent/tools of charmbracelet/crush). Traps:

- The metadata of an edit has both texts of the file. Of a file with CRLF, the text before is shown with LF.
- They are there too when the user refused.
- `multiedit` applies the edits that match and reports the others.
- `view` cuts long lines and does not show whether the last line ends in a line feed: it is taken to.
- An edit with an empty `old_string` creates the file.
- OpenCode in Go (opencode-ai/opencode), which Crush continues, has the same tables; its metadata has a diff instead of
  texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from corpora.importers.calls import Call, OpenCalls, edits_in, whole_file, with_error, with_shown
from corpora.importers.importer import Importer, Surroundings, files_matching
from corpora.importers.log import Log, Tally, dig, embedded, items, text
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Read, RecordedDiff, Wrote
from corpora.importers.sqlite_log import database, rows
from editcore.types import Edit, File

_EDITS = ("edit", "multiedit")
_HARMLESS = (
    "view", "grep", "glob", "ls", "fetch", "sourcegraph", "diagnostics", "todos", "web_fetch", "web_search",
    "agentic_fetch", "lsp_diagnostics", "lsp_references", "references",
)  # fmt: skip
_ERROR_PHRASES = (
    ("denied permission", "declined"),
    ("ermission denied", "declined"),
    ("canceled", "cancelled"),
    ("cancelled", "cancelled"),
    ("old_string not found", "no_match"),
    ("appears multiple times", "ambiguous"),
    ("new content is the same as old content", "identical"),
    ("you must read the file", "unread"),
    ("has been modified since it was last read", "stale"),
    ("is required", "malformed"),
    ("error parsing parameters", "malformed"),
    ("invalid parameters", "malformed"),
    ("failed to parse patch", "malformed"),
    ("invalid patch", "malformed"),
)
_LISTED = re.compile(r"\A<file>\n")
_MORE = "(File has more lines."
_LONGEST_SHOWN = 2000


def events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    """The events of all sessions of a database, one after the other."""
    tally = surroundings.tally
    with database(log, tally) as opened:
        if opened is None:
            return
        sessions: dict[str, list[int]] = {}
        found = list(rows(opened, "messages", ("session_id", "rowid"), log, tally))
        for session, number in found:
            sessions.setdefault(str(session), []).append(number)
        for numbers in sessions.values():
            yield Opened(_project(log.path), afresh=True)
            calls = OpenCalls(tally)
            for parts, model in rows(opened, "messages", ("parts", "model"), log, tally, only=numbers):
                for part in items(embedded(parts)):
                    yield from _part_events(part, text(model) or None, calls, tally, log.name)
            yield from calls.unanswered()


def _part_events(part: dict[str, Any], model: str | None, calls: OpenCalls, tally: Tally, name: str) -> Iterator[Event]:
    data = part.get("data")
    if part.get("type") == "tool_call":
        tool, key, arguments = text(dig(data, "name")), text(dig(data, "id")), embedded(dig(data, "input"))
        attempt = None
        if tool in _EDITS:
            attempt = _edit(key, tool, arguments, model)
        elif tool == "patch" and (patch := text(dig(arguments, "patch_text"))):
            attempt = Attempt(key, "begin_patch", patch=patch, model=model)
        calls.add(key, Call(tool, arguments, attempt), name, is_edit=tool in (*_EDITS, "patch"))
    elif part.get("type") == "tool_result" and (call := calls.answered(text(dig(data, "tool_call_id")), name)):
        yield from with_shown(_result_events(call, data, tally, name), call.arguments, dig(data, "content"))


def _project(path: Path | None) -> str | None:
    """The project's folder: the one that contains the folder of the database."""
    return str(path.absolute().parent.parent) if path and path.parent.name.startswith(".") else None


def _edit(key: str, tool: str, arguments: Any, model: str | None) -> Attempt | None:
    path = text(dig(arguments, "file_path"))
    given = [arguments] if tool == "edit" else items(dig(arguments, "edits"))
    edits = edits_in(given, "old_string", "new_string", "replace_all")
    return Attempt(key, "str_replace", path, edits, model=model) if path and edits and key else None


def _result_events(call: Call, data: Any, tally: Tally, name: str) -> Iterator[Event]:
    message, metadata = text(dig(data, "content")), embedded(dig(data, "metadata"))
    failed = dig(data, "is_error") is True
    path = text(dig(call.arguments, "file_path"))
    if call.attempt and failed:
        yield with_error(call.attempt, message, _ERROR_PHRASES)
    elif call.attempt:
        yield from _applied(call.attempt, metadata, tally, name)
    elif call.tool == "write":
        yield from whole_file("" if failed else path, dig(call.arguments, "content"))
    elif call.tool == "view":
        if not failed and path:
            yield from _read_events(path, call.arguments, message, dig(metadata, "content"))
    elif call.tool not in _HARMLESS:
        yield Disturbed()


def _applied(attempt: Attempt, metadata: Any, tally: Tally, name: str) -> Iterator[Event]:
    """An edit that was applied, with the texts or the diff of its result."""
    applied = replace(attempt, outcome="applied")
    before, after, diff = (dig(metadata, key) for key in ("old_content", "new_content", "diff"))
    has_both = isinstance(before, str) and isinstance(after, str)
    if attempt.path is None:
        yield applied
    elif attempt.edits and attempt.edits[0].old_string == "":
        # The first edit writes the whole file.
        yield from _written(attempt.path, attempt.edits, after)
    elif items(dig(metadata, "edits_failed")):
        tally.add("left out: edits of which some failed were applied in part", name)
        yield replace(attempt, outcome="unknown") if not has_both else Wrote(attempt.path, after)
    elif has_both:
        if "\r\n" in after and "\r\n" not in before:
            before = before.replace("\n", "\r\n")
        yield replace(applied, before=(File(attempt.path, before),), after=(File(attempt.path, after),))
    else:
        is_diff = isinstance(diff, str) and "@@ -" in diff
        yield replace(applied, diffs=(RecordedDiff(attempt.path, diff),)) if is_diff else applied


def _written(path: str, edits: tuple[Edit, ...], after: Any) -> Iterator[Event]:
    if isinstance(after, str) or len(edits) == 1:
        yield Wrote(path, after if isinstance(after, str) else edits[0].new_string)
    else:
        yield Attempt("", "str_replace", path)


def _read_events(path: str, arguments: Any, message: str, content: Any) -> Iterator[Event]:
    offset = dig(arguments, "offset") or 0
    if not isinstance(content, str) or not content or type(offset) is not int or not 0 <= offset < 1 << 30:
        return
    lines = content.split("\n")
    if any(len(line) > _LONGEST_SHOWN for line in lines):
        return
    whole = offset == 0 and _MORE not in message and bool(_LISTED.match(message))
    yield Read(path, content + "\n" if whole else content, offset + 1, whole)


IMPORTER = Importer(
    name="crush",
    summary="Crush databases: .crush/crush.db in a project's folder",
    logs=files_matching("crush.db"),
    events=events,
    homes=(".crush", "*/.crush", "*/*/.crush"),
)
