"""Crush: `.crush/crush.db` in the project's folder, an SQLite database of sessions, known from its source (0388f5f).

`messages` has a row per message: `session_id`, `role`, `model`, and `parts`, a JSON list of `{type, data}`. A part
`tool_call` of the assistant has `id`, `name` and `input`, a JSON object as text; a part `tool_result` has
`tool_call_id`, `content`, `is_error` and `metadata`, also JSON as text (internal/message/content.go, internal/db and
internal/agent/tools of charmbracelet/crush). Traps:

- The metadata of an edit has both texts of the file, even if the user refused the edit. The text before a change of a
  file with CRLF has LF.
- `multiedit` applies the edits that match and reports the others.
- `view` cuts long lines and shows no line endings: the stored versions of the file have them.
- An edit with an empty `old_string` creates the file.
- Descendants have the names of Claude Code's tools: `Edit`, `Read`.
- OpenCode in Go (opencode-ai/opencode, `.opencode/opencode.db`), which Crush continues, has the same tables, parts and
  tools, but keeps the line endings of what it reads; its metadata has a diff instead of texts. The file of this name of
  OpenCode in TypeScript has other tables, which the importer `opencode` reads.
"""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import xxhash

from corpora.importers.calls import LOOK, Call, Calls, Tool, at_time, with_error, with_shown
from corpora.importers.importer import Surroundings
from corpora.importers.log import Log, Tally, database, dig, embedded, items, rows, text
from corpora.importers.rebuilding.paths import created, is_absolute, named
from corpora.importers.rebuilding.results import apply_exactly, has_same_extent
from corpora.importers.session import Attempt, Event, Opened, Read, RecordedDiff, Wrote
from editcore.text.endings import line_feeds, with_crlf
from editcore.types import Edit, File

# The versions of files in the table `files`, in the order in which they were stored.
#
# A tool that changes a file stores the text before (unless it is the last stored version) and the text after
# (internal/history/file.go). A view shows lines without endings; a version with the same lines has the endings. Traps:
#
# - Crush stores the text before with LF, and the text after with the file's line endings.
# - An edit without a new text stores an empty version, whatever the file becomes. The tool then searches for the search
#   text again and reports that it is missing. Likewise an edit without a search text creates the file, and then reports
#   that the empty text occurs several times.

_TABLE = "files"
_MOST_AHEAD = 20
"""The number of versions that are searched for the next edit of a file, or for the endings of its lines."""

Result = Callable[[str, str], str | None]
"""The text after an edit, from two consecutive versions; None if they are not the versions around the edit."""


class FileVersions:
    """The versions of all files of a database: rows and hashes in memory, texts in the database."""

    def __init__(self, opened: sqlite3.Connection, log: Log, *, stored_with_lf: bool) -> None:
        self._opened, self._log = opened, log
        self._stored_with_lf = stored_with_lf
        self._rows: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        """Rows by session and path."""
        self._with_lines: defaultdict[tuple[str, int], list[tuple[str, int]]] = defaultdict(list)
        """The session and ordinal of each version, by path and hash of the lines."""
        self._named: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        """Paths by session and file name."""
        self._done: dict[tuple[str, str], int] = {}
        """The ordinal of the version before which all edits have been found, by session and path."""
        # A database without the table, or with another one, is read as before.
        for session, path, content, row in rows(
            opened, _TABLE, ("session_id", "path", "content", "rowid"), log, Tally()
        ):
            if isinstance(content, str):
                known = self._rows[str(session), text(path)]
                if not known:
                    self._named[str(session), text(path).rpartition("/")[2]].append(text(path))
                self._with_lines[text(path), _hash(content)].append((str(session), len(known)))
                known.append(row)

    def with_lines(self, session: str, path: str, lines: str) -> str | None:
        """The text of a file with these lines, preferably of this session. None if there is none, or several."""
        path = self._stored_path(session, path)
        found = self._with_lines.get((path, xxhash.xxh3_64_intdigest(lines.encode("utf-8", "surrogatepass"))), [])
        own = [one for one in found if one[0] == session]
        texts = {self._text(one, path, number) for one, number in (own or found)[:_MOST_AHEAD]}
        return texts.pop() if len(texts) == 1 else None

    def around(self, session: str, path: str, result: Result) -> tuple[str, str] | None:
        """The texts before and after the next edit of a file with that result; None if they are not stored."""
        path = self._stored_path(session, path)
        first = self._done.get((session, path), 0)
        for number in range(first, min(first + _MOST_AHEAD, len(self._rows.get((session, path), ())) - 1)):
            before, stored = self._text(session, path, number), self._text(session, path, number + 1)
            after = None if before is None or stored is None else result(before, stored)
            if before is not None and after is not None:
                self._done[session, path] = number + 1
                return before, after
        return None

    def _stored_path(self, session: str, path: str) -> str:
        """The absolute path, under which the versions of a file are stored."""
        below = "/" + path.removeprefix("./")
        found = [one for one in self._named.get((session, path.rpartition("/")[2]), ()) if one.endswith(below)]
        return found[0] if len(found) == 1 and not path.startswith("/") else path

    def _text(self, session: str, path: str, number: int) -> str | None:
        """The text of a version, with the file's line endings."""
        content = self._stored(session, path, number)
        if self._stored_with_lf and content is not None and "\r\n" not in content:
            following = self._stored(session, path, number + 1)
            return with_crlf(content, "\r\n" in (following or ""))
        return content

    def _stored(self, session: str, path: str, number: int) -> str | None:
        known = self._rows[session, path]
        found = rows(self._opened, _TABLE, ("content",), self._log, Tally(), only=known[number : number + 1])
        return next((content for (content,) in found if isinstance(content, str)), None)


