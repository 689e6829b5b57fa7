"""What a mutator is: one kind of damage to the way an edit is written, with a right answer that stays certain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Generic, Literal, TypeVar

from corpora.mutators.clean_edit import CleanEdit, CleanPatch
from corpora.sample import Format
from editcore.types import Edit, File

SEVERITIES = (1, 2, 3, 4, 5)

Truth = Literal["apply", "tolerate", "refuse", "drift", "hazard"]
"""
apply       the target exactly
tolerate    the target exactly, or a refusal; the sample's label is apply
refuse      nothing may change: the lines meant are gone from the file, or stand there twice
drift       the place is plain, but the file says something else there than the edit does: policy, counted apart
hazard      strategies agree on what to do, and a person would not like it: counted apart
"""


@dataclass(frozen=True, slots=True)
class Damaged:
    """An edit as a model might have written it, and what is right."""

    before: tuple[File, ...]
    target: tuple[File, ...] | None
    """None: it must be refused."""
    edits: tuple[Edit, ...] | None = None
    patch: str | None = None
    line: int | None = None
    end_line: int | None = None
    twin: tuple[tuple[File, ...], tuple[File, ...]] | None = None
    """Of refusals: files before and after where the very same edit is right, so that refusing everything shows."""
    twin_patch: str | None = None
    """Of refused patches that are wrong wherever they are applied: the patch without the damage."""
    reason: str | None = None
    """Of refusals, a code: line_gone, two_equal, malformed, outside, already_applied, ..."""


Clean = TypeVar("Clean", CleanEdit, CleanPatch)


@dataclass(frozen=True, slots=True)
class Mutator(Generic[Clean]):
    """One kind of damage, to an edit of one span or to a whole patch."""

    name: str
    summary: str
    """One line: what it does to the edit, and what its severity changes."""
    format: Format
    damage: Callable[[Clean, int, Random], Damaged | None]
    """Takes a severity of 1 to 5. None where the edit cannot be damaged so. The same Random, the same damage."""
    truth: Truth = "apply"
    absorber: str | None = None
    """The replacer, or the reading of a patch, that is meant to absorb it; None where none is."""
    severities: tuple[int, ...] = SEVERITIES
    """The steps that differ."""


def with_search_text(clean: CleanEdit, old: str, *, new: str | None = None) -> Damaged | None:
    """The edit with another find (and another replacement text), the truth as it was; None where nothing changed."""
    if old == clean.old and new in (None, clean.new):
        return None
    return Damaged(
        before=(File(clean.path, clean.content),),
        target=(File(clean.path, clean.target),),
        edits=(Edit(old, clean.new if new is None else new),),
    )


def stale_edit(seen: CleanEdit, content: str, *, reason: str) -> Damaged | None:
    """The edit, right in the file that the model saw, after that file has become `content`: to be refused.

    None where the file did not change.
    """
    if content == seen.content:
        return None
    return Damaged(
        before=(File(seen.path, content),),
        target=None,
        edits=(Edit(seen.old, seen.new),),
        twin=((File(seen.path, seen.content),), (File(seen.path, seen.target),)),
        reason=reason,
    )
