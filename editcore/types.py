"""The values that go into an edit and come out of it.

Positions are code points, half open. Lines are 1-based. A refused edit is a value
(`Rejected`), not an exception: whoever applies edits branches on the type.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Why an edit was refused. A closed set: reports and retries rely on these words."""

    NO_MATCH = "no_match"
    AMBIGUOUS = "ambiguous"
    IDENTICAL = "identical"
    EMPTY = "empty"
    MALFORMED = "malformed"
    DISPROPORTIONATE = "disproportionate"
    OUTSIDE_WORKSPACE = "outside_workspace"
    STALE_READ = "stale_read"
    UNREAD = "unread"
    NOT_ALLOWED = "not_allowed"
    NOT_FOUND = "not_found"
    TOO_LARGE = "too_large"


@dataclass(frozen=True, slots=True)
class File:
    """A file's path inside a sample or workspace, and its text."""

    path: str
    """POSIX, relative."""
    content: str


@dataclass(frozen=True, slots=True)
class Edit:
    """One search/replace pair, named as agents' tools name it."""

    old_string: str
    new_string: str
    replace_all: bool = False
    occurrence: int | None = None
    """1 is the first exact occurrence, -1 the last; None where the edit does not say."""


@dataclass(frozen=True, slots=True)
class Match:
    """A span of the content that was replaced."""

    start: int
    """Code points from the start of the content."""
    end: int
    """One past the last code point."""
    replacer: str
    """The replacer whose candidate this is."""
    similarity: float = 1.0
    """0 to 1; below 1 only where the deciding replacer compares approximately."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """One change of a patch: lines to find and what to put there. Words and numbers as in a unified diff."""

    lines: tuple[str, ...]
    """Each with its mark in front: blank (context), - (removed) or + (added); without line feeds."""
    patch_line: int
    """1-based line of the patch at which it starts."""
    anchors: tuple[str, ...] = ()
    """Lines said to stand above it, outermost first: what follows @@."""
    source_start: int | None = None
    """1-based; None where the patch gives no numbers."""
    source_length: int | None = None
    target_start: int | None = None
    target_length: int | None = None
    end_of_file: bool = False
    """The patch says that the hunk reaches the end of the file."""
    source_no_newline: bool = False
    """The last old line has no line feed, says the patch."""
    target_no_newline: bool = False
    """The last new line has none."""
    closed: bool = True
    """False where the text may have been cut off within it."""

    @property
    def old(self) -> list[str]:
        """The lines to be found: context and removed."""
        return [line[1:] for line in self.lines if line[0] != "+"]

    @property
    def new(self) -> list[str]:
        """The lines afterwards: context and added."""
        return [line[1:] for line in self.lines if line[0] != "-"]


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What a patch does to one file."""

    action: str
    """add, update or delete."""
    path: str
    patch_line: int
    """1-based line of the patch at which it starts."""
    move_to: str | None = None
    hunks: tuple[Hunk, ...] = ()
    """Of an added file, one hunk of added lines, or none for an empty file."""


@dataclass(frozen=True, slots=True)
class Landing:
    """Where a hunk landed."""

    path: str
    hunk: int
    """1-based, within its file."""
    line: int
    """1-based line of the file before at which it starts."""
    tier: str
    """How alike its lines are to those of the file: exact, line_endings, right_trimmed, trimmed, folded, ..."""
    notes: tuple[str, ...] = ()
    """What was normalised or overlooked on the way."""


@dataclass(frozen=True, slots=True)
class Applied:
    """The edit was applied."""

    content: str | None = None
    """The text afterwards, for operations on one text."""
    matches: tuple[Match, ...] = ()
    """What was replaced, in order, as positions in the content before."""
    replacer: str | None = None
    """Which replacer decided."""
    files: Mapping[str, str] | None = None
    """Path -> text of all files afterwards, for operations on several."""
    landings: tuple[Landing, ...] = ()
    """Where each hunk of a patch landed."""
    notes: tuple[str, ...] = ()
    """What was normalised in reading a patch."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The edit was refused; nothing changed."""

    reason: Reason
    message: str
    """One line for the model that must retry: what, where, what to do."""
    candidates: tuple[Match, ...] = ()
    """Places that were considered, best first; at most `MAX_CANDIDATES`."""
    files: Mapping[str, str] | None = None
    """What a program that writes as it goes leaves behind when it fails half way; only of such rules."""
    proposed: Applied | None = None
    """What would have been done, where a tool was refused only because its mode writes nothing."""


EditResult = Applied | Rejected

MAX_CANDIDATES = 10
"""A refusal lists at most so many places: it is read by a model, not stored."""
