"""Locks on files that are about to be replaced, across threads and processes.

A lock on the edited file itself is worthless once another file is renamed over it. The locks are therefore separate
files, in one private directory of the user, outside every workspace. There are `N_STRIPES` of them, and the hash of a
file's canonical path is the number of its lock (its stripe): lock files never accumulate and none has to be deleted.
Two files with the same stripe wait for each other, which costs time only. Several locks are taken in ascending order,
which excludes deadlocks.

Only processes that use the same directory exclude each other. Processes of another user or container, or with another
TMPDIR, need a common `directory`.
"""

from __future__ import annotations

import os
import stat
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from time import monotonic

from editcore.errors import WorkspaceError
from editcore.host.cancellation import TICK, Cancellation

N_STRIPES = 1024
"""The number of lock files. It must never change: two versions must agree on the stripe of a path."""
_POLL_SECONDS = 0.002


def stripe(path: str) -> int:
    """The number of the lock of a canonical path; the same for spellings that a file system may treat as equal."""
    folded = unicodedata.normalize("NFC", path).casefold()
    return int.from_bytes(blake2b(os.fsencode(folded), digest_size=4).digest(), "big") % N_STRIPES


class Locks:
    """The locks in one directory: by default `editgauge-locks-UID` in the temporary directory."""

    def __init__(self, directory: Path | None = None, *, timeout: float = 30.0) -> None:
        self._is_ours = directory is None
        self.directory = directory or Path(tempfile.gettempdir(), f"editgauge-locks-{os.geteuid()}")
        self.timeout = timeout

    @contextmanager
    def holding(self, stripes: Iterable[int], cancellation: Cancellation | None = None) -> Iterator[None]:
        """Hold these locks. Raises WorkspaceError if they are not free within `timeout` seconds.

        Raises Cancelled if the call is cancelled while it waits.
        """
        with ExitStack() as held:
            self._prepare()
            for number in sorted(set(stripes)):
                if not held.enter_context(self._lock(number, self.timeout, cancellation)):
                    raise WorkspaceError(
                        f"Another edit has kept the file locked for {self.timeout:g} s: nothing changed; try again."
                    )
            yield

    def trying(self, number: int) -> AbstractContextManager[bool]:
        """Take the lock if it is free. Yields True if it was. Only inside `holding`."""
        return self._lock(number, 0)

    @contextmanager
    def _lock(self, number: int, timeout: float, cancellation: Cancellation | None = None) -> Iterator[bool]:
        from filelock import FileLock, Timeout  # Importing it takes a tenth of a second.

        lock, until = FileLock(self.directory / f"{number:03x}.lock"), monotonic() + timeout
        while True:
            try:
                lock.acquire(timeout=max(min(until - monotonic(), TICK), 0), poll_interval=_POLL_SECONDS)
                break
            except Timeout:
                if cancellation is not None:
                    cancellation.check()
                if monotonic() >= until:
                    yield False
                    return
            except OSError as error:
                raise WorkspaceError(
                    f"The lock directory can't be used ({error.strerror}): nothing changed; give another "
                    "lock_directory."
                ) from error
        try:
            yield True
        finally:
            with suppress(OSError):  # The work done under the lock has not failed.
                lock.release()

    def _prepare(self) -> None:
        """Create the directory. The default directory is refused if other users could change it."""
        try:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = self.directory.lstat()
        except OSError as error:
            raise WorkspaceError(
                f"The lock directory can't be created ({error.strerror}): nothing changed; give another lock_directory."
            ) from error
        private = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022
        if self._is_ours and not private:
            raise WorkspaceError("The lock directory is not private to this user: give another lock_directory.")
