"""A hunk with its place in the file, and what is asked of hunks before they have one."""

from __future__ import annotations

from dataclasses import dataclass

from editcore.types import Hunk

MARKER_IGNORED = "a marker of a missing line feed above the end of the file was ignored"
"""Note on a landing or patch."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A hunk and its place in the file."""

    hunk: Hunk
    line: int
    """0-based."""
    n_old: int
    equality: str
    """How its lines equal those of the file: see `EQUALITIES`; "anchor" for lines that only have a place."""
    shifted: bool = False
    """Whether its context is indented otherwise than in the file."""
    notes: tuple[str, ...] = ()


def changes(hunk: Hunk) -> bool:
    """Whether a hunk has added or removed lines."""
    return any(line[0] != " " for line in hunk.lines)


def n_added_above(hunk: Hunk) -> int:
    """The number of added lines above the first old line of a hunk."""
    return next((n for n, line in enumerate(hunk.lines) if line[0] != "+"), len(hunk.lines))
