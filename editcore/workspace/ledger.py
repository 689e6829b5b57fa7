"""What each session has read: an edit is for the text that its author saw."""

from __future__ import annotations

import os
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock

from editcore.quoting import shown
from editcore.types import Reason, Rejected

_MOST = 10_000
"""Files that are remembered, of all sessions; those looked at longest ago are forgotten, and have to be read again."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as a session last saw it."""

    digest: bytes
    mtime_ns: int | None
    """When it had last been written, by the disk's clock; None where that could not be told."""


class Ledger:
    """Session and file -> what was seen. Safe to share between threads; as long as it lives, so do its sessions."""

    def __init__(self) -> None:
        self._seen: OrderedDict[tuple[str, str], Seen] = OrderedDict()
        self._lock = Lock()

    def record_read(self, session: str, path: str, text: str) -> None:
        """Remember that a session knows this text of the file at an absolute path."""
        seen = Seen(_digest(text), _mtime(path))
        with self._lock:
            self._seen[session, path] = seen
            self._seen.move_to_end((session, path))
            while len(self._seen) > _MOST:
                self._seen.popitem(last=False)

    def forget(self, session: str) -> None:
        """All that a session has read, once it is over."""
        with self._lock:
            for key in [key for key in self._seen if key[0] == session]:
                del self._seen[key]

    def has_read(self, session: str, path: str) -> bool:
        """Whether the session has read the file at all."""
        with self._lock:
            return (session, path) in self._seen

    def refusal(self, session: str, path: str, text: str, *, name: str) -> Rejected | None:
        """Why a session must not edit a file that has this text; None where it has just this text in mind.

        By content: a file that was touched and not changed is still known; that it has the same time says nothing.
        """
        with self._lock:
            seen = self._seen.get((session, path))
        if seen is None:
            return Rejected(
                Reason.UNREAD, f"{shown(name)} was not read in this session: read it first, then send the edit again."
            )
        if seen.digest == _digest(text):
            return None
        when = "" if seen.mtime_ns == _mtime(path) else " (it was written to since)"
        return Rejected(
            Reason.STALE_READ,
            f"{shown(name)} is no longer as it was read{when}: read it again, then send the edit again.",
        )


def _digest(text: str) -> bytes:
    # A byte order mark is no part of what is read, but may be of what was written.
    return blake2b(text.removeprefix("\ufeff").encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _mtime(path: str) -> int | None:
    try:
        return os.stat(path, follow_symlinks=False).st_mtime_ns
    except OSError:
        return None
