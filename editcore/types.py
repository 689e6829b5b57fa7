"""The values that edits are made of, and their results.

Offsets count code points, and ranges exclude their end. Lines are 1-based. A refused edit is a value (`Rejected`),
not an exception: callers branch on the type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, ParamSpec


class Reason(StrEnum):
    """Why an edit was refused. A closed set, on which reports and retries rely."""

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
    """The text; for a file that is not UTF-8, the text that `editcore.text.encodings.faithful` gives."""
    raw: bytes | None = None
    """The bytes of a file that is not UTF-8; None for a UTF-8 file, whose bytes follow from its text."""
    encoding: str | None = None
    """The encoding of `raw`, if known."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A search/replace pair, with the field names that agents' tools have."""

    old_string: str
    new_string: str
    replace_all: bool = False
    occurrence: int | None = None
    """Which exact occurrence is meant: 1 is the first, -1 the last, counted without overlaps. None: the edit does not
    say. Rebuilt programs ignore it.
    """


@dataclass(frozen=True, slots=True)
class Match:
    """A span of the file text that was replaced, or is a candidate for that."""

    start: int
    """Offset from the start of the file text, in code points."""
    end: int
    """One past the last code point."""
    replacer: str
    """Name of the replacer that offered the span."""
    similarity: float = 1.0
    """0 to 1; below 1 only if the replacer compares approximately."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """A change of a patch: the lines to find and the lines to put there. Field names as in a unified diff."""

    lines: tuple[str, ...]
    """Lines without line feeds, each with its mark: space (context), - (removed) or + (added)."""
    patch_line: int
    """1-based line of the patch at which the hunk starts."""
    anchors: tuple[str, ...] = ()
    """Lines above the hunk in the file, the outermost first: the text after @@."""
    source_start: int | None = None
    """1-based; None if the patch gives no numbers."""
    source_length: int | None = None
    """The number of old lines that the header gives, which may be wrong."""
    target_start: int | None = None
    target_length: int | None = None
    end_of_file: bool = False
    """True if the patch says that the hunk reaches the end of the file."""
    source_no_newline: bool = False
    """True if the patch says that the last old line has no line feed."""
    target_no_newline: bool = False
    """True if the patch says that the last new line has no line feed."""
    closed: bool = True
    """False if the patch may have been cut off within it."""
    unmarked: tuple[int, ...] = field(default=(), compare=False)
    """0-based indices in `lines` of context that was written without a mark."""

    @property
    def old(self) -> list[str]:
        """The lines to find: context and removed lines, without marks."""
        return [line[1:] for line in self.lines if line[0] != "+"]

    @property
    def new(self) -> list[str]:
        """The lines afterwards: context and added lines, without marks."""
        return [line[1:] for line in self.lines if line[0] != "-"]


@dataclass(frozen=True, slots=True)
class FilePatch:
    """A section of a patch: all its changes to one file."""

    action: str
    """`add`, `update` or `delete`."""
    path: str
    patch_line: int
    """1-based line of the patch at which the section starts."""
    move_to: str | None = None
    hunks: tuple[Hunk, ...] = ()
    """For an added file, one hunk of added lines, or none if it is empty."""


@dataclass(frozen=True, slots=True)
class Landing:
    """The place of a hunk in the file, and how exactly it matched."""

    path: str
    hunk: int
    """1-based, within its file."""
    line: int
    """1-based first line of the hunk, in the file before the edit."""
    equality: str
    """How the hunk's lines matched: exact, line_endings, right_trimmed, trimmed, folded, fuzz, ...; for a
    search/replace block, the replacer or tier that found it.
    """
    notes: tuple[str, ...] = ()
    """What was normalised or ignored to place the hunk."""
    runs: tuple[tuple[int, int, int], ...] = field(default=(), compare=False, repr=False)
    """The lines that it changes: a 1-based line of the file before, how many it removes there, how many it adds."""
    n_lines: int = field(default=0, compare=False, repr=False)
    """The lines that a search/replace block quotes, from `line` on; 0 for a hunk."""


@dataclass(frozen=True, slots=True)
class KeptLine:
    """A line that stays as the file has it, though the edit writes it otherwise."""

    line: int
    """1-based line of the file before the edit."""
    text: str
    """The line in the file."""
    written: str
    """The same line as the edit has it."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a tier was certain of a place, and what it repaired there."""

    confidence: float = 1.0
    """The share of right results among edits with evidence like this, 0 to 1 (see `editcore.tiers.confidence`)."""
    margin: float = 1.0
    """The place's similarity to the search text, less the runner-up's; 0 to 1."""
    runner_up: Match | None = None
    """The second most similar place; None if there is none worth naming."""
    repaired: tuple[str, ...] = ()
    """Phrases for what was undone in the edit or forgiven at the place."""
    kept: tuple[KeptLine, ...] = ()
    """Lines of the file that were kept against the edit's text, in order."""
    version: str = ""
    """The version of the cascade that decided; "" if it has none."""


