"""Another hand duplicated, moved or deleted whole blocks: the edit's lines with lines around them, or lines beside it.

seen  |open()     duplicated  |open()     Nothing tells which `check()` was seen, whatever was changed
      |check()                |check()    above the first copy or below the second.
      |close()                |log(1)
                              |open()
                              |check()
                              |close(2)
"""

from __future__ import annotations

from random import Random
from typing import Any

from corpora.mutators.clean_edit import CleanEdit, n_places, needs
from corpora.mutators.mutator import Mutator, named
from corpora.mutators.stale.since import (
    Parts,
    Since,
    changed_by_another,
    parts_of,
    places_above,
    places_below,
    stale_mutators,
)
from corpora.mutators.words import invented_statement
from editcore.types import Edit

_MOST_BESIDE = 4
"""The most lines on either side of the edit that belong to its block."""
_FAR = 2
"""The least lines between a block and the place to which it moves."""
_FEWEST = 16
"""The least letters and digits of lines that can be recognized elsewhere."""


def duplicated(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """The block around the edit was duplicated; with degree 2 a line beside both was changed, with degree 3 several."""
    parts = parts_of(clean)
    above, block, below = _block(parts, random)
    needs(clean.whole_lines and n_places(clean.content, parts.span) == 1)
    between = [invented_statement(clean.path, random) for _ in range(random.randint(0, 2))]
    if below and not any(map(str.isalnum, below[0])):
        between += below[:1] * random.randint(0, 1)  # A bracket that is not the one below the block.
    for _ in range(degree - 1):
        above, below = _changed_beside(above, below, clean.path, random)
    now = "\n".join([*above, *block, *between, *block, *below])
    return Since(clean, now, None, reason="duplicated") if n_places(now, parts.span) == 2 else None


def _block(parts: Parts, random: Random) -> tuple[list[str], list[str], list[str]]:
    """The lines above a block, the block, which has the span and some lines around it, and the lines below."""
    n_above, n_below = (random.randint(0, min(_MOST_BESIDE, len(lines))) for lines in (parts.above, parts.below))
    cut = len(parts.above) - n_above
    return parts.above[:cut], [*parts.above[cut:], *parts.span, *parts.below[:n_below]], parts.below[n_below:]


def _changed_beside(above: list[str], below: list[str], path: str, random: Random) -> tuple[list[str], list[str]]:
    """The lines with a change near the block, above or below it: a line was altered or removed, or lines were added."""
    if random.random() < 0.5:
        return [*above[:-3], *changed_by_another(above[-3:], path, random)], below
    return above, [*changed_by_another(below[:3], path, random), *below[3:]]


def moved_together(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """The edit's lines were moved with lines around them; degree is the number of those on either side."""
    parts = parts_of(clean)
    needs(clean.whole_lines and min(len(parts.above), len(parts.below)) >= degree + _FAR + 1)
    return _moved(clean, parts, degree, degree, random)


def _moved(clean: CleanEdit, parts: Parts, n_above: int, n_below: int, random: Random) -> Since | None:
    cut = len(parts.above) - n_above
    with_above, with_below = parts.above[cut:], parts.below[:n_below]
    above, below = parts.above[:cut], parts.below[n_below:]
    block = [*with_above, *parts.span, *with_below]
    needs(sum(map(str.isalnum, "".join(block))) >= _FEWEST and n_places(clean.content, parts.span) == 1)
    is_up = random.random() < 0.5
    lines = above if is_up else below
    at = random.randint(0, len(lines) - _FAR) if is_up else random.randint(_FAR, len(lines))
    # The move has one reading if no end of the block equals a line beside its old place or its new one.
    beside = [*above[-1:], *below[:1], *lines[max(at - 1, 0) : at + 1]]
    needs(block[0] not in beside and block[-1] not in beside)

    def text(span: list[str]) -> str:
        there = [*lines[:at], *with_above, *span, *with_below, *lines[at:]]
        return "\n".join([*there, *below] if is_up else [*above, *there])

    return Since(clean, text(parts.span), text(parts.new)) if n_places(text(parts.span), parts.span) == 1 else None


def _neighbour(clean: CleanEdit, parts: Parts, n: int, random: Random, *, is_moved: bool) -> Since | None:
    above, below, is_above = parts.above, parts.below, random.random() < 0.5
    went = above[len(above) - n :] if is_above else below[:n]
    above, below = (above[: len(above) - n], below) if is_above else (above, below[n:])
    needs(len(went) >= n and any(map(str.strip, went)))
    if is_moved:
        places = [(above, at) for at in places_above(above)] + [(below, at) for at in places_below(below)]
        needs(places)
        lines, at = random.choice(places)
        there = [*lines[:at], *went, *lines[at:]]
        above, below = (there, below) if lines is above else (above, there)
    now = parts.text(above=above, below=below)
    # A first or last line of the edit that equals a deleted line may be the deleted one.
    is_clear = parts.span[0] not in went and parts.span[-1] not in went
    needs(is_clear and clean.whole_lines and {n_places(one, parts.span) for one in (now, clean.content)} == {1})
    return Since(clean, now, parts.text(above=above, span=parts.new, below=below))


def twin_deleted(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """Of two equal blocks the one that the edit names by its number was deleted; degree is that number."""
    parts, n = parts_of(clean), random.randint(0, 2)
    places = places_below(parts.below)
    needs(clean.whole_lines and places and n_places(clean.content, parts.span) == 1)
    at = random.choice(places)
    above, between, below = parts.above, parts.below[:at], parts.below[at:]
    seen = clean.in_file("\n".join([*above, ""]), "\n".join(["", *between, *parts.span, *below]))
    first, second = (parts.new, parts.span) if degree == 1 else (parts.span, parts.new)
    if degree == 1:
        now = [*above[: len(above) - n], *between[n:], *parts.span, *below]
    else:
        now = [*above, *parts.span, *between[: len(between) - n], *below[n:]]
    return Since(
        seen, "\n".join(now), None, reason="line_gone", edits=(Edit(clean.old, clean.new, occurrence=degree),),
        seen_target="\n".join([*above, *first, *between, *second, *below]),
    ) if n_places("\n".join(now), parts.span) == 1 else None  # fmt: skip


MUTATORS: tuple[Mutator[Any], ...] = (
    *stale_mutators(duplicated, truth="refuse", degrees=(1, 2, 3), patches=False),
    *stale_mutators(moved_together, truth="tolerate", degrees=(1, 2, 3), patches=False),
    *stale_mutators(
        named("neighbour_moved", "Lines next to the edit were moved elsewhere; degree is their number.",
              lambda clean, degree, random: _neighbour(clean, parts_of(clean), degree, random, is_moved=True)),
        named("neighbour_deleted", "Lines next to the edit were deleted; degree is their number.",
              lambda clean, degree, random: _neighbour(clean, parts_of(clean), degree, random, is_moved=False)),
        truth="tolerate", degrees=(1, 2, 3), patches=False,
    ),
    *stale_mutators(twin_deleted, truth="refuse", degrees=(1, 2), patches=False),
)  # fmt: skip
