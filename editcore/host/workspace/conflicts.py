"""Line edits that several sessions, or other processes, made of one file: their current places and overlaps.

A session numbers lines as in the text that it read. Edits that others have written since shift its lines, or overlap:

    session a:  lines 10-12 become 5 lines              written first
    session b:  lines 20-22 of the same text it read    they are lines 22-24 now: no conflict
    session c:  lines 12-14 of the same text it read    they overlap lines 10-14, which a wrote

This is more than `editcore.text.three_way` can say: that compares two changes of one text, and here each of several
writers is named, with the lines that it wrote in the numbers of the current text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from editcore.text.diff import changed_ranges
from editcore.text.lines import n_lines
from editcore.text.three_way import overlap

_MAX_EDITS = 200
"""Line edits into which one change is divided; a change of more is a single edit of the whole text."""


@dataclass(frozen=True, slots=True)
class LineEdit:
    """The replacement of a range of lines by one writer."""

    writer: str
    first: int
    """1-based."""
    last: int
    """`first - 1` if `content` is inserted before `first`."""
    content: str
    """The new lines; empty to delete."""
    seen: int = 0
    """The number of `Written` edits that the line numbers take into account."""

    def overlaps(self, other: LineEdit) -> bool:
        """True if the two ranges overlap, both in the numbers of one text."""
        return overlap(self.first, self.last, other.first, other.last)


class Written:
    """The line edits that turned the text which a session read into the current text, in order."""

    def __init__(self) -> None:
        self._edits: list[LineEdit] = []

    def write(self, writer: str, before: str, after: str) -> None:
        """Add the change of the text so far, `before`, into `after`."""
        for edit in line_edits(writer, before, after, seen=len(self._edits)):
            self.add(edit)

    def add(self, edit: LineEdit) -> None:
        """Add an edit. Lines below it shift."""
        self._edits.append(self.position(edit))

    def position(self, edit: LineEdit) -> LineEdit:
        """`edit` in the line numbers of the current text; it covers the lines of edits that it overlaps."""
        for other in self._edits[edit.seen :]:
            edit = _after(edit, other)
        return replace(edit, seen=len(self._edits))

    def overlapped_by(self, edit: LineEdit) -> list[LineEdit]:
        """The edits by other writers since that `edit` overlaps: the lines that they wrote, in current numbers."""
        found = []
        for number, other in enumerate(self._edits[edit.seen :], edit.seen + 1):
            if other.writer != edit.writer and edit.overlaps(other):
                last = other.first + n_lines(other.content) - 1
                found.append(self.position(replace(other, last=last, seen=number)))
            edit = _after(edit, other)
        return found


def line_edits(writer: str, before: str, after: str, *, seen: int = 0) -> list[LineEdit]:
    """The line edits that turn `before` into `after`, in the line numbers of `before`."""
    ranges = changed_ranges(before, after)
    if len(ranges) > _MAX_EDITS:
        ranges = [(1, n_lines(before), after)]
    return [LineEdit(writer, *one, seen) for one in ranges]


def _after(edit: LineEdit, other: LineEdit) -> LineEdit:
    """`edit` in the numbers of the text after `other` was written; both are numbered as before it."""
    grown = n_lines(other.content) - (other.last - other.first + 1)
    if edit.overlaps(other):
        last = max(edit.last, other.last) + grown
        # An insertion stays an insertion, below the lines written there: forcing it loses no lines.
        first = min(edit.first, other.first) if edit.first <= edit.last else last + 1
        return replace(edit, first=first, last=last)
    if edit.first > other.last:
        return replace(edit, first=edit.first + grown, last=edit.last + grown)
    return edit
