"""Backups of edited files, and the changes that restore or remove them.

`path.bak` is written together with the first edit of `path` and stays its only backup until it is restored or removed.
An existing file is never overwritten: the backup then takes the first free name of `path.bak.1`, `path.bak.2`, ...
A file that an edit creates has no backup: restoring deletes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import count

from editcore.errors import WorkspaceError
from editcore.quoting import shown
from editcore.types import Reason
from editcore.workspace.atomic import Replacement
from editcore.workspace.boundary import Snapshot


@dataclass(frozen=True, slots=True)
class Backup:
    """What is needed to restore a file as it was before its first edit."""

    name: str | None
    """Path of the backup; None where the file did not exist."""
    digest: bytes | None
    """SHA-256 of the backup as it was written."""
    edited: bytes | None
    """SHA-256 of the file as the last edit left it; None if that edit deleted it."""


class Backups:
    """The backups of one workspace, by path. The list is in memory: other processes do not know of them."""

    def __init__(self) -> None:
        self._of: dict[str, Backup] = {}

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that can be restored, in the order of their first edits."""
        return tuple(self._of)

    def of(self, path: str) -> Backup:
        """The backup of a file. Raises WorkspaceError where it has none."""
        if path not in self._of:
            raise WorkspaceError(f"There is no backup of {shown(path)}.", reason=Reason.NOT_FOUND)
        return self._of[path]

    def new_backups(self, changes: Sequence[Replacement], is_taken: Callable[[str], bool]) -> dict[str, Replacement]:
        """Path -> the change that writes its backup, for each file about to be edited for the first time."""
        wanted: dict[str, Replacement] = {}
        taken = {change.path for change in changes}
        for change in changes:
            if change.before is not None and change.path not in self._of:
                names = (f"{change.path}.bak" + (f".{n}" if n else "") for n in count())
                name = next(name for name in names if name not in taken and not is_taken(name))
                taken.add(name)
                data = change.before.data
                wanted[change.path] = Replacement(name, None, data, change.before, change.stripe)
        return wanted

    def remember(self, changes: Sequence[Replacement], written: dict[str, Replacement]) -> None:
        """Record that these changes, and these backups, were written."""
        for change in changes:
            backup = written.get(change.path)
            if backup is not None:
                old = Backup(backup.path, _digest(backup.after), None)
            else:
                old = self._of.get(change.path, Backup(None, None, None))
            self._of[change.path] = replace(old, edited=_digest(change.after))

    def forget(self, path: str) -> None:
        """Record that the file has no backup any more."""
        del self._of[path]


def restore_changes(
    path: str, backup: Backup, *, now: Snapshot | None, kept: Snapshot | None, stripe: int
) -> list[Replacement]:
    """The changes that restore a file. Raises WorkspaceError where somebody else has written to it or to its backup."""
    data = None if kept is None else kept.data
    if _digest(None if now is None else now.data) != backup.edited:
        raise WorkspaceError(
            f"{shown(path)} changed since it was edited: it is not rolled back.", reason=Reason.STALE_READ
        )
    if _digest(data) != backup.digest:
        raise WorkspaceError(
            f"{shown(backup.name)} is not the backup as it was written: {shown(path)} is not rolled back.",
            reason=Reason.STALE_READ,
        )
    changes = [Replacement(path, now, data, kept, stripe)] if now or kept else []
    return changes + removal_changes(backup, kept=kept, stripe=stripe)


def removal_changes(backup: Backup, *, kept: Snapshot | None, stripe: int) -> list[Replacement]:
    """The change that removes a backup; none where it is gone or was changed."""
    if backup.name is None or kept is None or _digest(kept.data) != backup.digest:
        return []
    return [Replacement(backup.name, kept, None, None, stripe)]


def _digest(data: bytes | None) -> bytes | None:
    return None if data is None else sha256(data).digest()