@dataclass(frozen=True, slots=True)
class Applied:
    """The result of an edit that was applied."""

    content: str | None = None
    """The text afterwards; for operations on one text."""
    matches: tuple[Match, ...] = ()
    """The replaced spans in order, as offsets in the text before."""
    replacer: str | None = None
    """Name of the replacer whose candidate was taken."""
    files: Mapping[str, str] | None = None
    """Path -> text of all files afterwards; for operations on several files."""
    landings: tuple[Landing, ...] = ()
    """The place of each hunk of a patch."""
    notes: tuple[str, ...] = ()
    """What was normalised when the patch was read."""
    runs: tuple[tuple[int, int, int], ...] = field(default=(), compare=False, repr=False)
    """The lines that several edits changed together, as `Landing.runs`; empty where `matches` tell."""
    evidence: Evidence | None = None
    """Why this place, and what was repaired; for cascades of tiers only."""
    is_everywhere: bool = False
    """True if the edit replaces its search text wherever it is, as with `replace_all`."""


@dataclass(frozen=True, slots=True)
class AppliedBytes(Applied):
    """The result of an edit of bytes. `content` is their text; offsets exclude the byte order mark."""

    data: bytes = b""
    """The bytes to write."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """The first line in which the nearest place differs from the search text."""

    line: int
    """1-based line of the file."""
    text: str
    """The line in the file; "" where the file has no such line."""
    wanted: str
    """The line in the search text; "" where the search text has no such line."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The result of an edit that was refused; nothing was changed."""

    reason: Reason
    message: str
    """One line for the model that must retry: what, where, what to do."""
    candidates: tuple[Match, ...] = ()
    """The places that were considered, best first; at most `MAX_CANDIDATES`."""
    files: Mapping[str, str] | None = None
    """Path -> text left behind by a rule that writes section by section and failed half way; otherwise None."""
    proposed: Applied | None = None
    """The result that was held back, if only a tool's mode, or its risk, was against it."""
    contradiction: Contradiction | None = None
    """The line that contradicts the nearest place; for cascades of tiers only."""
    shown: tuple[tuple[int, int], ...] = ()
    """The lines of the file, as (first, last), that the message shows with their numbers."""
    advice: tuple[Edit, ...] = ()
    """Edits that would be applied, one for each place that may be meant, the nearest first; for tiers only."""


EditResult = Applied | Rejected

if TYPE_CHECKING:

    class AppliedText(Applied):
        """An edit of one text: it has `content`. For type checkers alone; when the program runs, it is `Applied`."""

        content: str

    class AppliedFiles(Applied):
        """A patch of files: it has `files`. For type checkers alone; when the program runs, it is `Applied`."""

        files: Mapping[str, str]

else:
    AppliedText = AppliedFiles = Applied

TextResult = AppliedText | Rejected
FilesResult = AppliedFiles | Rejected
BytesResult = AppliedBytes | Rejected
_P = ParamSpec("_P")


def leaves_text(function: Callable[_P, EditResult]) -> Callable[_P, TextResult]:
    """The function itself; for type checkers, its applied results have `content`."""
    return function  # type: ignore[return-value]


def leaves_files(function: Callable[_P, EditResult]) -> Callable[_P, FilesResult]:
    """The function itself; for type checkers, its applied results have `files`."""
    return function  # type: ignore[return-value]


MAX_CANDIDATES = 10
"""Most places that a refusal lists, since a model reads it."""
