"""The texts that each session has read and written. A session may edit a file only as it last read it.

session a   reads shop.py          its base is the text that it read, and it was shown all lines of that text
session b   edits shop.py          recorded: the writer, and the texts before and after
session a   edits shop.py          refused or merged: the text is no longer a's base, and `writers` tells that b
                                   changed it, and which lines

The base of a session is the file as it knows it: the text that it read, with its own edits, and with those changes by
others that an answer showed it. A change by others that no answer showed is not in it.

A number means a line of the text that showed it. `sightings` has each text that a session was shown, with the lines
that it was shown of it, and `trail` leads from there to the current text, through the writes that were recorded.
"""

from __future__ import annotations

import os
from collections import OrderedDict, deque
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import chain
from threading import RLock
from typing import Any

from editcore.quoting import shown
from editcore.stale.trail import Change, Replaced, Trail
from editcore.text.diff import changed_ranges
from editcore.text.endings import line_feeds
from editcore.text.lines import BOM, Stretches, joined, n_lines, put_in, with_feeds
from editcore.text.three_way import beside
from editcore.types import Reason, Rejected

OTHER_PROCESS = "another process"
"""The writer of changes that no session of this process has made."""
_MAX_FILES = 10_000
"""Files remembered, over all sessions. The least recently read are forgotten and have to be read again."""
_MOST_SIGHTINGS = 50
"""Texts of a file that a session was shown and that are kept."""
_MAX_CHARACTERS = 50_000_000
"""Of the texts kept. The least recently used are forgotten; edits based on them are refused without a comparison."""
_MAX_COMPARED = 10_000_000
"""Characters compared to find who changed which lines. Of more, the whole difference is one change."""
_MAX_NAMED = 3
"""Writers that such a change names."""
_MAX_PATHS, _MAX_WRITES = 10_000, 100
"""Files whose writes are kept, and writes of each: the oldest are forgotten."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A text of a file that a session was shown."""

    text: str
    lines: Stretches | None = None
    """The lines of it that were shown; None for all."""
    n_writes: int = 0
    """Writes of the file that were recorded before."""
    named: Stretches = ()
    """The lines of it that the session can name by anchors: lines that were shown with theirs, and, where a tag names
    the text, lines that the session knows from texts before.
    """

    def shows(self, first: int, last: int) -> bool:
        """True if the lines from `first` to `last`, 1-based and inclusive, were all shown."""
        lines = ((1, n_lines(self.text)),) if self.lines is None else self.lines
        return any(start <= first and last <= end for start, end in lines)


@dataclass(frozen=True, slots=True)
class _Seen:
    """A file as a session last read it."""

    digest: bytes
    """Of the text as the session knows it: as it was shown, with the changes that the session has made since."""
    mtime_ns: int | None
    """Modification time, in nanoseconds; None if it is unknown."""
    n_writes: int
    """Writes of the file that were recorded before."""
    sightings: tuple[tuple[bytes, Sighting], ...] = ()
    """The texts that were shown, the last one first: the digest, and the rest without the text."""
    is_told: bool = False
    """True if the session has not read this text: answers to its edits told what others changed since."""


@dataclass(frozen=True, slots=True)
class _Write:
    session: str
    before: bytes
    """The digest of the text."""
    after: bytes
    spans: tuple[Replaced, ...] | None
    """What was replaced in the text before; None if that is not known."""


@dataclass(slots=True)
class _History:
    n_forgotten: int = 0
    writes: deque[_Write] = field(default_factory=deque)

    @property
    def n_writes(self) -> int:
        return self.n_forgotten + len(self.writes)

    def since(self, n_writes: int) -> list[_Write]:
        """The writes that are still kept, without the first ones ever."""
        return list(self.writes)[max(n_writes - self.n_forgotten, 0) :]


