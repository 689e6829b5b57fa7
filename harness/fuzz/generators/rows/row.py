"""A row: one thing that a drawn edit may contain, and what is right then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from editcore.formats import ANCHORED_FORMATS
from harness.fuzz.generators.changes import Change, Hunk, Section

Effect = Literal["made", "or_refused", "refused"]
"""The change is made; it is made or refused; it is refused."""
PATCHES = ("begin_patch", "unified_diff")
ENVELOPE, DIFF, BLOCKS, PAIRS = ("begin_patch",), ("unified_diff",), ("search_replace",), ("str_replace",)
ALL = (*PATCHES, *BLOCKS, *PAIRS)
NUMBERED = ("insert", "line_range")
EVERY = (*ALL, *NUMBERED, *ANCHORED_FORMATS)


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that a drawn change may contain."""

    draw: Callable[[Change], Effect | None]
    """Changes the change; returns what is right then, or None if the change cannot have it."""
    bug: str
    """The bug that it is for."""
    formats: tuple[str, ...] = ALL
    weight: int = 1
    """How often it is drawn."""

    @property
    def name(self) -> str:
        return self.draw.__name__


def only_hunk(change: Change) -> Hunk:
    """The first hunk of the main section, which loses its others."""
    del change.main.hunks[1:]
    return change.main.hunks[0]


def put_apart(change: Change, lines: Sequence[str], *, above: bool | None = None) -> int:
    """Put lines above or below all hunks, with a new line on either side; return their index."""
    section = change.main
    if above is None:
        above = change.rng.random() < 0.5
    new = [change.lines.new(), *lines, change.lines.new()]
    at = 0 if above else len(section.lines)
    section.lines[at:at] = new
    if above:
        for hunk in section.hunks:
            hunk.at += len(new)
    section.is_ended = True
    return at + 1


def rows_of(hunk: Hunk, *marks: str) -> list[str]:
    return [row[1:] for row in hunk.rows if row[0] in marks]


def replace_row(section: Section, hunk: Hunk, at: int, text: str) -> None:
    """Replace a line of a hunk, and its line of the file."""
    hunk.rows[at] = hunk.rows[at][0] + text
    if hunk.rows[at][0] != "+":
        section.lines[index_of(hunk, at)] = text


def index_of(hunk: Hunk, at: int) -> int:
    """The index of the file's line for a line of a hunk."""
    return hunk.at + sum([row[0] != "+" for row in hunk.rows[:at]])
