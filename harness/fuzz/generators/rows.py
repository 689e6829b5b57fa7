"""What drawn edits contain, one row for each thing, with the bug that it is for.

A row changes a drawn change, and says what is right then: the change has one meaning and is made (`made`); a reading
may also refuse it, but makes nothing else of it (`or_refused`); or every reading refuses it (`refused`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Literal

from harness.fuzz.generators.changes import Change, Hunk, insert_lines, is_certain

Effect = Literal["made", "or_refused", "refused"]
_PATCHES = ("begin_patch", "unified_diff")
_ALL = (*_PATCHES, "search_replace", "str_replace")


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that a drawn change may contain."""

    draw: Callable[[Change, Random, str], Effect | None]
    """Changes the change, for a format; returns what is right then, or None if the change cannot have it."""
    bug: str
    """The bug that it is for."""
    formats: tuple[str, ...] = _ALL

    @property
    def name(self) -> str:
        return self.draw.__name__


# Lines that are there twice


def _only_hunk(change: Change) -> Hunk:
    """The first hunk of the main section, which loses its others."""
    del change.main.hunks[1:]
    return change.main.hunks[0]


def _put_apart(change: Change, rng: Random, lines: list[str]) -> int:
    """Put lines above or below all hunks, with a new line on either side; return the place."""
    section = change.main
    at = 0 if rng.random() < 0.5 else len(section.lines)
    insert_lines(section, at, [change.lines.new(), *lines, change.lines.new()])
    section.is_ended = True
    return at + 1


def two_places(change: Change, rng: Random, format: str) -> Effect:
    hunk = _only_hunk(change)
    _put_apart(change, rng, hunk.old)
    return "or_refused" if format == "unified_diff" else "refused"


def twin_of_context(change: Change, rng: Random, _: str) -> Effect | None:
    context = [row[1:] for row in change.main.hunks[0].rows if row[0] == " "]
    _put_apart(change, rng, context)
    return "made" if is_certain(change.main) else None


def twin_of_removed(change: Change, rng: Random, _: str) -> Effect | None:
    _put_apart(change, rng, [row[1:] for row in change.main.hunks[0].rows if row[0] == "-"])
    return "made" if is_certain(change.main) else None


def plain(_change: Change, _rng: Random, _format: str) -> Effect:
    return "made"


ROWS: tuple[Row, ...] = (
    Row(plain, "lines of context are lost; the last line without a line feed is lost"),
    Row(two_places, "the first of two places is taken, or both"),
    Row(twin_of_context, "context alone is looked for"),
    Row(twin_of_removed, "removed lines alone are looked for"),
)
