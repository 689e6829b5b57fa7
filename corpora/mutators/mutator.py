"""A mutator: one kind of damage to how an edit is written, with a right answer that stays certain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from random import Random
from typing import Generic, Literal, TypeVar

from corpora.mutators.clean_edit import CleanEdit, CleanPatch
from corpora.sample import Format, SeenLines
from editcore.quoting import first_line
from editcore.types import Edit, File

DEGREES = (1, 2, 3, 4, 5)

Truth = Literal["apply", "tolerate", "refuse", "drift", "hazard"]
"""
apply       the target exactly
tolerate    the target exactly, or a refusal; the sample's label is apply
refuse      no change: the lines meant are gone from the file, or occur twice
drift       a matter of policy, counted separately: the place is plain, but file and edit say different things
hazard      counted separately: any exact strategy applies the edit, and a person would not want it
"""


@dataclass(frozen=True, slots=True)
class Damaged:
    """An edit as a model might have written it, and the right answer."""

    before: tuple[File, ...]
    target: tuple[File, ...] | None
    """None: the edit must be refused."""
    edits: tuple[Edit, ...] | None = None
    patch: str | None = None
    line: int | None = None
    end_line: int | None = None
    twin: tuple[tuple[File, ...], tuple[File, ...]] | None = None
    """Of refusals: files before and after for which the same edit is right, so that refusing everything is noticed."""
    twin_patch: str | None = None
    """Of refused patches that are wrong for any files: the patch without the damage."""
    alternatives: tuple[tuple[File, ...], ...] | None = None
    """Further right results, where policies differ: lines that the edit keeps stay as the file has them."""
    seen: tuple[File, ...] | None = None
    """The files that the edit is written against, where another hand has changed them since."""
    seen_lines: tuple[SeenLines, ...] | None = None
    """Of the files of `seen`, the lines that were shown, where these were not all."""
    reason: str | None = None
    """Of refusals, a code such as line_gone, two_equal, malformed, outside or already_applied."""


Clean = TypeVar("Clean", CleanEdit, CleanPatch)


@dataclass(frozen=True, slots=True)
class Mutator(Generic[Clean]):
    """One kind of damage, to an edit of one span or to a whole patch."""

    name: str
    summary: str
    """One line: the damage, and what degree stands for."""
    format: Format
    damage: Callable[[Clean, int, Random], Damaged | None]
    """Takes an edit, a degree of 1 to 5 and a source of randomness, which alone decides what is drawn.

    Returns None where the edit cannot be damaged this way.
    """
    truth: Truth = "apply"
    absorber: str | None = None
    """The replacer, or the reading of a patch, that is meant to absorb the damage; None where none is."""
    degrees: tuple[int, ...] = DEGREES
    """The degrees at which the damage differs."""


def text_mutators(
    *damages: Callable[[CleanEdit, int, Random], Damaged | None],
    truth: Truth = "apply",
    absorber: str | None = None,
    degrees: tuple[int, ...] | None = None,
) -> tuple[Mutator[CleanEdit], ...]:
    """Mutators of search texts, one for each function, with its name and the first line of its docstring as summary."""
    return tuple(
        Mutator(one.__name__, summary_of(one), "str_replace", one, truth, absorber, degrees or degrees_of(one))
        for one in damages
    )


def degrees_of(damage: Callable[..., object]) -> tuple[int, ...]:
    """(1,) for a function that ignores the degree, whose parameter is then called `_degree`; otherwise all degrees."""
    return (1,) if "_degree" in signature(damage).parameters else DEGREES


def summary_of(damage: Callable[..., object]) -> str:
    """The first line of a function's docstring."""
    return first_line(damage.__doc__ or "")


def with_search_text(clean: CleanEdit, old: str, *, new: str | None = None) -> Damaged | None:
    """The edit with another search text (and new text), its right answer unchanged; None where nothing changed."""
    if old == clean.old and new in (None, clean.new):
        return None
    return Damaged(
        before=(File(clean.path, clean.content),),
        target=(File(clean.path, clean.target),),
        edits=(Edit(old, clean.new if new is None else new),),
    )


def stale_edit(seen: CleanEdit, content: str, *, reason: str) -> Damaged | None:
    """The edit after the file that the model saw has become `content`: to be refused.

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
