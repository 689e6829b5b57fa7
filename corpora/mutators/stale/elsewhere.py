"""Another hand changed lines that are not the edit's: both changes stay."""

from __future__ import annotations

import re
from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.search_lines import indentation
from corpora.mutators.stale.others import changed_by_another, n_blocks, other_line
from corpora.mutators.stale.since import Parts, Since, mutators_of, parts_of
from corpora.mutators.words import another_name, invented_statement, tokens

_ABOVE, _BELOW = (1, 3), (2, 3)
"""The degrees with a change above, and below."""
_FAR = 4
"""Lines that are left alone next to the edit: a patch shows three of them."""


def changed_elsewhere(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """Lines far from those of the edit were changed; degree 1 is above, 2 below, 3 both."""
    parts = parts_of(clean)
    above, below = parts.above, parts.below
    if degree in _ABOVE:
        above = _changed_end(above, _FAR, clean.path, random)
    if degree in _BELOW:
        below = _changed_end(below[::-1], _FAR, clean.path, random)[::-1]
    return _both(clean, parts, above, below)


def changed_near(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """One line lies between those that were changed and those of the edit; degree 1 is above, 2 below, 3 both."""
    return _changed_at(clean, 1, degree, random)


def changed_next(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """The line next to those of the edit was changed; degree 1 is above, 2 below, 3 both."""
    return _changed_at(clean, 0, degree, random)


def _changed_at(clean: CleanEdit, gap: int, degree: int, random: Random) -> Since | None:
    """The edit after the lines at that distance from it were changed, each in its place."""
    parts = parts_of(clean)
    above, below = list(parts.above), list(parts.below)
    for wanted, lines, at in ((_ABOVE, above, len(above) - 1 - gap), (_BELOW, below, gap)):
        if degree in wanted:
            if not 0 <= at < len(lines) or not lines[at].strip():
                return None
            lines[at] = other_line(lines[at], clean.path, random)
    return _both(clean, parts, above, below)


def added_beside(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """A line was added next to those of the edit; degree 1 is above, 2 below."""
    parts = parts_of(clean)
    near = parts.span[0] if degree == 1 else parts.span[-1]
    line = indentation(near) + invented_statement(clean.path, random)
    above = [*parts.above, line] if degree == 1 else parts.above
    below = [line, *parts.below] if degree == 2 else parts.below
    since = _both(clean, parts, above, below)
    # Where the edit adds lines at the same end, either may come first.
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
    if not names:
        return None
    name = random.choice(names)
    other = another_name(name, random)
    above, below = (re.sub(rf"\b{name}\b", other, "\n".join(part)).split("\n") for part in (parts.above, parts.below))
    return _both(clean, parts, above if parts.above else [], below if parts.below else [])


def _changed_end(lines: list[str], n_kept: int, path: str, random: Random) -> list[str]:
    """The lines with a change among all but the last ones."""
    if len(lines) <= n_kept:
        return lines
    return [*changed_by_another(lines[:-n_kept], path, random), *lines[-n_kept:]]


def _both(clean: CleanEdit, parts: Parts, above: list[str], below: list[str]) -> Since | None:
    """The edit of a text with other lines above and below; None where that made a copy of its lines."""
    now = parts.text(above=above, below=below)
    if n_blocks(now, parts.span) != 1 or n_blocks(clean.content, parts.span) != 1:
        return None
    return Since(clean, now, parts.text(above=above, span=parts.new, below=below))


MUTATORS = (
    *mutators_of(changed_elsewhere, "apply", degrees=(1, 2, 3)),
    *mutators_of(changed_near, "apply", degrees=(1, 2, 3), in_patches="tolerate"),
    *mutators_of(changed_next, "tolerate", degrees=(1, 2, 3)),
    *mutators_of(added_beside, "tolerate", degrees=(1, 2)),
    *mutators_of(renamed_elsewhere, "apply", in_patches="tolerate"),
)
