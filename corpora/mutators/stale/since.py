"""A text that has changed since the model saw it, and the right result of the model's edit for the current text.

A family is a function that makes a `Since` of a clean edit, whose file is the text that was seen. `stale_mutators`
makes mutators of families, in several formats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any, NamedTuple

from corpora.mutators.clean_edit import CleanEdit, CleanPatch, Damaged, given, needs
from corpora.mutators.mutator import Mutator, Truth, degrees_of, summary_of
from corpora.mutators.patch_lines import PATCH_ENDINGS, PatchFormat, render_patch
from corpora.mutators.spans import indentation, span_of
from corpora.mutators.words import ALTERATIONS, altered, invented_statement
from editcore.types import Edit, File


@dataclass(frozen=True, slots=True)
class Since:
    """A stale edit: the text that was seen, the current text, and the right answer."""

    seen: CleanEdit
    """The edit, for the text that was seen."""
    now: str
    target: str | None
    """The right result for the current text; None: the edit must be refused."""
    alternatives: tuple[str, ...] = ()
    reason: str | None = None
    """For refusals, as in `Damaged`."""
    edits: tuple[Edit, ...] | None = None
    """The edits as written, if they are not one pair of the span's texts."""
    seen_target: str | None = None
    """The result of `edits` for the text that was seen."""


Family = Callable[[CleanEdit, int, Random], Since | None]


class Parts(NamedTuple):
    """The lines of a text in three parts: the span of an edit, and the lines above and below it."""

    above: list[str]
    span: list[str]
    new: list[str]
    """The lines of the span after the edit."""
    below: list[str]

    def text(
        self, *, above: list[str] | None = None, span: list[str] | None = None, below: list[str] | None = None
    ) -> str:
        """The text with other lines in some parts."""
        parts = (
            self.above if above is None else above,
            self.span if span is None else span,
            self.below if below is None else below,
        )
        return "\n".join([line for part in parts for line in part])


def parts_of(clean: CleanEdit) -> Parts:
    """The lines of an edit's file."""
    lines, n_new = clean.content.split("\n"), clean.new.count("\n") + 1
    first, last = clean.line - 1, clean.line + clean.old.count("\n")
    return Parts(lines[:first], lines[first:last], clean.target.split("\n")[first : first + n_new], lines[last:])


def kept_lines(parts: Parts) -> list[int]:
    """The indexes of span lines that are unique, and that the edit keeps together with both neighbours."""
    return [n for n, line in enumerate(parts.span) if line.strip() and _is_kept(parts, n)]


def _is_kept(parts: Parts, n: int) -> bool:
    line = parts.span[n]
    if parts.span.count(line) != 1 or parts.new.count(line) != 1:
        return False
    (at,) = (number for number, other in enumerate(parts.new) if other == line)
    beside = (
        (part[number - 1] if number else None, part[number + 1 :][:1])
        for part, number in ((parts.span, n), (parts.new, at))
    )
    return next(beside) == next(beside)


def replaced_lines(parts: Parts) -> list[int]:
    """The indexes of nonblank span lines that the new text does not have."""
    kept = {line.strip() for line in parts.new}
    return [n for n, line in enumerate(parts.span) if line.strip() and line.strip() not in kept]


def stale_mutators(
    *families: Family,
    truth: Truth = "apply",
    degrees: tuple[int, ...] | None = None,
    patches: bool = True,
    in_patches: Truth | None = None,
    context: int = 0,
) -> Iterator[Mutator[Any]]:
    """For each family a mutator of search texts; with `patches` also one of diffs and one of Begin/End Patches.

    For a patch, the family gets the edit of its changed lines and of `context` lines above and below them.
    """
    for family in families:
        name, summary, found = f"since_{family.__name__}", summary_since(family), degrees or degrees_of(family)
        yield Mutator(name, summary, "str_replace", partial(_as_pairs, family), truth, degrees=found)
        for format, ending in PATCH_ENDINGS if patches else ():
            damage = partial(_as_patch, family, format, context)
            yield Mutator(f"{name}_{ending}", summary, format, damage, in_patches or truth, degrees=found)


def summary_since(function: Callable[..., object]) -> str:
    """ "Since the file was seen: ..." with the first line of a function's docstring."""
    happened = summary_of(function)
    return f"Since the file was seen: {happened[0].lower()}{happened[1:]}"


def _as_pairs(family: Family, clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    since = given(family(clean, degree, random))
    needs(since.now != since.seen.content and since.now != since.target)
    edits = since.edits or (Edit(since.seen.old, since.seen.new),)
    one = as_damaged(since, since.seen_target or since.seen.target)
    return replace(one, edits=edits)


def as_damaged(since: Since, seen_target: str) -> Damaged:
    """The files of an edit whose text is still missing; the twin of a refusal is the text that was seen."""
    path = since.seen.path
    seen = (File(path, since.seen.content),)
    refused = since.target is None
    return Damaged(
        before=(File(path, since.now),),
        target=None if since.target is None else (File(path, since.target),),
        alternatives=tuple([(File(path, one),) for one in dict.fromkeys(since.alternatives) if one != since.target])
        or None,
        seen=seen,
        twin=(seen, (File(path, seen_target),)) if refused else None,
        reason=since.reason,
    )


def _as_patch(
    family: Family, format: PatchFormat, context: int, patch: CleanPatch, degree: int, random: Random
) -> Damaged | None:
    """The edit of the patch's first file, as a patch of the text that was seen."""
    since = given(family(span_of(patch.before[0], patch.target[0].content, context), degree, random))
    needs(since.now != since.seen.content and since.now != since.target)
    seen, target = (File(since.seen.path, text) for text in (since.seen.content, since.seen.target))
    written = given(render_patch(CleanPatch((seen,), (target,)), format))
    return replace(as_damaged(since, target.content), patch=written.text)


# Changes by another hand: lines are altered, added or removed.

_MOST_ADDED = 4
_APART = 2
"""The least number of nonblank lines between a block and a copy of it."""


def other_line(line: str, path: str, random: Random) -> str:
    """The line as another hand might write it."""
    alter = ALTERATIONS[random.choice(("word", "number", "operator"))][1]
    return altered(line, File(path, line), alter, random) or indentation(line) + invented_statement(path, random)


def changed_by_another(lines: list[str], path: str, random: Random) -> list[str]:
    """The lines with one change: lines were added, or one line was altered or removed."""
    at = random.randrange(len(lines) + 1)
    if random.random() < 0.5 or at == len(lines):
        prefix = indentation(lines[min(at, len(lines) - 1)]) if lines else ""
        added = [prefix + invented_statement(path, random) for _ in range(random.randint(1, _MOST_ADDED))]
        return [*lines[:at], *added, *lines[at:]]
    if random.random() < 0.5 and lines[at].strip():
        return [*lines[:at], other_line(lines[at], path, random), *lines[at + 1 :]]
    return [*lines[:at], *lines[at + 1 :]]


def places_above(above: list[str]) -> list[int]:
    """The indexes in `above` where a copy of the block below can be: nonblank lines separate the two."""
    return [at for at in range(len(above)) if sum(bool(line.strip()) for line in above[at:]) >= _APART]


def places_below(below: list[str]) -> list[int]:
    """The indexes in `below` where a copy of the block above can be."""
    last = len(below) - (bool(below) and not below[-1])
    return [at for at in range(last + 1) if sum(bool(line.strip()) for line in below[:at]) >= _APART]
