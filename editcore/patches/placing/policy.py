"""Policies: what a reading of patches takes for a place, and what a patch may do.

    policy      reading                   format     placing
    STRICT      unified_diff/strict       diff       at the stated line
    OFFSET      unified_diff/offset       diff       near the stated line
    FUZZ        unified_diff/fuzz         diff       near the stated line, two lines of outer context may differ
    TOLERANT    unified_diff/tolerant     diff       by content: order, numbers; overlaps, alignment, parts
    GRAMMAR     begin_patch/strict        envelope   by content: order
    LENIENT     begin_patch/lenient       envelope   by content: order, numbers, closing lines; overlaps, parts

The format says what the notation itself means. Placing is by number, as git and GNU patch do, or by content: then the
policy sets when two lines are equal, which hints choose among several places, and what may be mended.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, Flag, auto

from editcore.types import Hunk


class Format(Enum):
    DIFF = auto()
    """A deletion names all lines of its file. Hunks are in the file's order, or have one place each. Placed by
    content, a missing final line feed is marked, and a hunk without changes is passed over if it matches
    somewhere.
    """
    ENVELOPE = auto()
    """A hunk that is indented otherwise than the file is refused beside one that is not: it may be meant so."""


class Hint(Flag):
    """What decides among several places of a hunk. Its `@@` line and a marked end of the file always do."""

    NONE = 0
    ORDER = auto()
    """Take the only place that the order of all hunks leaves."""
    NUMBERS = auto()
    """Take the place at the stated line."""
    CLOSERS = auto()
    """Put added definitions below the first line such as `}` under the previous hunk."""
    FIRST = auto()
    """Take the first place instead of refusing."""


class Mending(Flag):
    """What may be mended in hunks that do not fit as they are."""

    NONE = 0
    OVERLAPS = auto()
    """The last context of a hunk may be the first of the next one."""
    ALIGNMENT = auto()
    """A hunk is aligned with the file line by line, if only its context differs."""
    PARTS = auto()
    """A hunk is placed in parts. Each part occurs once in the file, and they are in order."""


class May(Flag):
    """What a patch may do besides adding and changing files."""

    DELETE = auto()
    MOVE = auto()
    CHANGE_NOTHING = auto()


@dataclass(frozen=True, slots=True)
class ByNumber:
    near: bool = False
    """The hunk may also match near its line. The nearest place is taken."""
    fuzz: int = 0
    """Outer context lines that may differ."""


@dataclass(frozen=True, slots=True)
class ByContent:
    """A hunk may match anywhere, at one certain place."""

    equalities: tuple[str, ...]
    """Equalities of lines, strictest first. The first by which a hunk matches decides."""
    hints: Hint
    mending: Mending = Mending.NONE


@dataclass(frozen=True, slots=True)
class Policy:
    format: Format
    placing: ByNumber | ByContent
    may: May = May.DELETE | May.MOVE

    @property
    def by_number(self) -> bool:
        """True if line numbers alone decide."""
        return isinstance(self.placing, ByNumber)

    def exactly(self, equalities: tuple[str, ...], *, hints: Hint = ~Hint.NONE) -> Policy:
        """The policy with other equalities, only these of its hints, and no mending of a hunk that matches nowhere.

        Placing by number is exact as it is.
        """
        placing = self.placing
        if isinstance(placing, ByNumber):
            return self
        return replace(self, placing=ByContent(equalities, placing.hints & hints, placing.mending & Mending.OVERLAPS))

    def taking_first(self) -> Policy:
        placing = self.placing
        if isinstance(placing, ByNumber):
            return self
        return replace(self, placing=replace(placing, hints=placing.hints | Hint.FIRST))

    def within(self, *, delete: bool, move: bool) -> Policy:
        """The policy without deletions or moves, if these are not allowed."""
        may = self.may if delete else self.may & ~May.DELETE
        may = may if move else may & ~May.MOVE
        return self if may == self.may else replace(self, may=may)


_ALL = ("exact", "line_endings", "right_trimmed", "trimmed", "folded")

STRICT = Policy(Format.DIFF, ByNumber())
OFFSET = Policy(Format.DIFF, ByNumber(near=True))
FUZZ = Policy(Format.DIFF, ByNumber(near=True, fuzz=2))
TOLERANT = Policy(
    Format.DIFF,
    ByContent(_ALL, Hint.ORDER | Hint.NUMBERS, Mending.OVERLAPS | Mending.ALIGNMENT | Mending.PARTS),
)
GRAMMAR = Policy(Format.ENVELOPE, ByContent(("exact", "line_endings"), Hint.ORDER))
LENIENT = Policy(
    Format.ENVELOPE,
    ByContent(_ALL, Hint.ORDER | Hint.NUMBERS | Hint.CLOSERS, Mending.OVERLAPS | Mending.PARTS),
)


MARKER_IGNORED = "a marker of a missing line feed above the end of the file was ignored"


@dataclass(frozen=True, slots=True)
class Placed:
    hunk: Hunk
    line: int
    """0-based."""
    n_old: int
    equality: str
    """The equality by which its lines match, or "anchor" if it has no old lines."""
    shifted: bool = False
    """True if its context is indented otherwise than in the file."""
    notes: tuple[str, ...] = ()


_RUN = re.compile(r" ++|[-+]++")
"""Signs of context lines, or of changed ones, in a row."""


def changes(hunk: Hunk) -> bool:
    return any(line[0] != " " for line in hunk.lines)


def runs(hunk: Hunk, line: int) -> tuple[tuple[int, int, int], ...]:
    """The changed lines of a hunk that is placed at a 1-based line: (line, removed, added), in order."""
    found = list[tuple[int, int, int]]()
    for signs in _RUN.findall("".join([one[0] for one in hunk.lines])):
        n_added = signs.count("+")
        if signs[0] != " ":
            found.append((line, len(signs) - n_added, n_added))
        line += len(signs) - n_added
    return tuple(found)


def n_added_above(hunk: Hunk) -> int:
    return next((n for n, line in enumerate(hunk.lines) if line[0] != "+"), len(hunk.lines))


def n_context(lines: Sequence[str]) -> int:
    return next((n for n, line in enumerate(lines) if line[0] != " "), len(lines))
