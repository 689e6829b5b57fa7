"""Another hand added a copy of the edit's lines: the lines that were seen are meant, wherever they stand now."""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.search_lines import indent_lines
from corpora.mutators.stale.others import n_blocks, other_line, places_above, places_below
from corpora.mutators.stale.since import Since, mutators_of, parts_of, replaced_lines
from editcore.types import Edit

_QUOTED = "quoted_elsewhere"


def copied_above(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """The lines were copied to a place above; degree is the number of copies."""
    return _copied(clean, degree, 0, random)


def copied_below(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """The lines were copied to a place below; degree is the number of copies."""
    return _copied(clean, 0, degree, random)


def copied_around(clean: CleanEdit, _degree: int, random: Random) -> Since | None:
    """The lines were copied to places above and below."""
    return _copied(clean, 1, 1, random)


def _copied(clean: CleanEdit, n_above: int, n_below: int, random: Random) -> Since | None:
    parts = parts_of(clean)
    above, below = places_above(parts.above), places_below(parts.below)
    if (
        not clean.whole_lines
        or len(above) < n_above
        or len(below) < n_below
        or n_blocks(clean.content, parts.span) != 1
    ):
        return None
    now_above = _with_copies(parts.above, parts.span, random.sample(above, n_above))
    now_below = _with_copies(parts.below, parts.span, random.sample(below, n_below))
    now = parts.text(above=now_above, below=now_below)
    if n_blocks(now, parts.span) != 1 + n_above + n_below:
        return None
    return Since(clean, now, parts.text(above=now_above, span=parts.new, below=now_below))


def _with_copies(lines: list[str], block: list[str], places: list[int]) -> list[str]:
    for at in sorted(places, reverse=True):
        lines = [*lines[:at], *block, *lines[at:]]
    return lines


def quoted_elsewhere(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """Lines that the edit replaces were changed, and they stand elsewhere as they were; degree 2 indents them."""
    parts = parts_of(clean)
    above, below, found = places_above(parts.above), places_below(parts.below), replaced_lines(parts)
    if not clean.whole_lines or not found or not (above or below):
        return None
    n = random.choice(found)
    line = other_line(parts.span[n], clean.path, random)
    span = [*parts.span[:n], line, *parts.span[n + 1 :]]
    copy = parts.span if degree == 1 else indent_lines("\n".join(parts.span), "    ").split("\n")
    if above and (not below or random.random() < 0.5):
        now = parts.text(above=_with_copies(parts.above, copy, [random.choice(above)]), span=span)
    else:
        now = parts.text(span=span, below=_with_copies(parts.below, copy, [random.choice(below)]))
    if line in parts.new or n_blocks(now, parts.span) != 1:
        return None
    return Since(clean, now, None, reason=_QUOTED)


def occurrence(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """The lines were copied above, and the edit counts their occurrences; degree is the one that it names."""
    parts = parts_of(clean)
    above, below = places_above(parts.above), places_below(parts.below)
    if not clean.whole_lines or not above or not below or n_blocks(clean.content, parts.span) != 1:
        return None
    at = random.choice(below)
    now_above = _with_copies(parts.above, parts.span, [random.choice(above)])
    first, second = (parts.new, parts.span) if degree == 1 else (parts.span, parts.new)
    copied = [*parts.below[:at], *parts.span, *parts.below[at:]]
    edited = [*parts.below[:at], *second, *parts.below[at:]]
    seen = clean.in_file("\n".join([*parts.above, ""]), "\n".join(["", *copied]))
    now = parts.text(above=now_above, below=copied)
    if n_blocks(now, parts.span) != 3:
        return None
    return Since(
        seen, now, parts.text(above=now_above, span=first, below=edited),
        edits=(Edit(clean.old, clean.new, occurrence=degree),), seen_target=parts.text(span=first, below=edited),
    )  # fmt: skip


MUTATORS = (
    *mutators_of(copied_above, "apply", degrees=(1, 2, 3)),
    *mutators_of(copied_below, "apply", degrees=(1, 2, 3)),
    *mutators_of(copied_around, "apply"),
    *mutators_of(quoted_elsewhere, "refuse", degrees=(1, 2)),
    *mutators_of(occurrence, "apply", degrees=(1, 2), patches=False),
)