def _hash(content: str) -> int:
    """A hash of the lines without their endings."""
    return xxhash.xxh3_64_intdigest(line_feeds(content).removesuffix("\n").encode("utf-8", "surrogatepass"))


_LOOKING = (
    "grep", "glob", "ls", "fetch", "sourcegraph", "diagnostics", "todos", "web_fetch", "web_search", "agentic_fetch",
    "lsp_diagnostics", "lsp_references", "references",
)  # fmt: skip
_TEXTS: dict[str, Any] = {"path": "file_path", "old": "old_string", "new": "new_string", "every": "replace_all"}
_TOOLS = {
    "edit": Tool("edit", **_TEXTS),
    "multiedit": Tool("edit", **_TEXTS, several="edits"),
    "patch": Tool("patch", new="patch_text"),
    "write": Tool("write", "file_path", "content"),
    **dict.fromkeys(("view", "read"), Tool("read", "file_path")),
    **dict.fromkeys(_LOOKING, LOOK),
}
"""By the names in lower case; `read` is another program's name of `view`."""
_ERROR_PHRASES = (
    ("declined", "denied permission", "ermission denied"),
    ("cancelled", "canceled", "cancelled"),
    ("no_match", "old_string not found"),
    ("ambiguous", "appears multiple times"),
    ("identical", "new content is the same as old content", "identical", "same as the old"),
    ("unread", "you must read the file"),
    ("stale", "has been modified since it was last read"),
    ("no_match", "Invalid Context", "Invalid EOF Context", "contains fuzzy matches"),
    ("malformed", "is required", "error parsing parameters", "invalid parameters", "failed to parse patch",
     "invalid patch"),
)  # fmt: skip
_LISTED = re.compile(r"\A<file>\n")
_MORE = "(File has more lines."
_LONGEST_SHOWN = 2000


@dataclass(frozen=True, slots=True)
class _Session:
    """A session of a database: the calls that have no result yet, and the versions of its files."""

    name: str
    calls: Calls
    versions: FileVersions
    tally: Tally
    where: str


def events(log: Log, surroundings: Surroundings, *, stored_with_lf: bool = True) -> Iterator[Event]:
    """The events of all sessions of a database, one after the other."""
    tally = surroundings.tally
    with database(log, tally) as opened:
        if opened is None:
            return
        sessions: dict[str, list[int]] = {}
        found = list(rows(opened, "messages", ("session_id", "rowid"), log, tally))
        versions = FileVersions(opened, log, stored_with_lf=stored_with_lf)
        for session, number in found:
            sessions.setdefault(str(session), []).append(number)
        # The database is in a folder like `.crush` in the project's.
        is_beside = log.path is not None and log.path.parent.name.startswith(".")
        project = str(log.path.absolute().parent.parent) if log.path and is_beside else None
        for name, numbers in sessions.items():
            yield Opened(project, afresh=True)
            of_now = _Session(name, Calls(tally, _TOOLS), versions, tally, log.name)
            columns = ("parts", "model", "created_at")
            for parts, model, created in rows(opened, "messages", columns, log, tally, only=numbers):
                for part in items(embedded(parts)):
                    yield from at_time(_part_events(part, text(model) or None, of_now), created)
            yield from of_now.calls.unanswered()


def _part_events(part: dict[str, Any], model: str | None, session: _Session) -> Iterator[Event]:
    data = part.get("data")
    if part.get("type") == "tool_call":
        key, arguments = text(dig(data, "id")), embedded(dig(data, "input"))
        call = session.calls.call(key, text(dig(data, "name")).lower(), arguments, session.where, model=model)
        session.calls.open(key, call, session.where)
    elif part.get("type") == "tool_result" and (
        asked := session.calls.answered(text(dig(data, "tool_call_id")), session.where)
    ):
        yield from with_shown(_result_events(asked, data, session), asked.arguments, dig(data, "content"))


