"""A mutator: one kind of damage to how an edit is written. The right answer stays certain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from random import Random
from typing import Generic, Literal, TypeVar

from corpora.mutators.clean_edit import CleanEdit, CleanPatch
from corpora.sample import Format, Provenance, Sample, SeenLines
from editcore.quoting import first_line
from editcore.types import Edit, File

DEGREES = (1, 2, 3, 4, 5)

Truth = Literal["apply", "tolerate", "refuse", "drift", "hazard"]
"""apply       the target exactly
tolerate    the target exactly, or a refusal; the sample's label is apply
refuse      no change: the intended lines are gone from the file, or occur twice
drift       a matter of policy, counted separately: the place is certain, but file and edit say different things
hazard      counted separately: an exact strategy applies the edit, and a person would not want that
"""


@dataclass(frozen=True, slots=True)
class Damaged:
    """An edit as a model might have written it, and its right answer."""

    before: tuple[File, ...]
    target: tuple[File, ...] | None
    """None: the edit must be refused."""
    edits: tuple[Edit, ...] | None = None
    patch: str | None = None
    line: int | None = None
    end_line: int | None = None
    twin: tuple[tuple[File, ...], tuple[File, ...]] | None = None
    """For refusals: files before and after for which the same edit is right. A strategy that refuses everything fails
    them.
    """
    twin_patch: str | None = None
    """For patches that are wrong for any files: the undamaged patch."""
    alternatives: tuple[tuple[File, ...], ...] | None = None
    """Further right results where policies differ: kept lines may stay as the file has them."""
    seen: tuple[File, ...] | None = None
    """The files against which the edit is written, if another hand has changed them since."""
    seen_lines: tuple[SeenLines, ...] | None = None
    """The lines of `seen` that the model was shown, if it was not shown all."""
    reason: str | None = None
    """For refusals: a code such as line_gone, two_equal, malformed, outside or already_applied."""


Clean = TypeVar("Clean", CleanEdit, CleanPatch)
Made = TypeVar("Made", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Mutator(Generic[Clean]):
    """One kind of damage, to an edit of one span or to a whole patch."""

    name: str
    summary: str
    """One line: the damage, and the meaning of the degree."""
    format: Format
    damage: Callable[[Clean, int, Random], Damaged | None]
    """Takes an edit, a degree of 1 to 5, and the only source of randomness. Returns None if the edit cannot be
    damaged.
    """
    truth: Truth = "apply"
    absorber: str | None = None
    """The replacer, or the reading of a patch, that should undo the damage; None if there is none."""
    degrees: tuple[int, ...] = DEGREES
    """The degrees at which the damage differs."""


def text_mutators(
    *damages: Callable[[CleanEdit, int, Random], Damaged | None],
    truth: Truth = "apply",
    absorber: str | None = None,
    degrees: tuple[int, ...] | None = None,
) -> tuple[Mutator[CleanEdit], ...]:
    """A mutator of search texts for each function, named after it; its summary is the first line of the docstring."""
    return tuple(
        Mutator(one.__name__, summary_of(one), "str_replace", one, truth, absorber, degrees or degrees_of(one))
        for one in damages
    )


def named(name: str, summary: str, damage: Made) -> Made:
    """A row of a table of mutators: a short function with its name and summary."""
    damage.__name__, damage.__doc__ = name, summary
    return damage


def of_lines(
    name: str, summary: str, damage: Callable[[CleanEdit, int, Random], Damaged | None]
) -> Callable[[CleanEdit, int, Random], Damaged | None]:
    """A row whose function gets edits of whole lines only."""

    @wraps(damage)
    def of_whole_lines(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
        return damage(clean, degree, random) if clean.whole_lines else None

    return named(name, summary, of_whole_lines)


def degrees_of(damage: Callable[..., object]) -> tuple[int, ...]:
    """(1,) if the function ignores the degree, and therefore has it as `_degree` or in `*_`; otherwise all degrees."""
    parameters = signature(damage).parameters
    return (1,) if "degree" not in parameters and {"_degree", "_"} & parameters.keys() else DEGREES


def summary_of(damage: Callable[..., object]) -> str:
    return first_line(damage.__doc__ or "")


def with_search_text(clean: CleanEdit, old: str, *, new: str | None = None) -> Damaged | None:
    """The edit with another search text (and new text) and the same right answer; None if nothing changes."""
    if old == clean.old and new in (None, clean.new):
        return None
    return edited(clean.path, clean.content, clean.target, Edit(old, clean.new if new is None else new))


def edited(path: str, before: str, target: str, *edits: Edit) -> Damaged:
    """Edits of one file, and the file's right text after them."""
    return Damaged((File(path, before),), (File(path, target),), edits)


def stale_edit(seen: CleanEdit, content: str, *, reason: str) -> Damaged | None:
    """The edit after the file that the model saw has become `content`: it must be refused. None for an unchanged
    file.
    """
    if content == seen.content:
        return None
    return Damaged(
        before=(File(seen.path, content),), target=None, edits=(Edit(seen.old, seen.new),),
        twin=((File(seen.path, seen.content),), (File(seen.path, seen.target),)), reason=reason,
    )  # fmt: skip


def damaged_sample(
    damaged: Damaged, sample_id: str, format: Format, *, tags: tuple[str, ...], provenance: Provenance
) -> Sample:
    """The damaged edit as a sample; without a target, the sample must be refused."""
    return Sample(
        sample_id, format, damaged.before, "refuse" if damaged.target is None else "apply", edits=damaged.edits,
        patch=damaged.patch, line=damaged.line, end_line=damaged.end_line, target=damaged.target,
        alternatives=damaged.alternatives, seen=damaged.seen, seen_lines=damaged.seen_lines,
        label_source="constructed", tags=tags, provenance=provenance,
    )  # fmt: skip
