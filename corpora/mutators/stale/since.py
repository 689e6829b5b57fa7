"""A text that has changed since a model saw it, and what its edit should make of the text of now.

A family is a function that makes one of a clean edit, whose file is what was seen; `mutators_of` writes its edits in
the formats that it has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any, NamedTuple

from corpora.mutators.clean_edit import CleanEdit, CleanPatch
from corpora.mutators.mutator import Damaged, Mutator, Truth, summary_of
from corpora.mutators.patch_lines import PATCH_ENDINGS, PatchFormat, render_patch
from corpora.mutators.spans import span_of
from editcore.types import Edit, File


@dataclass(frozen=True, slots=True)
class Since:
    """What became of a text that was seen."""

    seen: CleanEdit
    """The edit of the text that was seen."""
    now: str
    target: str | None
    """The right result for the text of now; None: the edit must be refused."""
    alternatives: tuple[str, ...] = ()
    reason: str | None = None
    """Of refusals, as in `Damaged`."""
    edits: tuple[Edit, ...] | None = None
    """The edit as it is written, if not as one pair of the span's texts."""
    seen_target: str | None = None
    """What those edits make of the text that was seen."""


Family = Callable[[CleanEdit, int, Random], Since | None]


class Parts(NamedTuple):
    """A text in three parts, as lines: those that have the span of an edit, and those above and below."""

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
    """The lines of the span that the edit keeps together with those next to them, wherever they stand once."""
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
    """The lines of the span that say something and that the edit does not keep, wherever."""
    kept = {line.strip() for line in parts.new}
    return [n for n, line in enumerate(parts.span) if line.strip() and line.strip() not in kept]


def mutators_of(
    family: Family,
    truth: Truth,
    *,
    degrees: tuple[int, ...] = (1,),
    patches: bool = True,
    in_patches: Truth | None = None,
    context: int = 0,
) -> tuple[Mutator[Any], ...]:
    """A mutator of search text, and of patches one of each format whose name ends in _diff and _envelope.

    Of a patch, the family gets the changed lines and so many about them.
    """
    name = f"since_{family.__name__}"
    summary = summary_since(family)
    found: list[Mutator[Any]] = [
        Mutator(name, summary, "str_replace", partial(_as_pairs, family), truth, degrees=degrees)
    ]
    for format, ending in PATCH_ENDINGS if patches else ():
        damage = partial(_as_patch, family, format, context)
        found.append(Mutator(f"{name}_{ending}", summary, format, damage, in_patches or truth, degrees=degrees))
    return tuple(found)


def summary_since(function: Callable[..., object]) -> str:
    """The first line of a function's docstring, which says what happened since."""
    happened = summary_of(function)
    return f"Since the file was seen: {happened[0].lower()}{happened[1:]}"


def _as_pairs(family: Family, clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    since = family(clean, degree, random)
    if since is None or since.now == since.seen.content or since.now == since.target:
        return None
    edits = since.edits or (Edit(since.seen.old, since.seen.new),)
    one = as_damaged(since, since.seen_target or since.seen.target)
    return replace(one, edits=edits)


def as_damaged(since: Since, seen_target: str) -> Damaged:
    """The files of an edit that is still to be written; of a refusal, the twin is the text that was seen."""
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
    """The edit of the first file of a patch, as a patch of what was seen of it."""
    since = family(span_of(patch.before[0], patch.target[0].content, context), degree, random)
    if since is None or since.now == since.seen.content or since.now == since.target:
        return None
    seen, target = (File(since.seen.path, text) for text in (since.seen.content, since.seen.target))
    written = render_patch(CleanPatch((seen,), (target,)), format)
    return None if written is None else replace(as_damaged(since, target.content), patch=written.text)