class Ledger:
    """The files that sessions have read, as they read them, and what sessions have written since.

    In memory only; safe to share between threads. Paths are absolute. Texts are kept without their byte order mark.
    """

    def __init__(self) -> None:
        self._seen: OrderedDict[tuple[str, str], _Seen] = OrderedDict()
        self._texts: OrderedDict[bytes, str] = OrderedDict()
        self._n_characters = 0
        self._histories: OrderedDict[str, _History] = OrderedDict()
        self._written: OrderedDict[tuple[str, str], None] = OrderedDict()
        """Session and path of each file that a session has written to."""
        self._lock = RLock()

    def record_read(self, session: str, path: str, text: str, *, lines: Stretches | None = None) -> None:
        """Record that a session has read this text of a file, or these lines of it."""
        base = self.base(session, path)
        known = text if lines is None or base is None else _with_lines(base, text, lines)
        self._record(session, path, self._keep(known), is_told=False)
        self.record_shown(session, path, text, lines, named=lines or ())

    def record_told(self, session: str, path: str, known: str) -> None:
        """Record the text that a session knows because an answer told it of changes by others."""
        self._record(session, path, self._keep(known), is_told=True)

    def record_shown(
        self, session: str, path: str, text: str, lines: Stretches | None, *, named: Stretches = ()
    ) -> None:
        """Record that a session was shown lines of a text of a file, which it has read; None for all of them."""
        base = self.base(session, path)
        if base is not None and (known := text if lines is None else _with_lines(base, text, lines)) != base:
            self.record_told(session, path, known)
        kept = self._keep(text)
        with self._lock:
            seen = self._seen.get((session, path))
            if seen is None:
                return
            others = [one for one in seen.sightings if one[0] != kept]
            before = next((one for key, one in seen.sightings if key == kept), Sighting("", ()))
            lines = None if lines is None or before.lines is None else joined([*before.lines, *lines])
            named = joined([*before.named, *named])
            now = kept, Sighting("", lines, self._histories.get(path, _History()).n_writes, named)
            self._seen[session, path] = replace(seen, sightings=(now, *others)[:_MOST_SIGHTINGS])

    def record_written(
        self, session: str, path: str, before: str, after: str | None, spans: tuple[Replaced, ...] | None = None
    ) -> None:
        """Record that a session has turned one text of a file into another, by replacing these spans if known.

        `after` is None for a file that it has deleted. The session knows its edit. A change by others that nobody told
        it of stays unknown to it.
        """
        write, base = _Write(session, self._keep(before), self._keep(after or ""), spans), self.base(session, path)
        with self._lock:
            history = self._histories.setdefault(path, _History())
            history.writes.append(write)
            if len(history.writes) > _MAX_WRITES:
                history.writes.popleft()
                history.n_forgotten += 1
            _renewed(self._histories, path, history, _MAX_PATHS)
            _renewed(self._written, (session, path), None, _MAX_FILES)
        if after is not None:
            known = after if base is None else _with_own(base, before.removeprefix(BOM), after.removeprefix(BOM))
            self._record(session, path, self._keep(known))

    def base(self, session: str, path: str) -> str | None:
        """The text of the file as the session knows it; None if it has not read it, or the text is no longer kept."""
        seen = self._entry(session, path)
        return None if seen is None else self._text(seen.digest)

    def sightings(self, session: str, path: str) -> list[Sighting]:
        """The texts of the file that were shown to the session and are still kept, the last one first."""
        seen = self._entry(session, path)
        kept = [(self._text(digest), one) for digest, one in (seen.sightings if seen else ())]
        return [replace(one, text=text) for text, one in kept if text is not None]

    def trail(self, session: str, path: str, sighting: Sighting, live: str) -> Trail:
        """The way from a text that the session was shown to the current text of the file."""
        with self._lock:
            writes = self._histories.get(path, _History()).since(sighting.n_writes)
        found = [(self._text(one.before), self._text(one.after), one) for one in writes]
        return Trail(
            sighting.text,
            [
                Change(before, after, one.spans, is_own=one.session == session)
                for before, after, one in found
                if before is not None and after is not None
            ],
            live,
        )

    def writers(self, session: str, path: str, *, base: str, now: str) -> list[tuple[str, ...]]:
        """Who has written since the session read `base`: for each line of `now`, and for each border between two.

        A border, the first one being above line 1, has those who removed lines there.
        """
        with self._lock:
            seen, history = self._entry(session, path), self._histories.get(path, _History())
            waiting = history.since(seen.n_writes if seen else 0)
        if (len(waiting) + 1) * max(len(base), len(now)) > _MAX_COMPARED:
            named = list(dict.fromkeys(write.session for write in waiting)) or [OTHER_PROCESS]
            return [(", ".join(named[:_MAX_NAMED]),)] * (2 * n_lines(now) + 1)
        nobody: tuple[str, ...] = ()
        found, text = [nobody] * (2 * n_lines(base) + 1), base
        while waiting:
            # Two writes that end at once may be recorded in either order: the one based on the text comes next.
            key = _digest(text)
            write = next((one for one in waiting if one.before == key), waiting[0])
            waiting.remove(write)
            before, after = self._text(write.before), self._text(write.after)
            if before is None or after is None:
                break
            _write(found, OTHER_PROCESS, text, before)
            _write(found, write.session, before, after)
            text = after
        _write(found, OTHER_PROCESS, text, now)
        return found

    def forget(self, session: str) -> tuple[str, ...]:
        """Forget what a session has read. Returns the paths that it has written to, and no other session has."""
        with self._lock:
            for key in [key for key in self._seen if key[0] == session]:
                del self._seen[key]
            mine = [path for other, path in self._written if other == session]
            for path in mine:
                del self._written[session, path]
            others = {path for _, path in self._written}
        return tuple(path for path in mine if path not in others)

    def has_read(self, session: str, path: str) -> bool:
        return self._entry(session, path) is not None

    def unread(self, session: str, path: str, *, name: str) -> Rejected | None:
        """The refusal to overwrite a file, or to count its lines; None if the session was shown it in any version."""
        seen = self._entry(session, path)
        return None if seen is not None and seen.sightings else _unread(name)

    def refusal(
        self, session: str, path: str, text: str, *, name: str, needs_read: bool = False
    ) -> Rejected | None:  # fmt: skip
        """The refusal to edit a file that has this text now; None if the session knows the file with this text.

        Texts are compared, not times: a file that was touched but not changed counts as read. With `needs_read`, the
        session must have read it since others last changed it.
        """
        seen = self._entry(session, path)
        if seen is None:
            return _unread(name)
        if seen.digest == _digest(text) and not (needs_read and seen.is_told):
            return None
        when = "" if seen.mtime_ns == _mtime(path) else " (it was written to since)"
        return Rejected(
            Reason.STALE_READ,
            f"{shown(name)} is no longer as it was read{when}: read it again, then send the edit again.",
        )

    def _entry(self, session: str, path: str) -> _Seen | None:
        with self._lock:
            return self._seen.get((session, path))

    def _record(self, session: str, path: str, known: bytes, *, is_told: bool | None = None) -> None:
        mtime = _mtime(path)
        with self._lock:
            before, history = self._seen.get((session, path)), self._histories.get(path, _History())
            seen = before or _Seen(known, mtime, history.n_writes)
            is_told = seen.is_told if is_told is None else is_told
            seen = replace(seen, digest=known, mtime_ns=mtime, n_writes=history.n_writes, is_told=is_told)
            _renewed(self._seen, (session, path), seen, _MAX_FILES)

    def _keep(self, text: str) -> bytes:
        """Keep a text, as long as there is room. Returns its digest."""
        text = text.removeprefix(BOM)
        key = _digest(text)
        with self._lock:
            if key not in self._texts:
                self._n_characters += len(text)
            _renewed(self._texts, key, text, len(self._texts) + 1)
            while self._n_characters > _MAX_CHARACTERS:
                self._n_characters -= len(self._texts.popitem(last=False)[1])
        return key

    def _text(self, key: bytes) -> str | None:
        with self._lock:
            return self._texts.get(key)


