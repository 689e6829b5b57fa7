"""OpenCode: its database, the output of `opencode export`, or its storage; versions 1.2.20 to 1.18.33 were seen.

From 1.2 on the sessions are in `~/.local/share/opencode/opencode.db`: tables `session`, `message` and `part`, the last
two with JSON in their column `data`. Older versions keep the same objects in files below `storage` beside it: the log
is `session/<project>/<session>.json`, with `message/<session>/<message>.json` and `part/<message>/<part>.json`. An
export is one document with all objects of a session.

A call and its result are one part. Traps:

- Success also follows tolerant matching: only the result shows where an edit was applied.
- Early versions log both texts of a file; later ones log a diff, with the indentation that all its lines share cut off.
- The text of a read has line numbers and cuts long lines. The newer form shows no line endings.
- An edit with an empty `oldString` writes the whole file.
- Calls of one message run in parallel: they are read in the order in which they ended.
- A call of an unknown tool, or with arguments that do not parse, is a call of the tool `invalid`.

With the plug-in oh-my-openagent a read shows lines with anchors (H2), and an edit names them. Its refusals are outputs
of calls that completed; the texts of its results have line feeds even if the file has CRLF.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from corpora.importers.calls import LOOK, Call, Calls, Tool, at_time, with_error, with_shown
from corpora.importers.importer import Surroundings
from corpora.importers.listings import anchored_call, anchored_listing, numbered_rows
from corpora.importers.log import Log, Tally, database, dig, embedded, items, json_document, rows, text
from corpora.importers.session import Attempt, Event, Opened, Read, RecordedDiff, Wrote
from editcore.types import File

_STORAGE = "storage"
_LOOKING = (
    "invalid",
    "grep",
    "glob",
    "list",
    "webfetch",
    "websearch",
    "codesearch",
    "todowrite",
    "todoread",
    "question",
)
_TEXTS: dict[str, Any] = {"path": "filePath", "old": "oldString", "new": "newString", "every": "replaceAll"}
_TOOLS = {
    "edit": Tool("edit", **_TEXTS),
    "multiedit": Tool("edit", **_TEXTS, several="edits"),
    **dict.fromkeys(("apply_patch", "patch"), Tool("patch", new="patchText")),
    "write": Tool("write", "filePath", "content"),
    "read": Tool("read", "filePath"),
    **dict.fromkeys(_LOOKING, LOOK),
}
_ERROR_PHRASES = (
    ("declined", "rejected permission", "prevents you from using"),
    ("cancelled", "Tool execution aborted"),
    ("no_match", "Could not find oldString", "oldString not found in content", "Failed to find expected lines",
     "Failed to find context"),
    ("ambiguous", "Found multiple matches", "found multiple times"),
    ("identical", "No changes to apply", "oldString and newString must be different"),
    ("unread", "ou must read"),
    ("stale", "has been modified since"),
    ("malformed", "called with invalid arguments", "nvalid patch", "nvalid hunk", "no hunks found", "empty patch"),
)  # fmt: skip
_WITH_ANCHORS = ("edit", "multiedit")
_REFUSED = "Error: "
"""The start of the output of an anchored edit that was refused."""
_PLUG_IN_PHRASES = (
    ("no_match", "hash mismatch", "does not exist"),
    ("unknown", "File not found"),
    ("identical", "No changes made"),
    ("malformed", _REFUSED),
)
_LINE_FEEDS = "ends:assumed"
"""The tag of a sample whose line endings are unknown and shown as line feeds."""
_BODY = re.compile(r"<(content|file)>\n")
_END = "(End of file"
_LINE = re.compile(r"(\d{1,9})(?:\| |: )(.*)", re.DOTALL)
_CUT = re.compile(r"\.\.\. \(line truncated to \d+ chars\)\Z|(?<=^.{2000})\.\.\.\Z", re.DOTALL)


_Messages = Iterable[tuple[Any, list[dict[str, Any]]]]
"""Messages of a session with their parts."""


def is_log(file: Path) -> bool:
    """True for databases, for the sessions in a storage folder, and for every document that is elsewhere.

    A file `auth.json` has the user's keys.
    """
    if file.name.endswith("auth.json"):
        return False
    return _STORAGE not in file.absolute().parts[:-1] or file.parent.parent.name == "session"


def events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    tally = surroundings.tally
    if log.name.endswith(".db"):
        with database(log, tally) as opened:
            if opened is not None:
                yield from _database_events(opened, log, tally)
        return
    document = json_document(log, tally)
    is_export = isinstance(dig(document, "messages"), list)
    info = dig(document, "info") if is_export else document
    if not is_export and not text(dig(info, "id")):
        if document is not None:
            tally.add("document is not a session", log.name)
        return
    exported = ((message.get("info"), items(message.get("parts"))) for message in items(dig(document, "messages")))
    yield from _session_events(info, exported if is_export else _stored(log, tally), log, tally)


def _session_events(info: Any, messages: _Messages, log: Log, tally: Tally) -> Iterator[Event]:
    """The events of a session, whose `info` has its id, folder and version."""
    opened = Opened(text(dig(info, "directory")) or None, text(dig(info, "version")) or None)
    yield opened
    session, calls = text(dig(info, "id")) or log.name, Calls(tally, _TOOLS)
    for n, (message, parts) in enumerate(messages):
        cwd = text(dig(message, "path", "cwd"))
        if cwd and cwd != opened.cwd:
            opened = replace(opened, cwd=cwd)
            yield opened
        for m, part in enumerate(_by_end([part for part in parts if part.get("type") == "tool"])):
            key = text(part.get("callID")) or text(part.get("id")) or f"{session}:{n}:{m}"
            state = part.get("state")
            output = dig(state, "output")
            told = (dig(state, "input"), dig(state, "error") if output is None else output)
            made = _call_events(key, part, text(dig(message, "modelID")) or None, calls, log)
            yield from at_time(with_shown(made, *told), dig(state, "time", "start"))


def _database_events(opened: Connection, log: Log, tally: Tally) -> Iterator[Event]:
    """The events of all sessions of a database, one after the other. Ids ascend in time."""
    messages, parts = (
        _row_ids(rows(opened, table, (owner, "id", "rowid"), log, tally))
        for table, owner in (("message", "session_id"), ("part", "message_id"))
    )
    for session, folder, version in rows(opened, "session", ("id", "directory", "version"), log, tally):
        info = {"id": session, "directory": folder, "version": version}
        yield Opened(afresh=True)
        yield from _session_events(info, _selected(opened, messages.get(session, []), parts, log, tally), log, tally)


def _row_ids(found: Iterable[tuple[Any, ...]]) -> dict[Any, list[int]]:
    """The row ids of objects by their owners, in the order of the objects' ids."""
    by_owner = defaultdict(list)
    for owner, name, number in found:
        by_owner[owner].append((text(name), number))
    return {owner: [number for _, number in sorted(named)] for owner, named in by_owner.items()}


