"""What each session has read. A session may edit a file only as it last read it."""

from __future__ import annotations

import os
from collections import OrderedDict, deque
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from threading import Lock

from editcore.host.workspace.conflicts import LineEdit, Tracker
from editcore.quoting import shown
from editcore.text.diff import changed_ranges
from editcore.text.lines import Stretches, joined
from editcore.types import Reason, Rejected

# What sessions have written, each write with the text it was based on; and by whom a file was changed since a text.

OTHER_PROCESS = "another process"
"""Who wrote what no session of this process has written."""
_MAX_CHARACTERS = 50_000_000
"""Of the texts kept. The least recently used are forgotten; edits based on them are refused without a comparison."""
_MAX_EDITS, _MAX_COMPARED = 200, 10_000_000
"""Line edits that one change is divided into, and characters that are compared for one tracker; beyond it is one."""
_MAX_NAMED = 3
_MAX_PATHS, _MAX_WRITES = 10_000, 100
"""Files whose writes are kept, and writes of each: the oldest are forgotten."""


@dataclass(frozen=True, slots=True)
class _Write:
    session: str
    before: bytes
    """The digest of the text."""
    after: bytes


@dataclass(slots=True)
class _History:
    """The writes of one file."""

    n_before: int = 0
    """Writes that were forgotten."""
    writes: deque[_Write] = field(default_factory=deque)


class Writes:
    """Texts of files by their digests, and who wrote which over which. In memory; safe to share between threads."""

    def __init__(self) -> None:
        self._texts: OrderedDict[bytes, str] = OrderedDict()
        self._n_characters = 0
        self._histories: OrderedDict[str, _History] = OrderedDict()
        self._lock = Lock()

    def keep(self, text: str) -> bytes:
        """Keep a text, as long as there is room. Returns its digest."""
        key = digest(text)
        with self._lock:
            if key not in self._texts:
                self._n_characters += len(text)
            self._texts[key] = text
            self._texts.move_to_end(key)
            while self._n_characters > _MAX_CHARACTERS:
                self._n_characters -= len(self._texts.popitem(last=False)[1])
        return key

    def text(self, key: bytes) -> str | None:
        """The text of a digest; None where it is not kept any more."""
        with self._lock:
            return self._texts.get(key)

    def count(self, path: str) -> int:
        """The number of writes of a file so far."""
        with self._lock:
            history = self._histories.get(path, _History())
            return history.n_before + len(history.writes)

    def record(self, session: str, path: str, before: str, after: str) -> None:
        """Record that a session has turned one text of a file into another."""
        write = _Write(session, self.keep(before), self.keep(after))
        with self._lock:
            history = self._histories.setdefault(path, _History())
            self._histories.move_to_end(path)
            history.writes.append(write)
            if len(history.writes) > _MAX_WRITES:
                history.writes.popleft()
                history.n_before += 1
            while len(self._histories) > _MAX_PATHS:
                self._histories.popitem(last=False)

    def tracker(self, path: str, *, base: str, now: str, since: int) -> Tracker:
        """All that turned `base`, read after `since` writes, into `now`, as line edits of those who wrote it."""
        tracker, text, waiting = Tracker(), base, self._since(path, since)
        if (len(waiting) + 1) * max(len(base), len(now)) > _MAX_COMPARED:
            writers = list(dict.fromkeys(write.session for write in waiting)) or [OTHER_PROCESS]
            _record(tracker, path, ", ".join(writers[:_MAX_NAMED]), base, now)
            return tracker
        while waiting:
            # Two that end at the same time may be recorded in either order: the one that is based on the text is next.
            key = digest(text)
            write = next((one for one in waiting if one.before == key), waiting[0])
            waiting.remove(write)
            before, after = self.text(write.before), self.text(write.after)
            if before is None or after is None:
                break
            _record(tracker, path, OTHER_PROCESS, text, before)
            _record(tracker, path, write.session, before, after)
            text = after
        _record(tracker, path, OTHER_PROCESS, text, now)
        return tracker

    def _since(self, path: str, since: int) -> list[_Write]:
        with self._lock:
            history = self._histories.get(path, _History())
            return list(history.writes)[max(since - history.n_before, 0) :]


def line_edits(path: str, task_id: str, before: str, after: str, *, seen: int = 0) -> list[LineEdit]:
    """The line edits that turn one text into another, in the line numbers of the first; of very many, a single one."""
    ranges = changed_ranges(before, after)
    if len(ranges) > _MAX_EDITS:
        n_lines = before.count("\n") + (not before.endswith("\n"))
        ranges = [(1, n_lines, after)]
    return [LineEdit(path, task_id, *one, seen) for one in ranges]


