"""The values that go into an edit and come out of it.

Positions are code points, half open. Lines are 1-based. A refused edit is a value
(`Rejected`), not an exception: whoever applies edits branches on the type.
"""

from __future__ import annotations

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
class Applied:
    """The edit was applied."""

    content: str | None = None
    """The text afterwards, for operations on one text."""
    matches: tuple[Match, ...] = ()
    """What was replaced, in order, as positions in the content before."""
    replacer: str | None = None
    """Which replacer decided."""
    files: tuple[File, ...] | None = None
    """All files afterwards, for operations on several."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The edit was refused; nothing changed."""

    reason: Reason
    message: str
    """One line for the model that must retry: what, where, what to do."""
    candidates: tuple[Match, ...] = ()
    """Places that were considered, best first; at most `MAX_CANDIDATES`."""


EditResult = Applied | Rejected

MAX_CANDIDATES = 10
"""A refusal lists at most so many places: it is read by a model, not stored."""
