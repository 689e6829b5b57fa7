"""Atomic replacement of one or several files: all of them or none.

Each new file is written in full to a temporary file in the same directory (exclusive, no links followed), gets the
mode, owner and attributes of the old file, and is synced. Then the old file is compared with the data that was read,
the temporary file renamed over it, and the directory synced. All temporary files of a change are written before the
first rename: a full disk fails before anything is visible. If a change has several files, the old ones are kept under
a second name until the last rename, and renamed back if one fails, which needs no space on the disk.

Nothing here decides if a path may be written: see `boundary.py`.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from errno import EEXIST

from editcore.errors import WorkspaceError
from editcore.host.workspace.boundary import Snapshot, directory_of, disk_error, same_file
from editcore.host.workspace.locks import Locks
from editcore.quoting import shown
from editcore.types import Reason

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_TRIES = 10
"""Attempts to create a file in a directory that others remove meanwhile."""
_TEMPORARY = re.compile(r"\.editgauge-([0-9a-f]{3})-[0-9a-f]{16}\.tmp")


@dataclass(frozen=True, slots=True)
class Replacement:
    """A file before and after a change."""

    path: str
    """A clean path that may be written."""
    before: Snapshot | None
    """None if the file does not exist."""
    after: bytes | None
    """None to delete it."""
    like: Snapshot | None
    """The file whose mode, owner and attributes the new one gets; None for the defaults of a new file."""
    stripe: int
    """The number of its lock, which is held. Temporary names contain it: the holder of that lock may delete them."""


@dataclass(slots=True)
class _Staged:
    change: Replacement
    directory: int
    name: str
    temporary: str | None = None
    """The name of the new file, until it is renamed."""
    kept: str | None = None
    """The second name of the old file, if the change has several files."""
    identity: tuple[int, int] | None = None
    """Device and inode of the new file."""
    done: bool = False


@dataclass(slots=True)
class _Commit:
    root: str
    durable: bool
    stack: ExitStack
    staged: list[_Staged] = field(default_factory=list)
    made: list[str] = field(default_factory=list)


def replace_files(root: str, changes: Sequence[Replacement], locks: Locks, *, durable: bool = True) -> tuple[str, ...]:
    """Make all the changes or none. Returns notes on what may not survive a power failure.

    The locks of all paths must be held. Raises WorkspaceError if nothing was changed, or with the names of the files
    that could not be restored. `durable=False` does not sync: whole files survive a killed process, but not surely a
    power failure.
    """
    with ExitStack() as stack:
        commit = _Commit(root, durable, stack)
        swept: set[tuple[int, int]] = set()
        path = ""
        try:
            for change in changes:
                path = change.path
                _stage(commit, change, swept, {one.stripe for one in changes}, locks)
            for one in commit.staged:
                path = one.change.path
                _perform(one, keep=len(changes) > 1)
        except BaseException as error:
            _undo(commit, error)
            if isinstance(error, OSError):
                raise disk_error(error, path) from error
            raise
        _discard(commit)
        return tuple(_synced(commit)) if durable else ()


def _stage(commit: _Commit, change: Replacement, swept: set[tuple[int, int]], stripes: set[int], locks: Locks) -> None:
    """Write the new file under a temporary name, after deleting the temporary files of killed processes."""
    for _ in range(_TRIES - 1):
        # Somebody may remove the directory while it is empty, before the file is in it.
        with suppress(FileNotFoundError):
            _stage_once(commit, change, swept, stripes, locks)
            return
    _stage_once(commit, change, swept, stripes, locks)


def _stage_once(
    commit: _Commit, change: Replacement, swept: set[tuple[int, int]], stripes: set[int], locks: Locks
) -> None:
    directory, name = commit.stack.enter_context(directory_of(commit.root, change.path, made=commit.made))
    found = os.fstat(directory)
    if (found.st_dev, found.st_ino) not in swept:
        swept.add((found.st_dev, found.st_ino))
        _sweep(directory, stripes, locks)
    one = _Staged(change, directory, name)
    commit.staged.append(one)
    if change.after is not None:
        try:
            _write(one, durable=commit.durable)
        except FileNotFoundError:
            commit.staged.pop()
            raise


def _sweep(directory: int, ours: set[int], locks: Locks) -> None:
    for name in os.listdir(directory):
        match = _TEMPORARY.fullmatch(name)
        if match is None:
            continue
        number = int(match[1], 16)
        if number in ours:
            _unlink(directory, name)
            continue
        with locks.trying(number) as free:
            if free:
                _unlink(directory, name)


def _temporary(stripe: int) -> str:
    return f".editgauge-{stripe:03x}-{secrets.token_hex(8)}.tmp"


def _write(one: _Staged, *, durable: bool) -> None:
    like = one.change.like
    name = _temporary(one.change.stripe)
    # Nobody else may read it before it has the mode of the old file. A new file gets the default mode.
    descriptor = os.open(name, _NEW, 0o666 if like is None else 0o600, dir_fd=one.directory)
    one.temporary = name
    try:
        rest = memoryview(one.change.after or b"")
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if like is not None:
            _resemble(descriptor, like)
        if durable:
            os.fsync(descriptor)
        found = os.fstat(descriptor)
        one.identity = found.st_dev, found.st_ino
    finally:
        os.close(descriptor)


def _resemble(descriptor: int, like: Snapshot) -> None:
    """Give a file the owner, attributes and mode of `like`, as far as that is permitted."""
    mode, found = like.mode, os.fstat(descriptor)
    if (found.st_uid, found.st_gid) != (like.owner, like.group):
        try:
            os.fchown(descriptor, like.owner, like.group)
        except OSError:
            # A program that runs with its owner's rights must not get another user's.
            mode &= ~(stat.S_ISUID | stat.S_ISGID)
    for name, value in like.attributes:
        with suppress(OSError):
            os.setxattr(descriptor, name, value)
    if stat.S_IMODE(os.fstat(descriptor).st_mode) != mode:  # Some file systems have one mode for all files.
        os.fchmod(descriptor, mode)


def _perform(one: _Staged, *, keep: bool) -> None:
    """Rename the new file over the old one, if the old one still has the data that was read."""
    change, here = one.change, one.directory
    if change.before is None:
        return _create(one)
    if not same_file(here, one.name, change.before.data):
        raise _stale(change.path)
    if keep:
        kept = _temporary(change.stripe)
        with suppress(OSError):  # Without hard links, undoing writes the old text again.
            os.link(one.name, kept, src_dir_fd=here, dst_dir_fd=here, follow_symlinks=False)
            one.kept = kept
    if one.temporary is None:
        os.unlink(one.name, dir_fd=here)
    else:
        os.rename(one.temporary, one.name, src_dir_fd=here, dst_dir_fd=here)
        one.temporary = None
    one.done = True
    return None


def _create(one: _Staged) -> None:
    """Give a new file its name, unless the name has been taken meanwhile."""
    here, temporary = one.directory, one.temporary or ""
    try:
        os.link(temporary, one.name, src_dir_fd=here, dst_dir_fd=here, follow_symlinks=False)
    except OSError as error:
        # A file system without hard links: check, then rename.
        if error.errno == EEXIST or _identity(here, one.name) is not None:
            raise _stale(one.change.path) from error
        os.rename(temporary, one.name, src_dir_fd=here, dst_dir_fd=here)
        one.temporary = None
    one.done = True


def _stale(path: str) -> WorkspaceError:
    return WorkspaceError(
        f"{shown(path)} changed on the disk meanwhile: read it again, then send the edit again.",
        reason=Reason.STALE_READ,
    )


def _undo(commit: _Commit, error: BaseException) -> None:
    """Undo the whole change. Raises WorkspaceError if that fails."""
    lost = []
    for one in reversed(commit.staged):
        try:
            _put_back(one)
        except OSError:
            lost.append(shown(one.change.path) + (f" (its old text is in {one.kept})" if one.kept else ""))
            one.kept = None
    _discard(commit)
    for path in reversed(commit.made):
        with suppress(OSError, WorkspaceError), directory_of(commit.root, path) as (above, name):
            os.rmdir(name, dir_fd=above)
    if lost:
        raise WorkspaceError(
            f"Writing failed ({error}) and what was written could not be undone: look at {', '.join(lost)}."
        ) from error


def _put_back(one: _Staged) -> None:
    change, here = one.change, one.directory
    if change.before is None:
        if one.done and _identity(here, one.name) == one.identity:
            os.unlink(one.name, dir_fd=here)
    elif one.kept is not None:
        if _identity(here, one.name) != _identity(here, one.kept):
            os.rename(one.kept, one.name, src_dir_fd=here, dst_dir_fd=here)
    elif one.done:
        again = _Staged(
            Replacement(change.path, None, change.before.data, change.before, change.stripe), here, one.name
        )
        try:
            _write(again, durable=True)
            os.rename(again.temporary or "", one.name, src_dir_fd=here, dst_dir_fd=here)
        except OSError:
            _unlink(here, again.temporary)
            raise


def _identity(directory: int, name: str) -> tuple[int, int] | None:
    try:
        found = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _discard(commit: _Commit) -> None:
    """Delete every temporary name. The next change deletes what can't be deleted now."""
    for one in commit.staged:
        _unlink(one.directory, one.temporary)
        _unlink(one.directory, one.kept)


def _unlink(directory: int, name: str | None) -> None:
    if name is not None:
        with suppress(OSError):
            os.unlink(name, dir_fd=directory)


def _synced(commit: _Commit) -> Iterator[str]:
    """Sync the directories. Yields a note for what may not survive a power failure."""
    try:
        for one in commit.staged:
            os.fsync(one.directory)
        for path in commit.made:
            with directory_of(commit.root, path) as (above, _):
                os.fsync(above)
    except (OSError, WorkspaceError) as error:
        yield f"applied, not durable: the directory could not be synced ({error})"
