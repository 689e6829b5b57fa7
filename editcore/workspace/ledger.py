"""What each session has read. A session may edit a file only as it last read it."""

from __future__ import annotations

import os
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

from editcore.quoting import shown
from editcore.types import Reason, Rejected
from editcore.workspace.conflicts import Tracker
from editcore.workspace.writes import Writes, digest

_MAX_FILES = 10_000
"""Files remembered, over all sessions. The least recently read are forgotten and have to be read again."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """A file as a session last read it."""

    digest: bytes
    mtime_ns: int | None
    """Modification time, in nanoseconds; None where it is unknown."""
    n_writes: int
    """Writes of the file that were recorded before."""
    in_file: bytes
    """The digest of the text that the file had: another one where the session has seen only what it wrote itself."""


class Ledger:
    """The files that sessions have read, as they read them, and what sessions have written since.

    In memory only; safe to share between threads.
    """

    def __init__(self) -> None:
        self._seen: OrderedDict[tuple[str, str], _Seen] = OrderedDict()
        self._writes = Writes()
        self._lock = Lock()

    def record_read(self, session: str, path: str, text: str) -> None:
        """Record that a session has read this text of the file at an absolute path."""
        self._record(session, path, text, text)

    def record_merged(self, session: str, path: str, mine: str, text: str) -> None:
        """Record that a session knows the file as `mine`, though it has this text: others' changes are merged there."""
        self._record(session, path, mine, text)

    def _record(self, session: str, path: str, known: str, text: str) -> None:
        keep, count = self._writes.keep, self._writes.count
        seen = _Seen(keep(known.removeprefix("\ufeff")), _mtime(path), count(path), digest(text))
        with self._lock:
            self._seen[session, path] = seen
            self._seen.move_to_end((session, path))
            while len(self._seen) > _MAX_FILES:
                self._seen.popitem(last=False)

    def record_written(self, session: str, path: str, before: str, after: str) -> None:
        """Record that a session has turned one text of the file at an absolute path into another."""
        self._writes.record(session, path, before.removeprefix("\ufeff"), after.removeprefix("\ufeff"))

    def base(self, session: str, path: str) -> str | None:
        """The text of the file as the session last read it; None where it has not, or where it is not kept any more."""
        with self._lock:
            seen = self._seen.get((session, path))
        return None if seen is None else self._writes.text(seen.digest)

    def changes(self, session: str, path: str, *, base: str, now: str) -> Tracker:
        """What has turned the text that the session read into the one of now, as line edits of those who wrote it."""
        with self._lock:
            seen = self._seen.get((session, path))
        return self._writes.tracker(path, base=base, now=now, since=seen.n_writes if seen else 0)

    def is_by_sessions(self, session: str, path: str, *, now: str) -> bool:
        """Whether all that became of the file since the session knew it was written by sessions, to the last change."""
        with self._lock:
            seen = self._seen.get((session, path))
        return seen is not None and self._writes.lead(path, seen.in_file, digest(now), since=seen.n_writes)

    def forget(self, session: str) -> None:
        """Forget everything a session has read."""
        with self._lock:
            for key in [key for key in self._seen if key[0] == session]:
                del self._seen[key]

    def has_read(self, session: str, path: str) -> bool:
        """Whether the session has read the file, in any version."""
        with self._lock:
            return (session, path) in self._seen

    def refusal(self, session: str, path: str, text: str, *, name: str) -> Rejected | None:
        """Why a session must not edit a file that has this text now; None where this is the text it read.

        Texts are compared, not times: a file that was touched but not changed counts as read.
        """
        with self._lock:
            seen = self._seen.get((session, path))
        if seen is None:
            return Rejected(
                Reason.UNREAD, f"{shown(name)} was not read in this session: read it first, then send the edit again."
            )
        if seen.digest == digest(text):
            return None
        when = "" if seen.mtime_ns == _mtime(path) else " (it was written to since)"
        return Rejected(
            Reason.STALE_READ,
            f"{shown(name)} is no longer as it was read{when}: read it again, then send the edit again.",
        )


def _mtime(path: str) -> int | None:
    try:
        return os.stat(path, follow_symlinks=False).st_mtime_ns
    except OSError:
        return None
