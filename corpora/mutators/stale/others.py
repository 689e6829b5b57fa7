"""What another hand does to lines of a text: alters, adds and removes some of them."""

from __future__ import annotations

from random import Random

from corpora.mutators.alterations import ALTERATIONS, altered
from corpora.mutators.search_lines import indentation
from corpora.mutators.words import invented_statement
from editcore.types import File

_MOST_ADDED = 4
_APART = 2
"""Lines that say something between a block and a copy of it, at least."""


def other_line(line: str, path: str, random: Random) -> str:
    """The line as somebody else writes it."""
    alter = ALTERATIONS[random.choice(("word", "number", "operator"))][1]
    return altered(line, File(path, line), alter, random) or indentation(line) + invented_statement(path, random)


def changed_by_another(lines: list[str], path: str, random: Random) -> list[str]:
    """The lines with one change: some were added, or one was altered or removed."""
    at = random.randrange(len(lines) + 1)
    if random.random() < 0.5 or at == len(lines):
        prefix = indentation(lines[min(at, len(lines) - 1)]) if lines else ""
        added = [prefix + invented_statement(path, random) for _ in range(random.randint(1, _MOST_ADDED))]
        return [*lines[:at], *added, *lines[at:]]
    if random.random() < 0.5 and lines[at].strip():
        return [*lines[:at], other_line(lines[at], path, random), *lines[at + 1 :]]
    return [*lines[:at], *lines[at + 1 :]]


def places_above(above: list[str]) -> list[int]:
    """Where a copy of the lines below these can stand among them: a few that say something are between both."""
    return [at for at in range(len(above)) if sum(bool(line.strip()) for line in above[at:]) >= _APART]


def places_below(below: list[str]) -> list[int]:
    """Where a copy of the lines above these can stand among them, likewise."""
    last = len(below) - (bool(below) and not below[-1])
    return [at for at in range(last + 1) if sum(bool(line.strip()) for line in below[:at]) >= _APART]


def n_blocks(text: str, block: list[str]) -> int:
    """How often lines stand in a text in a row, whitespace at their ends aside."""
    lines, wanted = [line.strip() for line in text.split("\n")], [line.strip() for line in block]
    return sum(lines[at : at + len(wanted)] == wanted for at in range(len(lines)))