def _write(found: list[tuple[str, ...]], writer: str, before: str, after: str) -> None:
    """Add a writer to the lines and borders of a text, who turns it into another one."""
    for first, last, new in reversed(changed_ranges(before, after)):
        start, end, n = 2 * first - 2, 2 * last + 1, n_lines(new)
        who = tuple(dict.fromkeys([*chain(*found[start:end]), writer]))
        found[start:end] = [found[start], *[who] * (2 * n - 1), found[end - 1]] if n else [who]


def _with_own(known: str, before: str, after: str) -> str:
    """`known` with the session's own change from `before` to `after`."""
    if known == before:
        return after
    whole, known, before, after = after, *map(line_feeds, (known, before, after))
    merged = beside(before, after, known, inserts=True)
    if merged is None:
        own = [(first - (last < first), max(last, first)) for first, last in put_in(changed_ranges(before, after))]
        merged = _with_lines(known, after, joined((max(first, 1), last) for first, last in own), alone=True)
    return whole if merged == after else merged


def _with_lines(known: str, text: str, lines: Stretches, *, alone: bool = False) -> str:
    """`known` with those changes of `text` that the lines show; a deletion is shown by the lines on both sides.

    Lines that replace as many others are shown one by one, lines that replace more or fewer if one of them is; with
    `alone`, each line stands for itself.
    """

    def is_shown(first: int, last: int) -> bool:
        return any(above <= first and last <= below for above, below in lines)

    whole, known, text = text, line_feeds(known), line_feeds(text)
    rows, changes, n_all = with_feeds(known), changed_ranges(known, text), n_lines(text)
    for (first, last, new), (start, end) in reversed(list(zip(changes, put_in(changes), strict=True))):
        old, by_number = rows[first - 1 : last], [*enumerate(with_feeds(new), start)]
        put = [row for n, row in by_number if is_shown(n, n)]
        if end < start:
            put = [] if is_shown(max(start - 1, 1), min(start, n_all)) else old
        elif len(old) == len(by_number):
            put = [row if is_shown(n, n) else was for was, (n, row) in zip(old, by_number, strict=True)]
        elif old:
            put = with_feeds(new) if put and not alone else put or old
        rows[first - 1 : last] = put
    return whole if "".join(rows) == text else "".join(rows)


def _renewed(kept: OrderedDict[Any, Any], key: object, value: object, most: int) -> None:
    """Store a value as the newest one, and drop the oldest ones beyond `most`."""
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > most:
        kept.popitem(last=False)


def _digest(text: str) -> bytes:
    """The digest of a text, with or without its byte order mark."""
    return blake2b(text.removeprefix(BOM).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _unread(name: str) -> Rejected:
    return Rejected(
        Reason.UNREAD, f"{shown(name)} was not read in this session: read it first, then send the edit again."
    )


def _mtime(path: str) -> int | None:
    try:
        return os.stat(path, follow_symlinks=False).st_mtime_ns
    except OSError:
        return None
