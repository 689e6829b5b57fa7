"""Two edits in one call, and another hand's changes beside them, or in one of them."""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.stale.others import other_line
from corpora.mutators.stale.since import Since, mutators_of, parts_of
from corpora.mutators.words import invented_statement
from editcore.types import Edit

_APART, _LONGEST = 6, 400
_TELLING = 12
"""Letters and digits of a line that is edited alone."""


def two_edits(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """Lines were added between two edits of one call; with degree 2 above both, too."""
    return _two(clean, degree, random, conflict=False)


def two_edits_one_changed(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """The line of one edit of two in one call was changed; with degree 2, lines were added between them, too."""
    return _two(clean, degree, random, conflict=True)


def _two(clean: CleanEdit, degree: int, random: Random, *, conflict: bool) -> Since | None:
    """The edit and another one of a line below it, and the changes beside them."""
    parts = parts_of(clean)
    found = [n for n in range(_APART, len(parts.below) - 1) if _is_telling(parts.below[n], clean.content)]
    if not clean.whole_lines or not found:
        return None
    n = random.choice(found)
    old = parts.below[n]
    new = other_line(old, clean.path, random)
    added = [invented_statement(clean.path, random) for _ in range(random.randint(1, 3))]
    middle = n // 2

    def text(span: list[str], line: str, *, now: bool) -> str:
        above = [*added, *parts.above] if now and degree == 2 and not conflict else parts.above
        between = added if now and (degree == 2 or not conflict) else []
        below = [*parts.below[:middle], *between, *parts.below[middle:n], line, *parts.below[n + 1 :]]
        return parts.text(above=above, span=span, below=below)

    theirs = other_line(old, clean.path, random)
    if new == old or theirs in (old, new) or old in clean.new or new in clean.content:
        return None
    edits = (Edit(clean.old, clean.new), Edit(old, new))
    now = text(parts.span, theirs if conflict else old, now=True)
    target = None if conflict else text(parts.new, new, now=True)
    if conflict and old in now:
        return None
    reason = "changed_since" if conflict else None
    return Since(clean, now, target, reason=reason, edits=edits, seen_target=text(parts.new, new, now=False))


def _is_telling(line: str, content: str) -> bool:
    says = sum(map(str.isalnum, line)) >= _TELLING and len(line) < _LONGEST
    return says and content.count(line) == 1


MUTATORS = (
    *mutators_of(two_edits, "apply", degrees=(1, 2), patches=False),
    *mutators_of(two_edits_one_changed, "refuse", degrees=(1, 2), patches=False),
)
