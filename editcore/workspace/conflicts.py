"""Which edits of several tasks touch the same lines, told before they are written.

A task numbers lines as it saw them. What others have written since has moved them, or is in the way:

    task a saw version 0:  lines 10-12 become 5        written: version 1
    task b saw version 0:  lines 20-22 become 1        now lines 22-24; no conflict
    task c saw version 0:  lines 12-14 become 2        overlaps what a wrote, lines 10-14

Two regions overlap if they share a line, if one inserts inside the other, or if both insert at one place. A
task is in no conflict with itself, nor with what it has seen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import RLock
from typing import Literal

Resolution = Literal["skip", "force", "manual"]
RESOLUTIONS: tuple[Resolution, ...] = ("skip", "force", "manual")


@dataclass(frozen=True, slots=True)
class LineEdit:
    """What a task puts in the place of some lines."""

    path: str
    task_id: str
    start_line: int
    """1-based."""
    end_line: int
    """The last one; `start_line - 1` to insert before that line."""
    content: str
    """The lines afterwards; the empty text for none."""
    seen: int = 0
    """The version of the file, as `Tracker.version` told it, whose line numbers these are."""

    def __post_init__(self) -> None:
        if self.start_line < 1 or self.end_line < self.start_line - 1:
            raise ValueError(f"lines {self.start_line} to {self.end_line} are no region")

    @property
    def n_lines(self) -> int:
        """How many lines there are afterwards."""
        return self.content.count("\n") + (not self.content.endswith("\n")) if self.content else 0

    def overlaps(self, other: LineEdit) -> bool:
        """Whether the two regions, numbered alike, have something in common."""
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
    """Two edits of which the second would undo, or land inside of, the first."""

    first: LineEdit
    """Written, or claimed earlier; in the numbers of the file as it is now."""
    second: LineEdit
    is_written: bool
    """Whether the first one is in the file already."""

    @property
    def both(self) -> str:
        """Both versions, between the marks that merges use."""
        first, second = _whole(self.first.content), _whole(self.second.content)
        return f"<<<<<<< {self.first.task_id}\n{first}=======\n{second}>>>>>>> {self.second.task_id}\n"


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether an edit is to be written, and what it is in conflict with."""

    is_allowed: bool
    edit: LineEdit
    """In the numbers of the file as it is now: these are the lines to replace."""
    conflicts: tuple[Conflict, ...] = ()
    shown: str = ""
    """For `manual`, both versions of each conflict."""


class Tracker:
    """The edits that tasks have claimed and written, file by file. Safe to share between threads; knows no disk."""

    def __init__(self) -> None:
        self._written: dict[str, list[LineEdit]] = {}
        self._claimed: dict[str, list[LineEdit]] = {}
        self._lock = RLock()

    def version(self, path: str) -> int:
        """How many edits of the file have been written."""
        with self._lock:
            return len(self._written.get(path, ()))

    def claim(self, edit: LineEdit) -> tuple[Conflict, ...]:
        """Announces an edit, and returns what it is in conflict with at this moment."""
        with self._lock:
            conflicts = self.conflicts(edit)
            claimed = self._claimed.setdefault(edit.path, [])
            if edit not in claimed:
                claimed.append(edit)
            return conflicts

    def position(self, edit: LineEdit) -> LineEdit:
        """The edit in the numbers of the file as it is now; one that was overlapped reaches round what is there now."""
        with self._lock:
            written = self._written.get(edit.path, [])
            for other in written[edit.seen :]:
                edit = _after(edit, other)
            return replace(edit, seen=len(written))

    def conflicts(self, edit: LineEdit) -> tuple[Conflict, ...]:
        """What the edit overlaps: first what others have written since it was made, then what they claimed earlier."""
        with self._lock:
            now, found = self.position(edit), []
            written = self._written.get(edit.path, [])
            moving = edit
            for number, other in enumerate(written[edit.seen :], edit.seen):
                if other.task_id != edit.task_id and moving.overlaps(other):
                    found.append(Conflict(self._placed(other, number), now, True))
                moving = _after(moving, other)
            for other in self._claimed.get(edit.path, []):
                if other == edit:
                    break  # The later claim is the one in the way.
                there = self.position(other)
                if other.task_id != edit.task_id and now.overlaps(there):
                    found.append(Conflict(there, now, False))
            return tuple(found)

    def settle(self, edit: LineEdit, *, resolution: Resolution = "skip") -> Decision:
        """Whether to write the edit. Without a conflict, yes; otherwise by the resolution.

        `skip` gives the edit up; `force` writes it and gives up the claims it overlaps; `manual` writes nothing, keeps
        the claim, and shows both versions. An allowed edit still has to be reported by `wrote`.
        """
        if resolution not in RESOLUTIONS:
            raise ValueError(f"{resolution!r} is no resolution: choose from {', '.join(RESOLUTIONS)}")
        with self._lock:
            conflicts, now = self.conflicts(edit), self.position(edit)
            if not conflicts:
                return Decision(True, now)
            if resolution == "manual":
                return Decision(False, now, conflicts, "\n".join(conflict.both for conflict in conflicts))
            if resolution == "skip":
                self.release(edit)
                return Decision(False, now, conflicts)
            lost = [conflict.first for conflict in conflicts if not conflict.is_written]
            claimed = self._claimed.get(edit.path, [])
            claimed[:] = [other for other in claimed if self.position(other) not in lost]
            return Decision(True, now, conflicts)

    def wrote(self, edit: LineEdit) -> int:
        """Takes note that the edit is in the file, and returns the file's new version. Everything below it moves."""
        with self._lock:
            now = self.position(edit)
            self.release(edit)
            written = self._written.setdefault(edit.path, [])
            written.append(now)
            return len(written)

    def release(self, edit: LineEdit) -> None:
        """Gives a claim up; nothing happens if there is none."""
        with self._lock:
            claimed = self._claimed.get(edit.path, [])
            if edit in claimed:
                claimed.remove(edit)

    def _placed(self, written: LineEdit, number: int) -> LineEdit:
        """Where the lines that a written edit put there are now."""
        there = replace(written, end_line=written.start_line + written.n_lines - 1, seen=number + 1)
        return self.position(there)


def _whole(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def _after(edit: LineEdit, other: LineEdit) -> LineEdit:
    """The edit's region once another one, numbered alike, has been written."""
    grown = other.n_lines - (other.end_line - other.start_line + 1)
    if edit.overlaps(other):
        end = max(edit.end_line, other.end_line) + grown
        # An insertion stays one, below what is there now, so that forcing it loses nobody's lines.
        start = min(edit.start_line, other.start_line) if edit.start_line <= edit.end_line else end + 1
        return replace(edit, start_line=start, end_line=end)
    if edit.start_line > other.end_line:
        return replace(edit, start_line=edit.start_line + grown, end_line=edit.end_line + grown)
    return edit
