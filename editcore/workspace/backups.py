"""Which files of a workspace have a backup, and how to return to them.

`path.bak` is written in the same step as the first edit of `path`, and stays the one backup of it until it is put back
or removed. A name that is taken, by a user's own backup or by anything else, is never written: the next
of `path.bak.1`, `path.bak.2`, ... is. A file that an edit adds has no backup: returning deletes it.
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
    """How to return to a file as it was before its first edit."""

    name: str | None
    """The path of the backup; None where there was no file."""
    digest: bytes | None
    """Of the backup as it was written."""
    edited: bytes | None
    """Of the file as the last edit left it; None if that deleted it."""


class Backups:
    """The backups of one workspace, by path. In memory: another process does not know of them."""

    def __init__(self) -> None:
        self._of: dict[str, Backup] = {}

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that can be returned to, oldest first."""
        return tuple(self._of)

    def of(self, path: str) -> Backup:
        """The backup of a file. Raises WorkspaceError where there is none."""
        if path not in self._of:
            raise WorkspaceError(f"There is no backup of {shown(path)}.", reason=Reason.NOT_FOUND)
        return self._of[path]

    def new_backups(self, changes: Sequence[Replacement], is_taken: Callable[[str], bool]) -> dict[str, Replacement]:
        """For each file that is about to be edited for the first time, the writing of its backup."""
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
        """Note what has been done."""
        for change in changes:
            backup = written.get(change.path)
            if backup is not None:
                old = Backup(backup.path, _digest(backup.after), None)
            else:
                old = self._of.get(change.path, Backup(None, None, None))
            self._of[change.path] = replace(old, edited=_digest(change.after))

    def forget(self, path: str) -> None:
        """Note that there is nothing to return to any more."""
        del self._of[path]


def restore_changes(
    path: str, backup: Backup, *, now: Snapshot | None, kept: Snapshot | None, stripe: int
) -> list[Replacement]:
    """What returns to the backup. Raises WorkspaceError where that would lose what somebody else wrote."""
    data = None if kept is None else kept.data
    if _digest(None if now is None else now.data) != backup.edited:
        raise WorkspaceError(
            f"{shown(path)} changed since it was edited: it is not rolled back.", reason=Reason.STALE_READ
        )
    if _digest(data) != backup.digest:
        raise WorkspaceError(
            f"{shown(backup.name)} is not the backup that was made: {shown(path)} is not rolled back.",
            reason=Reason.STALE_READ,
        )
    changes = [Replacement(path, now, data, kept, stripe)] if now or kept else []
    return changes + removal_changes(backup, kept=kept, stripe=stripe)


def removal_changes(backup: Backup, *, kept: Snapshot | None, stripe: int) -> list[Replacement]:
    """What removes the backup; nothing where it is gone, or no longer what was written."""
    if backup.name is None or kept is None or _digest(kept.data) != backup.digest:
        return []
    return [Replacement(backup.name, kept, None, None, stripe)]


def _digest(data: bytes | None) -> bytes | None:
    return None if data is None else sha256(data).digest()
