"""Crush and OpenCode in Go: the versions of files in the table `files` of a database, in the order they were stored.

Each tool that changes a file stores the text that it met, unless that is the last version that the session has, and
then the text that it wrote (internal/history/file.go). A view shows lines only; a version with these lines has their
endings too. Traps:

- Crush stores the text that it met with LF, and the one that it wrote with the endings of the file.
- An edit without a new text stores an empty version, whatever it leaves of the file. The tool then goes on to look for
  the search text again, and reports that it is not there. One without a search text creates the file, and likewise
  reports that the empty text is there several times.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable

import xxhash

from corpora.importers.log import Log, Tally, rows, text
from editcore.text.endings import line_feeds, with_crlf

_TABLE = "files"
_MOST_AHEAD = 20
"""Versions in which the next edit of a file, or the endings of its lines, are looked for."""

Result = Callable[[str, str], str | None]
"""The text after an edit, given two versions that follow each other; None if they are not those around it."""


class FileVersions:
    """The versions of all files of a database: their rows and hashes in memory, their texts in the database."""

    def __init__(self, opened: sqlite3.Connection, log: Log, *, stored_with_lf: bool) -> None:
        self._opened, self._log = opened, log
        self._stored_with_lf = stored_with_lf
        self._rows: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        """Rows by session and path."""
        self._with_lines: defaultdict[tuple[str, int], list[tuple[str, int]]] = defaultdict(list)
        """(session, number of the version) by path and hash of the lines."""
        self._named: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        """Paths by session and name of the file."""
        self._done: dict[tuple[str, str], int] = {}
        """The number of the version before which all edits have been found, by session and path."""
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
        """The text of a file with these lines, of this session if it has one; None if there is none or several."""
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
        """The text of a version, with the endings that the file had."""
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
    """A hash of the lines, whatever their endings."""
    return xxhash.xxh3_64_intdigest(line_feeds(content).removesuffix("\n").encode("utf-8", "surrogatepass"))
