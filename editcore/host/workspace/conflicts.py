"""Conflicts between line edits of concurrent tasks: sessions of a host, and other processes.

A task numbers lines as in the version it read. Edits that other tasks have written since shift or overlap its lines:

    task a read version 0:  lines 10-12 become 5 lines   written: version 1
    task b read version 0:  lines 20-22 become 1 line    now lines 22-24: no conflict
    task c read version 0:  lines 12-14 become 2 lines   overlaps lines 10-14, which a wrote

Two regions overlap if they share a line, if one inserts inside the other, or if both insert at the same place. A task
is never in conflict with itself, nor with an edit that was in the version it read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import RLock
from typing import Literal

Resolution = Literal["skip", "force", "manual"]
RESOLUTIONS: tuple[Resolution, ...] = ("skip", "force", "manual")


@dataclass(frozen=True, slots=True)
class LineEdit:
    """The replacement of a range of lines, by one task."""

    path: str
    task_id: str
    start_line: int
    """1-based."""
    end_line: int
    """The last line; `start_line - 1` inserts before `start_line`."""
    content: str
    """The new lines; empty to delete."""
    seen: int = 0
    """The version of the file, from `Tracker.version`, that the line numbers belong to."""

    def __post_init__(self) -> None:
        if self.start_line < 1 or self.end_line < self.start_line - 1:
            raise ValueError(f"lines {self.start_line} to {self.end_line} are not a range of lines")

    @property
    def n_lines(self) -> int:
        """The number of new lines."""
        return self.content.count("\n") + (not self.content.endswith("\n")) if self.content else 0

    def overlaps(self, other: LineEdit) -> bool:
        """Whether the two ranges, in the numbers of the same version, overlap."""
        start, end, others_start, others_end = self.start_line, self.end_line, other.start_line, other.end_line
        if end < start and others_end < others_start:
            return start == others_start
        if end < start:
            return others_start < start <= others_end
        if others_end < others_start:
            return start < others_start <= end
        return start <= others_end and others_start <= end


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two edits, the second of which overlaps the first."""

    first: LineEdit
    """The edit that was written; in the line numbers of the current version."""
    second: LineEdit

    @property
    def with_markers(self) -> str:
        """Both versions between conflict markers, as in a merge."""
        first, second = _whole(self.first.content), _whole(self.second.content)
        return f"<<<<<<< {self.first.task_id}\n{first}=======\n{second}>>>>>>> {self.second.task_id}\n"


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether an edit may be written, and its conflicts."""

    is_allowed: bool
    edit: LineEdit
    """The edit in the line numbers of the current version: the lines to replace."""
    conflicts: tuple[Conflict, ...] = ()
    with_markers: str = ""
    """For `manual`: both versions of each conflict, between markers."""


class Tracker:
    """Written edits, by file. Safe to share between threads; does not touch the disk."""

    def __init__(self) -> None:
        self._written: dict[str, list[LineEdit]] = {}
        self._lock = RLock()

    def version(self, path: str) -> int:
        """The number of edits of the file that have been written."""
        with self._lock:
            return len(self._written.get(path, ()))

    def position(self, edit: LineEdit) -> LineEdit:
        """The edit in the line numbers of the current version. An overlapped one covers the lines written there."""
        with self._lock:
            written = self._written.get(edit.path, [])
            for other in written[edit.seen :]:
                edit = _after(edit, other)
            return replace(edit, seen=len(written))

    def conflicts(self, edit: LineEdit) -> tuple[Conflict, ...]:
        """The edits it overlaps: those that other tasks have written since its version."""
        with self._lock:
            now, found = self.position(edit), []
            written = self._written.get(edit.path, [])
            moving = edit
            for number, other in enumerate(written[edit.seen :], edit.seen):
                if other.task_id != edit.task_id and moving.overlaps(other):
                    found.append(Conflict(self._placed(other, number), now))
                moving = _after(moving, other)
            return tuple(found)

    def settle(self, edit: LineEdit, *, resolution: Resolution = "skip") -> Decision:
        """Decide whether the edit may be written: always without conflicts, else by the resolution.

        `skip` drops the edit; `force` allows it; `manual` refuses it and shows both versions. Report an allowed edit
        with `record_written` once it is written.
        """
        if resolution not in RESOLUTIONS:
            raise ValueError(f"{resolution!r} is not a resolution: choose from {', '.join(RESOLUTIONS)}")
        with self._lock:
            conflicts, now = self.conflicts(edit), self.position(edit)
            if not conflicts:
                return Decision(True, now)
            both = "\n".join(conflict.with_markers for conflict in conflicts) if resolution == "manual" else ""
            return Decision(resolution == "force", now, conflicts, both)

    def record_written(self, edit: LineEdit) -> int:
        """Record that the edit is in the file. Returns the file's new version; lines below the edit shift."""
        with self._lock:
            now = self.position(edit)
            written = self._written.setdefault(edit.path, [])
            written.append(now)
            return len(written)

    def _placed(self, written: LineEdit, number: int) -> LineEdit:
        """A written edit's new lines in the line numbers of the current version."""
        there = replace(written, end_line=written.start_line + written.n_lines - 1, seen=number + 1)
        return self.position(there)


def _whole(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def _after(edit: LineEdit, other: LineEdit) -> LineEdit:
    """The edit after another one of the same version has been written."""
    grown = other.n_lines - (other.end_line - other.start_line + 1)
    if edit.overlaps(other):
        end = max(edit.end_line, other.end_line) + grown
        # An insertion stays an insertion, below the lines written there: forcing it loses no lines.
        start = min(edit.start_line, other.start_line) if edit.start_line <= edit.end_line else end + 1
        return replace(edit, start_line=start, end_line=end)
    if edit.start_line > other.end_line:
        return replace(edit, start_line=edit.start_line + grown, end_line=edit.end_line + grown)
    return edit
