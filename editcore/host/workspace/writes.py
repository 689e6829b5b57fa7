"""What sessions have written, each write with the text it was based on; and by whom a file was changed since a text."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from hashlib import blake2b
from threading import Lock

from editcore.host.workspace.conflicts import LineEdit, Tracker
from editcore.text.diff import changed_ranges

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
