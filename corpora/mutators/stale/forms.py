"""Stale edits in other forms: two edits in one call, and insertions by line number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

from corpora.mutators.clean_edit import CleanEdit, Damaged, given, n_places, needs
from corpora.mutators.mutator import Mutator, Truth, named
from corpora.mutators.stale.since import (
    Parts,
    Since,
    as_damaged,
    changed_by_another,
    other_line,
    parts_of,
    stale_mutators,
    summary_since,
)
from corpora.mutators.words import invented_statement
from editcore.types import Edit

# Two edits in one call; another hand's changes are beside them, or in one of them.

_APART, _LONGEST = 6, 400
_TELLING = 12
"""The least letters and digits of a line that is edited alone."""


def two_edits_one_changed(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """The line of one of two edits in a call was changed; with degree 2, lines were added between the edits."""
    return _two(clean, degree, random, conflict=True)


def _two(clean: CleanEdit, degree: int, random: Random, *, conflict: bool) -> Since | None:
    """The edit and a second edit of a line below it, and the changes beside them."""
    parts = parts_of(clean)
    found = [n for n in range(_APART, len(parts.below) - 1) if _is_telling(parts.below[n], clean.content)]
    needs(clean.whole_lines and found)
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
    needs(new != old and theirs not in (old, new) and old not in clean.new and new not in clean.content)
    edits = (Edit(clean.old, clean.new), Edit(old, new))
    now = text(parts.span, theirs if conflict else old, now=True)
    target = None if conflict else text(parts.new, new, now=True)
    needs(not conflict or old not in now)
    reason = "changed_since" if conflict else None
    return Since(clean, now, target, reason=reason, edits=edits, seen_target=text(parts.new, new, now=False))


def _is_telling(line: str, content: str) -> bool:
    says = sum(map(str.isalnum, line)) >= _TELLING and len(line) < _LONGEST
    return says and content.count(line) == 1


# Insertions below a line, by the number that the line had when the file was seen.

_FAR = 2
_Insertion = Callable[[CleanEdit, Parts, list[str], Random], Since | None]
"""(edit, its lines, the new lines to insert below them, randomness) -> the insertion."""


def insert_moved(clean: CleanEdit, parts: Parts, new: list[str], random: Random) -> Since | None:
    """Lines above were added, altered or removed."""
    needs(len(parts.above) > _FAR)
    above = [*changed_by_another(parts.above[:-_FAR], clean.path, random), *parts.above[-_FAR:]]
    return Since(clean, parts.text(above=above), parts.text(above=above, span=[*parts.span, *new]))


def insert_moved_below(clean: CleanEdit, parts: Parts, new: list[str], random: Random) -> Since | None:
    """Lines below were added, altered or removed."""
    needs(len(parts.below) > _FAR)
    below = [*parts.below[:_FAR], *changed_by_another(parts.below[_FAR:], clean.path, random)]
    return Since(clean, parts.text(below=below), parts.text(span=[*parts.span, *new], below=below))


def insert_place_gone(clean: CleanEdit, parts: Parts, _new: list[str], random: Random) -> Since | None:
    """The line and its neighbours were replaced."""
    others = [invented_statement(clean.path, random) for _ in range(random.randint(1, 4))]
    now = parts.text(above=parts.above[:-2], span=others, below=parts.below[2:])
    return Since(clean, now, None, reason="line_gone")


def insert_made(clean: CleanEdit, parts: Parts, new: list[str], _random: Random) -> Since | None:
    """The same lines were added there."""
    return Since(clean, parts.text(span=[*parts.span, *new]), None, reason="already_applied")


def _damage(insertion: _Insertion, clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    parts = parts_of(clean)
    needs(clean.whole_lines and clean.content.endswith("\n") and clean.end != len(clean.content))
    needs(n_places(clean.content, parts.span) == 1)
    new = [invented_statement(clean.path, random) for _ in range(degree)]
    since = given(insertion(clean, parts, new, random))
    needs(since.now != clean.content)
    text = "".join([f"{line}\n" for line in new])
    one = as_damaged(since, parts.text(span=[*parts.span, *new]))
    return replace(one, patch=text, line=len(parts.above) + len(parts.span))


def _mutators(*insertions: _Insertion, truth: Truth = "apply") -> Iterator[Mutator[CleanEdit]]:
    for one in insertions:
        summary = f"{summary_since(one).removesuffix('.')}; degree is the number of new lines."
        yield Mutator(f"since_{one.__name__}", summary, "insert", partial(_damage, one), truth, degrees=(1, 2, 3))


MUTATORS: tuple[Mutator[Any], ...] = (
    *stale_mutators(
        named("two_edits", "Lines were added between two edits of one call; with degree 2, also above both.",
              lambda clean, degree, random: _two(clean, degree, random, conflict=False)),
        degrees=(1, 2), patches=False,
    ),
    *stale_mutators(two_edits_one_changed, truth="refuse", degrees=(1, 2), patches=False),
    *_mutators(insert_moved, insert_moved_below),
    *_mutators(insert_place_gone, insert_made, truth="refuse"),
)  # fmt: skip
