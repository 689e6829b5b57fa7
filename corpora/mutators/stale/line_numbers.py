"""Insertions below a line by the number that it had when the file was seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, Mutator, Truth
from corpora.mutators.stale.others import changed_by_another, n_blocks
from corpora.mutators.stale.since import Parts, Since, as_damaged, parts_of, summary_since
from corpora.mutators.words import invented_statement

_FAR = 2
_Insertion = Callable[[CleanEdit, Parts, list[str], Random], Since | None]
"""Takes the edit, its lines and the lines that it adds below them."""


def insert_moved(clean: CleanEdit, parts: Parts, new: list[str], random: Random) -> Since | None:
    """Lines above were added, altered or removed."""
    if len(parts.above) <= _FAR:
        return None
    above = [*changed_by_another(parts.above[:-_FAR], clean.path, random), *parts.above[-_FAR:]]
    return Since(clean, parts.text(above=above), parts.text(above=above, span=[*parts.span, *new]))


def insert_moved_below(clean: CleanEdit, parts: Parts, new: list[str], random: Random) -> Since | None:
    """Lines below were added, altered or removed."""
    if len(parts.below) <= _FAR:
        return None
    below = [*parts.below[:_FAR], *changed_by_another(parts.below[_FAR:], clean.path, random)]
    return Since(clean, parts.text(below=below), parts.text(span=[*parts.span, *new], below=below))


def insert_place_gone(clean: CleanEdit, parts: Parts, _new: list[str], random: Random) -> Since | None:
    """The line and those about it were replaced."""
    others = [invented_statement(clean.path, random) for _ in range(random.randint(1, 4))]
    now = parts.text(above=parts.above[:-2], span=others, below=parts.below[2:])
    return Since(clean, now, None, reason="line_gone")


def insert_made(clean: CleanEdit, parts: Parts, new: list[str], _random: Random) -> Since | None:
    """The same lines were added there."""
    return Since(clean, parts.text(span=[*parts.span, *new]), None, reason="already_applied")


def _damage(insertion: _Insertion, clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    parts = parts_of(clean)
    if not clean.whole_lines or not clean.content.endswith("\n") or clean.end == len(clean.content):
        return None
    if n_blocks(clean.content, parts.span) != 1:
        return None
    new = [invented_statement(clean.path, random) for _ in range(degree)]
    since = insertion(clean, parts, new, random)
    if since is None or since.now == clean.content:
        return None
    text = "".join([f"{line}\n" for line in new])
    one = as_damaged(since, parts.text(span=[*parts.span, *new]))
    return replace(one, patch=text, line=len(parts.above) + len(parts.span))


def _mutator(insertion: _Insertion, truth: Truth) -> Mutator[CleanEdit]:
    summary = f"{summary_since(insertion).removesuffix('.')}; degree is the number of new lines."
    return Mutator(
        f"since_{insertion.__name__}", summary, "insert", partial(_damage, insertion), truth, degrees=(1, 2, 3)
    )


MUTATORS = (
    _mutator(insert_moved, "apply"),
    _mutator(insert_moved_below, "apply"),
    _mutator(insert_place_gone, "refuse"),
    _mutator(insert_made, "refuse"),
)
