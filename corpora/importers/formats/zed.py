"""Zed's agent: `threads/threads.db` in its data folder, an SQLite database; version 0.3.0, known from its source.

`threads` has a row per thread: `folder_paths`, and `data`, JSON that is compressed with zstd if `data_type` says so
(crates/agent/src/db.rs of zed-industries/zed, 0642ec7, 2026). `messages` is a list of `{"User": ...}` and of
`{"Agent": {content, tool_results}}`. A call is `{"ToolUse": {id, name, input}}` in the content, its result is in
`tool_results` by id, with the tool's own `output`. `edit_file` has `path` and `edits`, a list of `{old_text, new_text}`
or the same as text, and an output of `old_text`, `new_text` and `diff`, or of `error`
(crates/agent/src/tools/edit_session.rs). Traps:

- In earlier versions a second model writes the edits. The call has none then, and the file counts as written.
- A path begins with the name of the project's folder.
- Success also follows tolerant matching and indents anew, and a formatter may run: only texts that the edit explains
  are taken as its result.
- If a later edit of a call fails, the edits before it stay. The error has a diff then.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from posixpath import dirname
from typing import Any

import pyarrow as pa

from corpora.importers.calls import LOOK, Calls, Tool, whole_file, with_error, with_shown
from corpora.importers.importer import Surroundings
from corpora.importers.log import LARGEST_DOCUMENT, MOST_VALUES, Log, Tally, database, dig, embedded, items, rows, text
from corpora.importers.rebuilding.results import explains_all_changes
from corpora.importers.session import Attempt, Event, Opened
from editcore.types import File

_VERSION = "0.3.0"
"""The version of a thread's form."""
_EDIT = Tool("edit", "path", "new_text", "old_text", several="edits")
_LOOKING = (
    "read_file", "grep", "find_path", "list_directory", "diagnostics", "now", "thinking", "fetch", "web_search", "open",
    "update_plan", "update_title", "skill",
)  # fmt: skip
_TOOLS = {**dict.fromkeys(("edit_file", "write_file", "streaming_edit_file"), _EDIT), **dict.fromkeys(_LOOKING, LOOK)}
_ERROR_PHRASES = (
    ("no_match", "Could not find matching text"),
    ("ambiguous", "matched multiple locations"),
    ("declined", "rejected", "denied", "ermission"),
    ("cancelled", "cancel"),
    ("stale", "has been modified since", "unsaved changes"),
    ("malformed", "missing field", "ailed to parse"),
)


def events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    """The events of all threads of a database, one after the other."""
    tally = surroundings.tally
    with database(log, tally) as opened:
        if opened is None:
            return
        for name, kind, data, folders in rows(
            opened, "threads", ("id", "data_type", "data", "folder_paths"), log, tally
        ):
            thread = _thread(kind, data, f"{log.name}:{name}", tally)
            first = text(folders).split("\n")[0]
            yield Opened(dirname(first) or None, afresh=True)
            if thread is not None and dig(thread, "version") != _VERSION:
                tally.add("thread of another version", f"{log.name}:{name}")
                continue
            model, calls = text(dig(thread, "model", "model")) or None, Calls(tally, _TOOLS)
            for n, message in enumerate(items(dig(thread, "messages"))):
                agent = message.get("Agent")
                for m, part in enumerate(items(dig(agent, "content"))):
                    if isinstance(call := part.get("ToolUse"), dict):
                        key = text(call.get("id")) or f"{name}:{n}:{m}"
                        result = dig(agent, "tool_results", text(call.get("id")))
                        told = (call.get("input"), None if result is None else _shown(dig(result, "content")))
                        yield from with_shown(_call_events(key, call, result, model, calls), *told)


def _thread(kind: Any, data: Any, name: str, tally: Tally) -> Any:
    """The JSON of a thread. None, and counted, if it cannot be read or is too large."""
    raw = data.encode("utf-8", "replace") if isinstance(data, str) else data
    if not isinstance(raw, bytes):
        raw = b""
    if kind == "zstd":
        try:
            with pa.CompressedInputStream(io.BytesIO(raw), "zstd") as stream:
                raw = stream.read(LARGEST_DOCUMENT + 1)
        except (OSError, pa.ArrowException):
            raw = b""
    if len(raw) > LARGEST_DOCUMENT or raw.count(b",") > MOST_VALUES:
        tally.add("thread that is too large", name)
        return None
    thread = embedded(raw)
    if thread is None:
        tally.add("thread is not JSON", name)
    return thread


def _call_events(key: str, asked: dict[str, Any], result: Any, model: str | None, calls: Calls) -> Iterator[Event]:
    name, arguments = text(asked.get("name")), asked.get("input")
    if _TOOLS.get(name) is _EDIT and dig(arguments, "edits") is None:
        path = text(dig(arguments, "path"))
        yield from whole_file(path, dig(result, "output", "new_text"))
        if path and result is None:
            yield Attempt(key, "str_replace", path, model=model)
        return
    call = calls.call(key, name, arguments, key, model=model)
    if call.attempt:
        yield _attempt(call.attempt, result, dig(result, "output"))
    else:
        yield from call.other_events(succeeded=False)


def _attempt(attempt: Attempt, result: Any, output: Any) -> Attempt:
    """The attempt with its outcome, and with the texts that the edit explains."""
    before, after = dig(output, "old_text"), dig(output, "new_text")
    if isinstance(before, str) and isinstance(after, str) and dig(result, "is_error") is not True:
        assert attempt.path
        done = replace(attempt, outcome="applied", before=(File(attempt.path, before),))
        is_explained = explains_all_changes(attempt, {attempt.path: before}, {attempt.path: after})
        return replace(done, after=(File(attempt.path, after),)) if is_explained else done
    if result is None or text(dig(output, "diff")):
        return attempt
    return with_error(attempt, text(dig(output, "error")) or _shown(dig(result, "content")), _ERROR_PHRASES)


def _shown(content: Any) -> str:
    """The text of a result as the model saw it: a text, an object with one, or a list of these."""
    parts = content if isinstance(content, list) else [content]
    return "\n".join(text(part) or text(dig(part, "Text")) or text(dig(part, "text")) for part in parts)
