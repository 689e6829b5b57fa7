"""A mutator: one kind of damage to how an edit is written. The right answer stays certain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from random import Random
from typing import Generic, Literal, TypeVar

from corpora.mutators.clean_edit import CleanEdit, CleanPatch, Damaged, Unfit
from corpora.sample import Format, Provenance, Sample
from editcore.quoting import first_line

DEGREES = (1, 2, 3, 4, 5)

Truth = Literal["apply", "tolerate", "refuse", "drift", "hazard"]
"""apply       the target exactly
tolerate    the target exactly, or a refusal; the sample's label is apply
refuse      no change: the intended lines are gone from the file, or occur twice
drift       a matter of policy, counted separately: the place is certain, but file and edit say different things
hazard      counted separately: an exact strategy applies the edit, and a person would not want that
"""


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
    """Takes an edit, a degree of 1 to 5, and the only source of randomness. Returns None, or raises Unfit, if the edit
    cannot be damaged.
    """
    truth: Truth = "apply"
    absorber: str | None = None
    """The replacer, or the reading of a patch, that should undo the damage; None if there is none."""
    degrees: tuple[int, ...] = DEGREES
    """The degrees at which the damage differs."""

    def damaged(self, clean: Clean, degree: int, random: Random) -> Damaged | None:
        """The damaged edit; None if the edit cannot be damaged."""
        try:
            return self.damage(clean, degree, random)
        except Unfit:
            return None


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