def _result_events(call: Call, data: Any, session: _Session) -> Iterator[Event]:
    message, metadata = text(dig(data, "content")), embedded(dig(data, "metadata"))
    failed = dig(data, "is_error") is True
    path = call.path
    if call.attempt and failed:
        yield _failed(with_error(call.attempt, message, _ERROR_PHRASES), session)
    elif call.attempt:
        yield from _applied(call.attempt, metadata, session)
    elif call.tool.kind == "read":
        if root := _root(path, text(dig(metadata, "file_path"))):
            yield Opened(root)
        if not failed and path:
            yield from _read_events(path, call.arguments, message, dig(metadata, "content"), session)
    else:
        yield from call.other_events(succeeded=not failed)


def _root(path: str, absolute: str) -> str | None:
    """The folder of a call's path on the machine of the session; None if the absolute path does not show it."""
    below = "/" + path.removeprefix("./")
    return absolute.removesuffix(below) or "/" if is_absolute(absolute) and absolute.endswith(below) else None


def _failed(attempt: Attempt, session: _Session) -> Event:
    """An edit that was reported as refused. The tool may have made it before, if it lacks a text."""
    edit = attempt.edits[0] if attempt.edits else None
    if edit is None or attempt.path is None or attempt.outcome not in ("no_match", "ambiguous"):
        return attempt
    if not edit.old_string:
        made = session.versions.around(
            session.name, attempt.path, lambda _, stored: stored if stored == edit.new_string else None
        )
        return Wrote(attempt.path, edit.new_string) if made else attempt
    if not edit.new_string and (texts := session.versions.around(session.name, attempt.path, _made_by(attempt))):
        return _with_texts(replace(attempt, outcome="applied", error=None), *texts)
    return attempt


def _applied(attempt: Attempt, metadata: Any, session: _Session) -> Iterator[Event]:
    """An applied edit with the texts or the diff of its result."""
    applied = replace(attempt, outcome="applied")
    before, after, diff = (dig(metadata, key) for key in ("old_content", "new_content", "diff"))
    has_both = isinstance(before, str) and isinstance(after, str)
    path = attempt.path or _only_path(attempt)
    if attempt.edits and attempt.path and attempt.edits[0].old_string == "":
        # An empty search text creates the file.
        yield from _written(attempt.path, attempt.edits, after)
    elif attempt.path and items(dig(metadata, "edits_failed")):
        session.tally.add("left out: edits of which some failed were applied in part", session.where)
        yield replace(attempt, outcome="unknown") if not has_both else Wrote(attempt.path, after)
    elif attempt.path and has_both:
        yield _with_texts(applied, with_crlf(before, "\r\n" in after and "\r\n" not in before), after)
    elif path and (texts := session.versions.around(session.name, path, _made_by(applied))):
        yield _with_texts(applied, *texts)
    else:
        is_diff = attempt.path and isinstance(diff, str) and "@@ -" in diff
        yield replace(applied, diffs=(RecordedDiff(attempt.path, diff),)) if attempt.path and is_diff else applied


def _with_texts(attempt: Attempt, before: str, after: str) -> Attempt:
    path = attempt.path or _only_path(attempt) or ""
    return replace(attempt, before=(File(path, before),), after=(File(path, after),))


def _only_path(attempt: Attempt) -> str | None:
    """The file of a patch that changes the text of one file and does nothing else; None for another patch."""
    found = named(attempt)
    return found[0] if len(found) == 1 and found[0] not in created(attempt) else None


def _made_by(attempt: Attempt) -> Result:
    """A function for `FileVersions.around`. These tools replace the exact text only."""

    def result(before: str, stored: str) -> str | None:
        if attempt.edits:
            after = apply_exactly(attempt, before).text
            return None if after is None or (stored != after and (stored or attempt.edits[0].new_string)) else after
        path = _only_path(attempt) or ""
        return stored if has_same_extent(attempt, {path: before}, {path: stored}, str) and stored != before else None

    return result


def _written(path: str, edits: tuple[Edit, ...], after: Any) -> Iterator[Event]:
    if isinstance(after, str) or len(edits) == 1:
        yield Wrote(path, after if isinstance(after, str) else edits[0].new_string)
    else:
        yield Attempt("", "str_replace", path)


def _read_events(path: str, arguments: Any, message: str, content: Any, session: _Session) -> Iterator[Event]:
    offset = dig(arguments, "offset") or 0
    if not isinstance(content, str) or not content or type(offset) is not int or not 0 <= offset < 1 << 30:
        return
    if any(len(line) > _LONGEST_SHOWN for line in content.split("\n")):
        return
    whole = offset == 0 and _MORE not in message and bool(_LISTED.match(message))
    known = session.versions.with_lines(session.name, path, content) if whole else None
    yield Read(path, content if known is None else known, offset + 1, whole, not whole or known is not None)
