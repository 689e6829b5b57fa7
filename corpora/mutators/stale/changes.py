"""Another hand changed, copied, moved or deleted lines: lines of the edit, or lines elsewhere."""

from __future__ import annotations

import re
from random import Random
from typing import Any

from corpora.mutators.clean_edit import CleanEdit, n_places, needs
from corpora.mutators.mutator import Mutator, named
from corpora.mutators.spans import indent_lines, indentation, pick
from corpora.mutators.stale.since import (
    Parts,
    Since,
    changed_by_another,
    kept_lines,
    other_line,
    parts_of,
    places_above,
    places_below,
    replaced_lines,
    stale_mutators,
)
from corpora.mutators.words import another_name, invented_statement, tokens
from editcore.types import Edit

# Another hand changed other lines than the edit: both changes are kept.

_ABOVE, _BELOW = (1, 3), (2, 3)
"""The degrees with a change above the edit, and below it."""
_FAR = 4
"""The lines next to the edit that stay unchanged: a patch shows three of them."""


def changed_elsewhere(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """Lines far from the edit were changed; degree 1 is above, 2 below, 3 both."""
    parts = parts_of(clean)
    above, below = parts.above, parts.below
    if degree in _ABOVE:
        above = _changed_end(above, _FAR, clean.path, random)
    if degree in _BELOW:
        below = _changed_end(below[::-1], _FAR, clean.path, random)[::-1]
    return _both(clean, parts, above, below)


def changed_near(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """Lines were changed that are one line away from the edit; degree 1 is above, 2 below, 3 both."""
    return _changed_at(clean, 1, degree, random)


def _changed_at(clean: CleanEdit, gap: int, degree: int, random: Random) -> Since | None:
    """The edit after the lines `gap` lines away from it were changed."""
    parts = parts_of(clean)
    above, below = list(parts.above), list(parts.below)
    for wanted, lines, at in ((_ABOVE, above, len(above) - 1 - gap), (_BELOW, below, gap)):
        if degree in wanted:
            needs(0 <= at < len(lines) and lines[at].strip())
            lines[at] = other_line(lines[at], clean.path, random)
    return _both(clean, parts, above, below)


def added_beside(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """A line was added next to the edit; degree 1 is above, 2 below."""
    parts = parts_of(clean)
    near = parts.span[0] if degree == 1 else parts.span[-1]
    line = indentation(near) + invented_statement(clean.path, random)
    above = [*parts.above, line] if degree == 1 else parts.above
    below = [line, *parts.below] if degree == 2 else parts.below
    since = _both(clean, parts, above, below)
    # If the edit adds lines at the same end, either addition may come first.
    added = parts.new[: len(parts.new) - len(parts.span)] if parts.new[-len(parts.span) :] == parts.span else []
    if since and degree == 1 and added:
        other = [*parts.above, *added, line, *parts.span, *parts.below]
    elif since and degree == 2 and parts.new[: len(parts.span)] == parts.span:
        other = [*parts.above, *parts.span, line, *parts.new[len(parts.span) :], *parts.below]
    else:
        return since
    return Since(clean, since.now, since.target, ("\n".join(other),))


def renamed_elsewhere(clean: CleanEdit, _degree: int, random: Random) -> Since | None:
    """A name that the edit does not have was replaced everywhere."""
    parts = parts_of(clean)
    mine = "\n".join([*parts.span, *parts.new])
    found = {token[0] for token in tokens("\n".join([*parts.above, *parts.below]), "name")}
    names = sorted(name for name in found if len(name) > 2 and not re.search(rf"\b{name}\b", mine))
    needs(names)
    name = random.choice(names)
    other = another_name(name, random)
    above, below = (re.sub(rf"\b{name}\b", other, "\n".join(part)).split("\n") for part in (parts.above, parts.below))
    return _both(clean, parts, above if parts.above else [], below if parts.below else [])


def _changed_end(lines: list[str], n_kept: int, path: str, random: Random) -> list[str]:
    """The lines with a change among all but the last `n_kept`."""
    if len(lines) <= n_kept:
        return lines
    return [*changed_by_another(lines[:-n_kept], path, random), *lines[-n_kept:]]


def _both(clean: CleanEdit, parts: Parts, above: list[str], below: list[str]) -> Since | None:
    """The edit of a text with other lines above and below; Unfit if that made a copy of its lines."""
    now = parts.text(above=above, below=below)
    needs(n_places(now, parts.span) == 1 and n_places(clean.content, parts.span) == 1)
    return Since(clean, now, parts.text(above=above, span=parts.new, below=below))


# Another hand changed the lines of the edit: lines that it replaces, or lines that it only quotes.

_CONFLICT = "changed_since"
_CONTEXT = 3
"""The lines that a patch shows above and below a change."""


def changed_within(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """Lines that the edit replaces were changed; degree is their number."""
    parts = parts_of(clean)
    span, found = list(parts.span), replaced_lines(parts)
    needs(len(found) >= degree)
    for n in pick(found, degree, random):
        span[n] = other_line(span[n], clean.path, random)
    return _conflict(clean, span)


def added_within(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """Lines were added between two that the edit replaces; degree is their number."""
    parts = parts_of(clean)
    found = replaced_lines(parts)
    between = [n for n in found if n + 1 in found]
    needs(between)
    at = random.choice(between) + 1
    added = [indentation(parts.span[at]) + invented_statement(clean.path, random) for _ in range(degree)]
    return _conflict(clean, [*parts.span[:at], *added, *parts.span[at:]])


def renamed_within(clean: CleanEdit, _degree: int, random: Random) -> Since | None:
    """A name in lines that the edit replaces was replaced everywhere."""
    parts = parts_of(clean)
    names = sorted({token[0] for n in replaced_lines(parts) for token in tokens(parts.span[n], "name")})
    needs(names)
    name = random.choice(names)
    now = re.sub(rf"\b{re.escape(name)}\b", another_name(name, random), clean.content)
    n = len(parts.above)
    _conflict(clean, now.split("\n")[n : n + len(parts.span)])
    return Since(clean, now, None, reason=_CONFLICT)


def _conflict(clean: CleanEdit, span: list[str]) -> Since | None:
    """A refusal, since the span has other lines; Unfit if no line differs, or if one of them is a new line of the
    edit.
    """
    parts = parts_of(clean)
    changed = [line.strip() for line in span if line not in parts.span]
    needs(changed and not any(line.strip() in changed for line in parts.new) and clean.old not in parts.text(span=span))
    return Since(clean, parts.text(span=span), None, reason=_CONFLICT)


def context_changed(clean: CleanEdit, _degree: int, random: Random) -> Since | None:
    """A line that the edit quotes and keeps was changed; it is not next to a line that the edit changes."""
    parts = parts_of(clean)
    found = kept_lines(parts)
    needs(found)
    n = random.choice(found)
    line = other_line(parts.span[n], clean.path, random)
    span, new = ([line if one == parts.span[n] else one for one in lines] for lines in (parts.span, parts.new))
    return Since(clean, parts.text(span=span), parts.text(span=new))


def replaced_file(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """All lines were replaced by others; degree 2 leaves none."""
    lines = [invented_statement(clean.path, random) for _ in range(random.randint(3, 20))] if degree == 1 else []
    now = "".join([f"{line}\n" for line in lines])
    return None if clean.old in now else Since(clean, now, None, reason="line_gone")


# Another hand added a copy of the edit's lines: the lines that the model saw are meant, wherever they are now.

_QUOTED = "quoted_elsewhere"


def _copied(clean: CleanEdit, n_above: int, n_below: int, random: Random) -> Since | None:
    parts = parts_of(clean)
    above, below = places_above(parts.above), places_below(parts.below)
    needs(clean.whole_lines and n_places(clean.content, parts.span) == 1)
    needs(len(above) >= n_above and len(below) >= n_below)
    now_above = _with_copies(parts.above, parts.span, random.sample(above, n_above))
    now_below = _with_copies(parts.below, parts.span, random.sample(below, n_below))
    now = parts.text(above=now_above, below=now_below)
    needs(n_places(now, parts.span) == 1 + n_above + n_below)
    return Since(clean, now, parts.text(above=now_above, span=parts.new, below=now_below))


def _with_copies(lines: list[str], block: list[str], places: list[int]) -> list[str]:
    for at in sorted(places, reverse=True):
        lines = [*lines[:at], *block, *lines[at:]]
    return lines


def quoted_elsewhere(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """Lines that the edit replaces were changed, and a copy of the old lines is elsewhere; degree 2 indents it."""
    parts = parts_of(clean)
    above, below, found = places_above(parts.above), places_below(parts.below), replaced_lines(parts)
    needs(clean.whole_lines and found and (above or below))
    n = random.choice(found)
    line = other_line(parts.span[n], clean.path, random)
    span = [*parts.span[:n], line, *parts.span[n + 1 :]]
    # The copy is a decoy: the lines that the model saw are the changed ones.
    copy = parts.span if degree == 1 else indent_lines("\n".join(parts.span), "    ").split("\n")
    if above and (not below or random.random() < 0.5):
        now = parts.text(above=_with_copies(parts.above, copy, [random.choice(above)]), span=span)
    else:
        now = parts.text(span=span, below=_with_copies(parts.below, copy, [random.choice(below)]))
    needs(line not in parts.new and n_places(now, parts.span) == 1)
    return Since(clean, now, None, reason=_QUOTED)


def occurrence(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """The lines were copied above, and the edit names an occurrence by its number; degree is that number."""
    parts = parts_of(clean)
    above, below = places_above(parts.above), places_below(parts.below)
    needs(clean.whole_lines and above and below and n_places(clean.content, parts.span) == 1)
    at = random.choice(below)
    now_above = _with_copies(parts.above, parts.span, [random.choice(above)])
    # The model saw two copies. A third one above them shifts the count that the edit names.
    first, second = (parts.new, parts.span) if degree == 1 else (parts.span, parts.new)
    copied = [*parts.below[:at], *parts.span, *parts.below[at:]]
    edited = [*parts.below[:at], *second, *parts.below[at:]]
    seen = clean.in_file("\n".join([*parts.above, ""]), "\n".join(["", *copied]))
    now = parts.text(above=now_above, below=copied)
    needs(n_places(now, parts.span) == 3)
    return Since(
        seen, now, parts.text(above=now_above, span=first, below=edited),
        edits=(Edit(clean.old, clean.new, occurrence=degree),), seen_target=parts.text(span=first, below=edited),
    )  # fmt: skip


# Another hand moved the edit's lines, deleted them, or made the edit itself.

_FEWEST = 16
"""The least letters and digits of lines that can be recognized elsewhere."""


def moved(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """The lines were moved; degree 1 is up, 2 down."""
    parts = parts_of(clean)
    needs(_can_move(clean) and n_places(clean.content, parts.span) == 1)
    return Since(clean, *_moved(clean, parts.span, degree, Random(random.random())))


def moved_and_changed(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """The lines were moved, and a line that the edit replaces was changed; degree 1 is up, 2 down."""
    parts = parts_of(clean)
    found = replaced_lines(parts)
    needs(_can_move(clean) and found)
    n = random.choice(found)
    line = other_line(parts.span[n], clean.path, random)
    now = _moved(clean, [*parts.span[:n], line, *parts.span[n + 1 :]], degree, random)
    needs(line not in parts.new and not n_places(now[0], [parts.span[n]]))
    return Since(clean, now[0], None, reason="changed_since")


def _can_move(clean: CleanEdit) -> bool:
    return clean.whole_lines and sum(map(str.isalnum, clean.old)) >= _FEWEST


def _moved(clean: CleanEdit, span: list[str], degree: int, random: Random) -> tuple[str, str]:
    """The text with the span moved, and the same text after the edit.

    Unfit if other lines may have moved instead: a line at an end of the span equals a line next to its old or new
    place.
    """
    parts = parts_of(clean)
    lines = parts.above if degree == 1 else parts.below
    places = range(len(lines) - 1) if degree == 1 else range(2, len(lines))
    needs(places)
    at = random.choice(places)
    below, above = (parts.below[:1], lines[at : at + 1]), (parts.above[-1:], lines[at - 1 : at])
    needs(span[:1] not in below and span[-1:] not in above)

    def text(block: list[str]) -> str:
        there = [*lines[:at], *block, *lines[at:]]
        return parts.text(above=there, span=[]) if degree == 1 else parts.text(span=[], below=there)

    return text(span), text(parts.new)


def deleted(clean: CleanEdit, degree: int, _random: Random) -> Since | None:
    """The lines were deleted; degree is one more than the number of neighbouring lines deleted on each side.

    Unfit if another deletion gives the same text: the first deleted line equals the line below, or the last the line
    above.
    """
    parts = parts_of(clean)
    n = degree - 1
    above, below = parts.above[: len(parts.above) - n], parts.below[n:]
    went = [*parts.above[len(above) :], *parts.span, *parts.below[:n]]
    needs(went[:1] != below[:1] and went[-1:] != above[-1:])
    now = parts.text(above=above, span=[], below=below)
    gone = [line for line in parts.span if line.strip() and not n_places(now, [line])]
    return Since(clean, now, None, reason="line_gone") if clean.whole_lines and gone else None


def made(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """The same edit was made by another hand; with degree 2, also a change far from it."""
    parts = parts_of(clean)
    above, below = parts.above, parts.below
    if degree == 2 and len(above) > _FAR:
        above = [*changed_by_another(above[:-_FAR], clean.path, random), *above[-_FAR:]]
    elif degree == 2:
        below = [*below[:_FAR], *changed_by_another(below[_FAR:], clean.path, random)] if len(below) > _FAR else below
    return Since(clean, parts.text(above=above, span=parts.new, below=below), None, reason="already_applied")


MUTATORS: tuple[Mutator[Any], ...] = (
    *stale_mutators(changed_elsewhere, degrees=(1, 2, 3)),
    *stale_mutators(changed_near, in_patches="tolerate", degrees=(1, 2, 3)),
    *stale_mutators(
        named("changed_next", "The line next to the edit was changed; degree 1 is above, 2 below, 3 both.",
              lambda clean, degree, random: _changed_at(clean, 0, degree, random)),
        truth="tolerate", degrees=(1, 2, 3),
    ),
    *stale_mutators(added_beside, truth="tolerate", degrees=(1, 2)),
    *stale_mutators(renamed_elsewhere, in_patches="tolerate"),
    *stale_mutators(changed_within, added_within, truth="refuse", degrees=(1, 2, 3)),
    *stale_mutators(renamed_within, truth="refuse"),
    *stale_mutators(context_changed, truth="tolerate", context=_CONTEXT),
    *stale_mutators(replaced_file, truth="refuse", degrees=(1, 2)),
    *stale_mutators(
        named("copied_above", "The lines were copied to a place above; degree is the number of copies.",
              lambda clean, degree, random: _copied(clean, degree, 0, random)),
        named("copied_below", "The lines were copied to a place below; degree is the number of copies.",
              lambda clean, degree, random: _copied(clean, 0, degree, random)),
        degrees=(1, 2, 3),
    ),
    *stale_mutators(
        named("copied_around", "The lines were copied to places above and below.",
              lambda clean, _degree, random: _copied(clean, 1, 1, random)),
    ),
    *stale_mutators(quoted_elsewhere, truth="refuse", degrees=(1, 2)),
    *stale_mutators(occurrence, moved, degrees=(1, 2), patches=False),
    *stale_mutators(moved_and_changed, truth="refuse", degrees=(1, 2)),
    *stale_mutators(deleted, truth="refuse", degrees=(1, 2, 3)),
    *stale_mutators(made, truth="refuse", degrees=(1, 2)),
)  # fmt: skip