def _selected(opened: Connection, numbers: list[int], parts: dict[Any, list[int]], log: Log, tally: Tally) -> _Messages:
    """The messages in these rows, each with its parts."""
    for name, message in rows(opened, "message", ("id", "data"), log, tally, only=numbers):
        its = rows(opened, "part", ("data",), log, tally, only=parts.get(name, []))
        yield embedded(message), items([embedded(data) for (data,) in its])


def _stored(log: Log, tally: Tally) -> _Messages:
    """The messages of a session in storage, in the order of their names. No path in a file's content is followed."""
    if log.path is None:
        tally.add("session without its messages", log.name)
        return
    storage = log.path.absolute().parent.parent.parent
    for file in sorted((storage / "message" / log.path.stem).glob("*.json")):
        parts = sorted((storage / "part" / file.stem).glob("*.json"))
        yield json_document(Log.at(file), tally), items([json_document(Log.at(part), tally) for part in parts])


def _by_end(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    ends = [dig(part, "state", "time", "end") for part in parts]
    if not all(isinstance(end, int | float) for end in ends):
        return parts
    return [parts[n] for n in sorted(range(len(parts)), key=lambda n: ends[n])]


def _call_events(key: str, part: dict[str, Any], model: str | None, calls: Calls, log: Log) -> Iterator[Event]:
    state = part.get("state")
    arguments, done = dig(state, "input"), dig(state, "status") == "completed"
    path, anchored = text(dig(arguments, "filePath")), None
    if text(part.get("tool")) in _WITH_ANCHORS and path and (found := anchored_call(arguments, "hashline_h2")):
        anchored = Attempt(key, found[0], path, patch=found[1], model=model, tags=(_LINE_FEEDS,))
    call = calls.call(key, text(part.get("tool")), arguments, log.name, model=model, attempt=anchored)
    attempt, output = call.attempt, text(dig(state, "output"))
    if attempt and done and attempt.edits is None and output.startswith(_REFUSED):
        yield with_error(attempt, output, _PLUG_IN_PHRASES)
    elif attempt and done:
        yield _applied(attempt, dig(state, "metadata"))
    elif attempt and dig(state, "status") == "error":
        yield with_error(attempt, text(dig(state, "error")), _ERROR_PHRASES)
    elif attempt:
        yield attempt
    elif call.tool.kind == "read" and done and path:
        yield from _read_events(path, output)
    elif call.name == "invalid":
        wanted = text(dig(arguments, "tool"))
        tool = _TOOLS.get(wanted, LOOK)
        yield from Call(wanted, tool, model=model, key=key, is_known=wanted in _TOOLS).unmade()
    else:
        code = dig(state, "metadata", "exit")
        yield from call.other_events(succeeded=done, exit_code=code if type(code) is int else None)


def _applied(attempt: Attempt, metadata: Any) -> Wrote | Attempt:
    """An applied edit with the texts or diffs of its result."""
    applied = replace(attempt, outcome="applied")
    if attempt.path is None:
        return _with_files(applied, [(text(file.get("filePath")), file) for file in items(dig(metadata, "files"))])
    if attempt.edits and attempt.edits[0].old_string == "" and len(attempt.edits) == 1:
        return Wrote(attempt.path, attempt.edits[0].new_string)
    steps = [dig(step, "filediff") for step in items(dig(metadata, "results"))] or [dig(metadata, "filediff")]
    first, last = dig(steps[0], "before"), dig(steps[-1], "after")
    if isinstance(first, str) and isinstance(last, str):
        moved_to = text(dig(steps[-1], "filePath")) if attempt.edits is None else ""
        return replace(applied, before=(File(attempt.path, first),), after=(File(moved_to or attempt.path, last),))
    diff = text(dig(steps[0], "patch")) or text(dig(metadata, "diff"))
    return replace(applied, diffs=(_diff(attempt.path, diff),)) if len(steps) == 1 and "@@ -" in diff else applied


def _with_files(applied: Attempt, files: list[tuple[str, dict[str, Any]]]) -> Attempt:
    """A patch with the texts of its files, else with their diffs, which cannot show a deletion or a move."""
    if not files or not all(path for path, _ in files):
        return applied
    if all(isinstance(file.get("before"), str) and isinstance(file.get("after"), str) for _, file in files):
        before = [File(path, file["before"]) for path, file in files if file.get("type") != "add"]
        after = [
            File(text(file.get("movePath")) or path, file["after"])
            for path, file in files
            if file.get("type") != "delete"
        ]
        return replace(applied, before=tuple(before), after=tuple(after))
    diffs = [(path, text(file.get("patch")) or text(file.get("diff"))) for path, file in files]
    if all(file.get("type") in ("add", "update") for _, file in files) and all("@@ -" in diff for _, diff in diffs):
        return replace(applied, diffs=tuple(_diff(path, diff) for path, diff in diffs))
    return applied


def _diff(path: str, diff: str) -> RecordedDiff:
    """A recorded diff. If a line has no indentation, the shared indentation may have been cut off."""
    lines = [line[1:] for line in diff.split("\n") if line[:1] in ("+", "-", " ") and line[:3] not in ("+++", "---")]
    return RecordedDiff(path, diff, dedented=any(line[:1].strip() for line in lines))


def _read_events(path: str, output: str) -> Iterator[Event]:
    body = _BODY.search(output)
    if body is None:
        return
    if listing := anchored_listing(output[body.end() :]):
        whole = listing.first == 1 and listing.rest.lstrip("\n").startswith(_END)
        yield Read(path, "\n".join(listing.lines), listing.first, whole, ends_shown=not whole)
        return
    first, numbered, rest = numbered_rows(output[body.end() :], _LINE)
    first, lines = first if numbered else 1, [line for _, line in numbered]
    whole = first == 1 and any(line.startswith(_END) for line in rest.split("\n")[:3])
    if any(len(line) > 2000 and _CUT.search(line) for line in lines) or not (lines or whole):
        return
    # The older form shows a final line feed as an empty last line, which is already among the lines.
    ends_shown = not whole or not lines or (body[1] == "file" and lines[-1] == "")
    yield Read(path, "\n".join(lines), first, whole, ends_shown=ends_shown)