def digest(text: str) -> bytes:
    """The digest of a text. Reading leaves a byte order mark out; a text that was written may have one."""
    return blake2b(text.removeprefix("\ufeff").encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _record(tracker: Tracker, path: str, task_id: str, before: str, after: str) -> None:
    for edit in line_edits(path, task_id, before, after, seen=tracker.version(path)):
        tracker.record_written(edit)


_MAX_FILES = 10_000
"""Files remembered, over all sessions. The least recently read are forgotten and have to be read again."""
_MOST_SIGHTINGS = 8
"""Texts of a file that a session was shown and that are kept."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A text of a file that a session was shown."""

    text: str
    lines: Stretches | None = None
    """The lines of it that were shown; None for all."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """A file as a session last read it."""

    digest: bytes
    """Of the text as the session knows it: as it was shown, with the changes that the session has made since."""
    shown: bytes | None
    """The digest of the text that was shown; None where the session only wrote to the file."""
    mtime_ns: int | None
    """Modification time, in nanoseconds; None where it is unknown."""
    n_writes: int
    """Writes of the file that were recorded before."""
    sightings: tuple[tuple[bytes, Stretches | None], ...] = ()
    """The digests of the texts that were shown, the last one first, and which lines of them."""


class Ledger:
    """The files that sessions have read, as they read them, and what sessions have written since.

    In memory only; safe to share between threads.
    """

    def __init__(self) -> None:
        self._seen: OrderedDict[tuple[str, str], _Seen] = OrderedDict()
        self._writes = Writes()
        self._written: OrderedDict[tuple[str, str], None] = OrderedDict()
        """Session and path of each file that a session has written to."""
        self._lock = Lock()

    def record_read(self, session: str, path: str, text: str, *, lines: Stretches | None = None) -> None:
        """Record that a session has read this text of the file at an absolute path, or these lines of it."""
        kept = self._writes.keep(text.removeprefix("\ufeff"))
        self._record(session, path, kept, kept)
        self.record_shown(session, path, text, lines)

    def record_known(self, session: str, path: str, known: str) -> None:
        """Record that a session knows the file so since it has changed it: others' changes may be in the file too."""
        with self._lock:
            seen = self._seen.get((session, path))
        self._record(session, path, self._writes.keep(known.removeprefix("\ufeff")), seen.shown if seen else None)

    def record_shown(self, session: str, path: str, text: str, lines: Stretches | None) -> None:
        """Record that a session was shown lines of a text of a file, which it has read; None for all of them."""
        kept = self._writes.keep(text.removeprefix("\ufeff"))
        with self._lock:
            seen = self._seen.get((session, path))
            if seen is None:
                return
            known = dict(seen.sightings)
            before = known.pop(kept, ())
            lines = None if lines is None or before is None else joined([*before, *lines])
            found = ((kept, lines), *known.items())[:_MOST_SIGHTINGS]
            self._seen[session, path] = replace(seen, sightings=found)

    def _record(self, session: str, path: str, known: bytes, shown: bytes | None) -> None:
        mtime, n_writes = _mtime(path), self._writes.count(path)
        with self._lock:
            before = self._seen.get((session, path))
            self._seen[session, path] = _Seen(known, shown, mtime, n_writes, before.sightings if before else ())
            self._seen.move_to_end((session, path))
            while len(self._seen) > _MAX_FILES:
                self._seen.popitem(last=False)

    def record_written(self, session: str, path: str, before: str, after: str) -> None:
        """Record that a session has turned one text of the file at an absolute path into another."""
        self._writes.record(session, path, before.removeprefix("\ufeff"), after.removeprefix("\ufeff"))
        with self._lock:
            self._written[session, path] = None
            while len(self._written) > _MAX_FILES:
                self._written.popitem(last=False)

    def base(self, session: str, path: str) -> str | None:
        """The text of the file as the session last read it; None where it has not, or where it is not kept any more."""
        with self._lock:
            seen = self._seen.get((session, path))
        return None if seen is None else self._writes.text(seen.digest)

    def shown(self, session: str, path: str) -> str | None:
        """The text of the file as it was last shown to the session; None where it was not, or is not kept any more."""
        with self._lock:
            seen = self._seen.get((session, path))
        return None if seen is None or seen.shown is None else self._writes.text(seen.shown)

    def sightings(self, session: str, path: str) -> list[Sighting]:
        """The texts of the file that were shown to the session and are still kept, the last one first."""
        with self._lock:
            seen = self._seen.get((session, path))
        kept = [(self._writes.text(digest), lines) for digest, lines in (seen.sightings if seen else ())]
        return [Sighting(text, lines) for text, lines in kept if text is not None]

    def changes(self, session: str, path: str, *, base: str, now: str) -> Tracker:
        """What has turned the text that the session read into the one of now, as line edits of those who wrote it."""
        with self._lock:
            seen = self._seen.get((session, path))
        return self._writes.tracker(path, base=base, now=now, since=seen.n_writes if seen else 0)

    def forget(self, session: str) -> tuple[str, ...]:
        """Forget everything a session has read. Returns the paths that it has written to, and no other session has."""
        with self._lock:
            for key in [key for key in self._seen if key[0] == session]:
                del self._seen[key]
            mine = [path for other, path in self._written if other == session]
            for path in mine:
                del self._written[session, path]
            others = {path for _, path in self._written}
        return tuple(path for path in mine if path not in others)

    def has_read(self, session: str, path: str) -> bool:
        """Whether the session has read the file, in any version."""
        with self._lock:
            return (session, path) in self._seen

    def unread(self, session: str, path: str, *, name: str) -> Rejected | None:
        """Why a session must not overwrite a file, or count its lines; None where it was shown in any version."""
        with self._lock:
            seen = self._seen.get((session, path))
        return _unread(name) if seen is None or seen.shown is None else None

    def refusal(self, session: str, path: str, text: str, *, name: str) -> Rejected | None:
        """Why a session must not edit a file that has this text now; None where this is the text it read.

        Texts are compared, not times: a file that was touched but not changed counts as read.
        """
        with self._lock:
            seen = self._seen.get((session, path))
        if seen is None:
            return _unread(name)
        if seen.digest == digest(text):
            return None
        when = "" if seen.mtime_ns == _mtime(path) else " (it was written to since)"
        return Rejected(
            Reason.STALE_READ,
            f"{shown(name)} is no longer as it was read{when}: read it again, then send the edit again.",
        )


def _unread(name: str) -> Rejected:
    return Rejected(
        Reason.UNREAD, f"{shown(name)} was not read in this session: read it first, then send the edit again."
    )


def _mtime(path: str) -> int | None:
    try:
        return os.stat(path, follow_symlinks=False).st_mtime_ns
    except OSError:
        return None
