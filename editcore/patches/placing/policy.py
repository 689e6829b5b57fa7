"""What a reading or strictness allows in placing hunks, and a hunk with its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from editcore.types import Hunk

MARKER_IGNORED = "a marker of a missing line feed above the end of the file was ignored"
"""Note on a landing or patch."""


def changes(hunk: Hunk) -> bool:
    """Whether a hunk has added or removed lines."""
    return any(line[0] != " " for line in hunk.lines)


def n_added_above(hunk: Hunk) -> int:
    """The number of added lines above the first old line of a hunk."""
    return next((n for n, line in enumerate(hunk.lines) if line[0] != "+"), len(hunk.lines))


class Policy(NamedTuple):
    """How hunks are placed, and what a patch may do. Every field is a permission or a hint that is used."""

    tiers: tuple[str, ...] = ("exact",)
    """Tiers of equality of lines, strictest first; the first at which a hunk matches decides."""
    ordered: bool = False
    """Order is a hint: of several places, the only one below the hunk before is taken."""
    numbers: bool = False
    """Line numbers are a hint: of several places, the one at the stated line is taken."""
    below_closers: bool = False
    """Added definitions below a line such as `}` go to the first such place below the hunk before."""
    shares_context: bool = False
    """The last context of a hunk may be the first of the next one."""
    alike: bool = False
    """A hunk whose context is indented otherwise than the file is refused beside one that is indented as it."""
    in_order: bool = False
    """A hunk above the one before it is refused, unless both have one place only."""
    first_wins: bool = False
    """Of several places, the first is taken instead of refusing."""
    by_number: bool = False
    """Line numbers decide: a hunk must match at its stated line or, with `search`, near it."""
    search: bool = False
    fuzz: int = 0
    """Outer context lines that may differ; only with `by_number`."""
    allow_delete: bool = True
    allow_move: bool = True
    marks_newlines: bool = False
    """The format marks a missing final line feed, so an added last line without that mark has one."""
    whole_deletions: bool = False
    """A deletion must name all lines of its file."""
    passes_context: bool = False
    """A hunk without changes is skipped if its lines match somewhere."""
    repairs: bool = False
    """A hunk that matches nowhere is aligned with the file, line by line, where only its context differs."""
    spreads: bool = False
    """A hunk that matches nowhere is placed in parts, each of which stands in the file once, in order."""
    no_change: bool = False
    """A patch may change nothing."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A hunk and its place in the file."""

    hunk: Hunk
    line: int
    """0-based."""
    n_old: int
    tier: str
    shifted: bool = False
    """Whether its context is indented otherwise than in the file."""
    notes: tuple[str, ...] = ()
