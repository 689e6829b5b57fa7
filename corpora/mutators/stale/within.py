"""Another hand changed the lines of the edit: those that it replaces, or those that it only quotes."""

from __future__ import annotations

import re
from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.search_lines import indentation, pick
from corpora.mutators.stale.others import other_line
from corpora.mutators.stale.since import Since, kept_lines, mutators_of, parts_of, replaced_lines
from corpora.mutators.words import another_name, invented_statement, tokens

_CONFLICT = "changed_since"
_CONTEXT = 3
"""Lines about a change that a patch shows."""


def changed_within(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """Lines that the edit replaces were changed; degree is their number."""
    parts = parts_of(clean)
    span, found = list(parts.span), replaced_lines(parts)
    if len(found) < degree:
        return None
    for n in pick(found, degree, random):
        span[n] = other_line(span[n], clean.path, random)
    return _conflict(clean, span)


def added_within(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """Lines were added between two that the edit replaces; degree is their number."""
    parts = parts_of(clean)
    found = replaced_lines(parts)
    between = [n for n in found if n + 1 in found]
    if not between:
        return None
    at = random.choice(between) + 1
    added = [indentation(parts.span[at]) + invented_statement(clean.path, random) for _ in range(degree)]
    return _conflict(clean, [*parts.span[:at], *added, *parts.span[at:]])


def renamed_within(clean: CleanEdit, _degree: int, random: Random) -> Since | None:
    """A name in lines that the edit replaces was replaced everywhere."""
    parts = parts_of(clean)
    names = sorted({token[0] for n in replaced_lines(parts) for token in tokens(parts.span[n], "name")})
    if not names:
        return None
    name = random.choice(names)
    now = re.sub(rf"\b{re.escape(name)}\b", another_name(name, random), clean.content)
    n = len(parts.above)
    since = _conflict(clean, now.split("\n")[n : n + len(parts.span)])
    return None if since is None else Since(clean, now, None, reason=_CONFLICT)


def _conflict(clean: CleanEdit, span: list[str]) -> Since | None:
    """A refusal, since the span has other lines; None where one of them is a line of the edit's, or none differs."""
    parts = parts_of(clean)
    changed = [line.strip() for line in span if line not in parts.span]
    if not changed or any(line.strip() in changed for line in parts.new) or clean.old in parts.text(span=span):
        return None
    return Since(clean, parts.text(span=span), None, reason=_CONFLICT)


def context_changed(clean: CleanEdit, _degree: int, random: Random) -> Since | None:
    """A line that the edit quotes and keeps, not next to one that it changes, was changed."""
    parts = parts_of(clean)
    found = kept_lines(parts)
    if not found:
        return None
    n = random.choice(found)
    line = other_line(parts.span[n], clean.path, random)
    span, new = ([line if one == parts.span[n] else one for one in lines] for lines in (parts.span, parts.new))
    return Since(clean, parts.text(span=span), parts.text(span=new))


def replaced_file(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """All lines were replaced by others; degree 2 leaves none."""
    lines = [invented_statement(clean.path, random) for _ in range(random.randint(3, 20))] if degree == 1 else []
    now = "".join([f"{line}\n" for line in lines])
    return None if clean.old in now else Since(clean, now, None, reason="line_gone")


MUTATORS = (
    *mutators_of(changed_within, "refuse", degrees=(1, 2, 3)),
    *mutators_of(added_within, "refuse", degrees=(1, 2, 3)),
    *mutators_of(renamed_within, "refuse"),
    *mutators_of(context_changed, "tolerate", context=_CONTEXT),
    *mutators_of(replaced_file, "refuse", degrees=(1, 2)),
)
