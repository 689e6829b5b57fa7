"""Another hand moved the edit's lines, deleted them, or made the edit itself."""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.spans import has_line
from corpora.mutators.stale.others import changed_by_another, n_blocks, other_line
from corpora.mutators.stale.since import Since, mutators_of, parts_of, replaced_lines

_FEWEST = 16
"""Letters and digits of lines that are known again elsewhere."""
_FAR = 4


def moved(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """The lines were moved; degree 1 is up, 2 down."""
    parts = parts_of(clean)
    if not _can_move(clean) or n_blocks(clean.content, parts.span) != 1:
        return None
    now = _moved(clean, parts.span, degree, Random(random.random()))
    return None if now is None else Since(clean, now[0], now[1])


def moved_and_changed(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """The lines were moved, and one that the edit replaces was changed; degree 1 is up, 2 down."""
    parts = parts_of(clean)
    found = replaced_lines(parts)
    if not _can_move(clean) or not found:
        return None
    n = random.choice(found)
    line = other_line(parts.span[n], clean.path, random)
    now = _moved(clean, [*parts.span[:n], line, *parts.span[n + 1 :]], degree, random)
    if now is None or line in parts.new or has_line(now[0], parts.span[n]):
        return None
    return Since(clean, now[0], None, reason="changed_since")


def _can_move(clean: CleanEdit) -> bool:
    return clean.whole_lines and sum(map(str.isalnum, clean.old)) >= _FEWEST


def _moved(clean: CleanEdit, span: list[str], degree: int, random: Random) -> tuple[str, str] | None:
    """The texts in which these lines stand elsewhere, as they are and as the edit makes them.

    None where other lines may as well have been moved: a line at an end of these is as one beside the places.
    """
    parts = parts_of(clean)
    lines = parts.above if degree == 1 else parts.below
    places = range(len(lines) - 1) if degree == 1 else range(2, len(lines))
    if not places:
        return None
    at = random.choice(places)
    below, above = (parts.below[:1], lines[at : at + 1]), (parts.above[-1:], lines[at - 1 : at])
    if span[:1] in below or span[-1:] in above:
        return None

    def text(block: list[str]) -> str:
        there = [*lines[:at], *block, *lines[at:]]
        return parts.text(above=there, span=[]) if degree == 1 else parts.text(span=[], below=there)

    return text(span), text(parts.new)


def deleted(clean: CleanEdit, degree: int, _random: Random) -> Since | None:
    """The lines were deleted; degree is one more than the number of lines on each side that went, too.

    None where the text of now may as well be what is left without other lines: the first of them is as the one below.
    """
    parts = parts_of(clean)
    n = degree - 1
    above, below = parts.above[: len(parts.above) - n], parts.below[n:]
    went = [*parts.above[len(above) :], *parts.span, *parts.below[:n]]
    if went[:1] == below[:1] or went[-1:] == above[-1:]:
        return None
    now = parts.text(above=above, span=[], below=below)
    gone = [line for line in parts.span if line.strip() and not has_line(now, line)]
    return Since(clean, now, None, reason="line_gone") if clean.whole_lines and gone else None


def made(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """The same edit was made; with degree 2, another one far from it, too."""
    parts = parts_of(clean)
    above, below = parts.above, parts.below
    if degree == 2 and len(above) > _FAR:
        above = [*changed_by_another(above[:-_FAR], clean.path, random), *above[-_FAR:]]
    elif degree == 2:
        below = [*below[:_FAR], *changed_by_another(below[_FAR:], clean.path, random)] if len(below) > _FAR else below
    return Since(clean, parts.text(above=above, span=parts.new, below=below), None, reason="already_applied")


MUTATORS = (
    *mutators_of(moved, "apply", degrees=(1, 2), patches=False),
    *mutators_of(moved_and_changed, "refuse", degrees=(1, 2)),
    *mutators_of(deleted, "refuse", degrees=(1, 2, 3)),
    *mutators_of(made, "refuse", degrees=(1, 2)),
)
