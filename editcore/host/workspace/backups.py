"""Backups: each file as it was before its first edit, kept beside it and found again by any process.

`a.py` is kept as `a.py.bak` (or `.bak.1`, `.bak.2`, ...; an existing file is never overwritten). The index has an
entry for each backup: a JSON file in `.bak-index` at the workspace's root. An entry is written before the backup, and
the backup before the edit: a killed process leaves no backup without an entry.

    entry   backup  file      left by
    yes     no      old       a process killed while it made the backup: there is nothing to restore
    yes     yes     old       a process killed before the edit, or by a rollback
    yes     yes     edited    an edit

The index lies in the workspace, where models write: an entry is refused unless it has the form that is written here,
under the name that belongs to its path. A file that somebody else has written to since the last edit is not restored;
its next edit makes a new backup, and the older one stays.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import count, islice

from editcore.errors import WorkspaceError
from editcore.host.workspace.atomic import Replacement
from editcore.host.workspace.boundary import INDEX, Snapshot, directory_of, disk_error, writable_path
from editcore.quoting import shown
from editcore.types import Reason

_MAX_ENTRIES, _MAX_LISTED = 10_000, 100_000
"""Backups that are restored or removed at once, and files of the index that are listed."""
_ENTRY = re.compile(r"[0-9a-f]{32}\.json")
_SUFFIX = re.compile(r"\.bak(\.[1-9]\d{0,5})?")
_BACKUP_NAME = re.compile(rf"{_SUFFIX.pattern}\Z")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_MAX_BYTES = 100_000
"""Of an entry; a path has at most 51,000."""

Read = Callable[[str], Snapshot | None]
"""Path -> the file, or None if there is none."""


@dataclass(frozen=True, slots=True)
class Backup:
    """An entry of the index: the data to restore a file as it was before its first edit."""

    path: str
    name: str | None
    """Path of the backup; None if the file did not exist."""
    digest: str | None
    """SHA-256 of the backup as it was written, in hexadecimal."""
    edited: tuple[str | None, ...]
    """SHA-256 before and after the last edit; None if deleted. A killed process leaves the file in either state."""

    @property
    def entry(self) -> bytes:
        """The entry as JSON."""
        known = {"path": self.path, "backup": self.name, "digest": self.digest, "edited": self.edited}
        return json.dumps(known, ensure_ascii=False).encode() + b"\n"


def entry_path(path: str) -> str:
    """The path of the entry for the file at a clean path."""
    return f"{INDEX}/{sha256(path.encode()).hexdigest()[:32]}.json"


def all_entries(root: str) -> list[str]:
    """The paths of all entries, the oldest first. Raises WorkspaceError if there are more than 10,000."""
    try:
        with directory_of(root, f"{INDEX}/.") as (directory, _), os.scandir(directory) as found:
            entries = [one for one in islice(found, _MAX_LISTED) if _ENTRY.fullmatch(one.name)]
            entries.sort(key=lambda one: (one.stat(follow_symlinks=False).st_mtime_ns, one.name))
            paths = [f"{INDEX}/{one.name}" for one in entries]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise disk_error(error, INDEX, what="could not be listed") from error
    if len(paths) > _MAX_ENTRIES:
        raise WorkspaceError(
            f"There are more than {_MAX_ENTRIES:,} backups, the most at once: give their paths one by one.",
            reason=Reason.TOO_LARGE,
        )
    return paths


def read_backup(entry: str, found: Snapshot) -> Backup:
    """The backup of the entry at the path `entry`. Raises WorkspaceError unless the entry is as it was written."""
    backup = _parsed(found.data) if len(found.data) <= _MAX_BYTES else None
    if backup is None or entry_path(backup.path) != entry:
        raise WorkspaceError(
            f"{shown(entry)} is not an entry of backups as it was written: nothing was changed; remove it, and restore "
            "its file from the .bak file by hand.",
            reason=Reason.NOT_ALLOWED,
        )
    return backup


def _parsed(data: bytes) -> Backup | None:
    try:
        known = json.loads(data)
        path, name, digest, edited = (known[key] for key in ("path", "backup", "digest", "edited"))
        is_right = (
            writable_path(path) == path
            and (name is None) == (digest is None)
            and (name is None or (name.startswith(path) and _SUFFIX.fullmatch(name[len(path) :]) is not None))
            and len(known) == 4
            and isinstance(edited, list)
            and 1 <= len(edited) <= 2
            and all(one is None or _DIGEST.fullmatch(one) for one in [digest, *edited])
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, WorkspaceError):
        return None
    return Backup(path, name, digest, tuple(edited)) if is_right else None


def backup_changes(
    changes: Sequence[Replacement], read: Read, is_taken: Callable[[str], bool]
) -> tuple[Replacement, ...]:
    """The changes to write before `changes`: entries of the index, and backups of files not edited before."""
    entries, backups = list[Replacement](), list[Replacement]()
    taken = {change.path for change in changes}
    for change in changes:
        was, will_be = _digest(change.before), _digest_of(change.after)
        where = entry_path(change.path)
        entry = read(where)
        old = None if entry is None else _current(read_backup(where, entry), was, is_taken)
        if old is None and change.before is None:
            new = Backup(change.path, None, None, (was, will_be))
        elif old is None:
            names = (f"{change.path}.bak" + (f".{n}" if n else "") for n in count())
            name = next(name for name in names if name not in taken and not is_taken(name))
            taken.add(name)
            data = None if change.before is None else change.before.data
            backups.append(Replacement(name, None, data, change.before, change.stripe))
            new = Backup(change.path, name, was, (was, will_be))
        else:
            new = Backup(change.path, old.name, old.digest, (was, will_be))
        entries.append(Replacement(where, entry, new.entry, entry, change.stripe))
    return (*entries, *backups)


def check_backups_stay(changes: Sequence[Replacement], read: Read) -> None:
    """Raise WorkspaceError if a change is to a backup: nothing could be rolled back after it."""
    for change in changes:
        owner = _owner(change.path, change.before, read)
        if owner is not None:
            raise WorkspaceError(
                f"{shown(change.path)} is {shown(owner)} as it was before its first edit: change it no more, but roll "
                "back or clean up.",
                reason=Reason.NOT_ALLOWED,
            )


def is_backup(path: str, read: Read) -> bool:
    """True if a file is an unchanged backup, by the index of the root or of a directory above the file."""
    if not _BACKUP_NAME.search(path):
        return False
    kept, above = read(path), ""
    for name in path.split("/"):
        if _owner(path.removeprefix(above), kept, read, above) is not None:
            return True
        above += f"{name}/"
    return False


def _owner(path: str, kept: Snapshot | None, read: Read, above: str = "") -> str | None:
    """The path of the file whose unchanged backup this file is, by the index in `above`; None if it is no backup."""
    suffix = _BACKUP_NAME.search(path)
    owner = path[: suffix.start()] if suffix else ""
    entry = read(above + entry_path(owner)) if owner and kept is not None else None
    backup = None if entry is None else _parsed(entry.data[: _MAX_BYTES + 1])
    return owner if backup and backup.name == path and backup.digest == _digest(kept) else None


def remove_empty_index(root: str) -> None:
    """Remove the directory of the index, if it is empty."""
    with suppress(OSError, WorkspaceError), directory_of(root, INDEX) as (above, name):
        os.rmdir(name, dir_fd=above)


def _current(backup: Backup, now: str | None, is_taken: Callable[[str], bool]) -> Backup | None:
    """The backup, if the file with the digest `now` is still the one it was made for; None if another one is needed."""
    if now not in (*backup.edited, backup.digest):
        return None
    return backup if backup.name is None or is_taken(backup.name) else None


def restore_changes(backup: Backup, read: Read, stripe: int) -> list[Replacement]:
    """The changes that restore a file. Raises WorkspaceError if somebody else has written to it or to its backup."""
    path, removal = backup.path, removal_changes(backup, read, stripe)
    kept, now = read(backup.name) if backup.name else None, read(path)
    if _digest(now) == backup.digest:  # The edit was never made, or was undone.
        return removal
    if _digest(now) not in backup.edited:
        raise WorkspaceError(
            f"{shown(path)} changed since it was edited: it is not rolled back.", reason=Reason.STALE_READ
        )
    if _digest(kept) != backup.digest:
        raise WorkspaceError(
            f"{shown(backup.name)} is not the backup as it was written: {shown(path)} is not rolled back.",
            reason=Reason.STALE_READ,
        )
    return [Replacement(path, now, None if kept is None else kept.data, kept, stripe), *removal]


def removal_changes(backup: Backup, read: Read, stripe: int) -> list[Replacement]:
    """The change that removes a backup; none if the backup is missing or was changed."""
    kept = read(backup.name) if backup.name else None
    if backup.name is None or kept is None or _digest(kept) != backup.digest:
        return []
    return [Replacement(backup.name, kept, None, None, stripe)]


def entry_removal(backup: Backup, read: Read, stripe: int) -> Replacement:
    """The change that removes the entry of a backup. Raises WorkspaceError if the entry has changed meanwhile."""
    entry = entry_path(backup.path)
    found = read(entry)
    if found is None or read_backup(entry, found) != backup:
        raise WorkspaceError(
            f"{shown(backup.path)} was edited meanwhile: nothing was changed; try again.", reason=Reason.STALE_READ
        )
    return Replacement(entry, found, None, None, stripe)


def _digest(found: Snapshot | None) -> str | None:
    return None if found is None else _digest_of(found.data)


def _digest_of(data: bytes | None) -> str | None:
    return None if data is None else sha256(data).hexdigest()
