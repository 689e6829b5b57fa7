"""Recipes: intents, contradictions and stale edits, drawn one at a time, with every result that a reader may accept.

    recipe   a text in three parts, whose middle is to be replaced; the new text; a mutator and its degree
    sample   the file, the edit as a model might have written it, and its right answers

    intent          the edit has one meaning, but its texts are written badly: its damage is undone, or it is refused
    slips           an intent whose texts have two or three kinds of damage at once
    contradiction   the edit quotes a line that differs in the file, or has anchors of other lines: it must be refused
    stale           the edit is written against an older text of the file

A recipe makes no sample if the place of its edit is uncertain. Recipes that were not made by `drawn` may
contain a change that nobody can mean: see `is_sensible`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any, Literal, NamedTuple

from corpora.generation.drawn_files import drawn_file
from corpora.generation.referee import objection
from corpora.generation.sources import ambiguity, changed_text
from corpora.mutators import MUTATORS, STALE_MUTATORS
from corpora.mutators.clean_edit import CleanEdit, CleanPatch
from corpora.mutators.mutator import Mutator, damaged_sample
from corpora.mutators.notebooks import NOTEBOOK_MUTATORS
from corpora.mutators.spans import indentation
from corpora.mutators.words import invented_statement
from corpora.sample import Format, Provenance, Sample
from editcore.formats import ANCHORED_FORMATS
from editcore.types import File

Kind = Literal["intent", "slips", "contradiction", "stale"]
KINDS: tuple[Kind, ...] = ("intent", "slips", "contradiction", "stale")
_SLIPS = ("two_slips", "three_slips", "intent_two_slips", "intent_three_slips")
_MOST_LINES, _MOST_CONTEXT = 8, 25
"""The most lines of a span, and on either side of it."""
_BEGINS_BLOCK = re.compile(r"[:{(\[>]$|\b(?:then|do|else)$|^(?:if|else|for|while|switch|match|case)\b")
"""The ends and beginnings of lines that put the lines below into a block."""
_FEWEST = 8
"""The least letters and digits of a span that can be identified."""
_NOBODY = Provenance()


class Recipe(NamedTuple):
    """The ingredients of one sample."""

    path: str
    above: str
    """The text above the span: whole lines."""
    old: str
    """The lines of the span, without the last line feed."""
    below: str
    """The rest of the file; empty, or begins with a line feed."""
    new: str
    mutator: str
    degree: int
    seed: int


@cache
def mutators_of(kind: Kind, format: Format) -> tuple[Mutator[Any], ...]:
    """The mutators that make recipes of this kind in this format."""
    stale = [one for one in STALE_MUTATORS if one.format == format]
    if kind == "stale":
        return tuple(stale)
    apart = (*STALE_MUTATORS, *NOTEBOOK_MUTATORS)  # Their files are not the drawn text.
    of_format = [one for one in MUTATORS.values() if one.format == format and one not in apart]
    if kind == "slips":
        return tuple(one for one in of_format if one.name.startswith(_SLIPS))
    if kind == "contradiction":
        is_anchored = format in ANCHORED_FORMATS
        return tuple(
            one for one in of_format if one.name.startswith("contradiction_") or (is_anchored and one.truth == "refuse")
        )
    return tuple(one for one in of_format if one.truth in ("apply", "tolerate") and one.name not in _WITHIN_LINES)


_WITHIN_LINES = {"renamed_everywhere", "dollars_everywhere"}
"""Mutators whose edits replace all occurrences of a word: such an edit has no single place."""


def drawn(random: Random, kind: Kind, format: Format, files: Sequence[tuple[str, str]] = ()) -> Recipe:
    """A new recipe: half of the time of one of `files` (name, text), otherwise of a drawn file."""
    path, text = random.choice(files) if files and random.random() < 0.5 else drawn_file(random)
    return _written(_change_of(path, text, random), random, kind, format)


def _change_of(path: str, text: str, random: Random) -> Recipe:
    """A span of a text with the lines around it, and its new text."""
    lines = text.split("\n")
    first = random.randrange(len(lines))
    last = min(first + random.choice((1, 2, 3, 3, 4, 5, random.randint(1, _MOST_LINES))), len(lines))
    above = lines[max(first - random.randint(0, _MOST_CONTEXT), 0) : first]
    below = lines[last : last + random.randint(0, _MOST_CONTEXT)]
    old = "\n".join(lines[first:last])
    written = "".join([f"{line}\n" for line in above]), old, "".join([f"\n{line}" for line in below])
    return Recipe(path, *written, _new_text(path, old, random), "", 0, 0)


def _written(change: Recipe, random: Random, kind: Kind, format: Format) -> Recipe:
    """The change as a mutator writes it."""
    mutator = random.choice(mutators_of(kind, format))
    degree = random.choice(mutator.degrees)
    return change._replace(mutator=mutator.name, degree=degree, seed=random.randrange(1 << 16))


def _new_text(path: str, old: str, random: Random) -> str:
    """Another text for the span: a part of it changed, or lines added or removed at an end."""
    lines = old.split("\n")
    added = indentation(next(filter(str.strip, lines), "")) + invented_statement(path, random)
    ways = [changed_text(old, random)] * 3
    ways += [f"{added}\n{old}", f"{old}\n{added}", "\n".join(lines[:-1]), "\n".join(lines[1:])]
    chosen = random.choice(ways)
    return old + " " if chosen is None or _empties_a_block(old, chosen) else chosen


def _empties_a_block(old: str, new: str) -> bool:
    """True if a line is put directly below a line that begins a block, but is not indented into it: nobody can mean
    that.
    """
    pairs = set(pairwise(new.split("\n"))) - set(pairwise(old.split("\n")))
    return any(
        _BEGINS_BLOCK.search(above.strip()) and below.strip() and len(indentation(below)) <= len(indentation(above))
        for above, below in pairs
    )


def sample_of(recipe: Recipe, format: Format) -> Sample | None:
    """The sample of a recipe; None if the recipe has no certain right answer."""
    mutator = MUTATORS.get(recipe.mutator)
    if mutator is None or mutator.format != format or not 1 <= recipe.degree <= 5:
        return None
    content = recipe.above + recipe.old + recipe.below
    if "\r" in content or not recipe.old.strip() or recipe.old == recipe.new:
        return None
    if (recipe.above and recipe.above[-1] != "\n") or (recipe.below and recipe.below[0] != "\n"):
        return None
    start = len(recipe.above)
    clean = CleanEdit(recipe.path, content, start, start + len(recipe.old), recipe.new)
    if clean.target == content or ambiguity(clean):
        return None
    damaged = mutator.damaged(_given(clean, format), recipe.degree, Random(recipe.seed))
    if damaged is None or not damaged.before:
        return None
    tags = (f"refuse:{damaged.reason or recipe.mutator}",) if damaged.target is None else ()
    sample = damaged_sample(damaged, f"{recipe.mutator}-{recipe.degree}", format, tags=tags, provenance=_NOBODY)
    return None if objection(sample) else sample


def is_sensible(recipe: Recipe) -> bool:
    """True if somebody can mean the change: plain lines with letters or digits, indented like lines of the span.

    Drawn recipes are sensible by construction, even if this function says no. Recipes that were changed at random or
    cut down often are not: for example, nobody can say what was meant by a new text with an indentation that no line
    of the old text has.
    """
    old, new = recipe.old.split("\n"), recipe.new.split("\n")
    is_plain = all(char.isprintable() or char in "\n\t" for text in recipe[1:5] for char in text)
    says = sum(map(str.isalnum, recipe.old)) >= _FEWEST and "." in recipe.path[1:]
    if not is_plain or not says or recipe.old == recipe.new:
        return False
    if not recipe.new:
        return True
    depths = {indentation(line) for line in old if line.strip()}
    if not all(_says_something(line) and indentation(line) in depths for line in (*old, *new) if line.strip()):
        return False
    return all(one.strip() or not other.strip() for one, other in ((new[0], old[0]), (new[-1], old[-1])))


def _says_something(line: str) -> bool:
    """True if a line has a few letters or digits, or consists of brackets."""
    text = line.strip()
    return sum(map(str.isalnum, text)) > _FEWEST // 2 or all(char in "(){}[];,`" for char in text)


def _given(clean: CleanEdit, format: Format) -> CleanEdit | CleanPatch:
    if format in ("str_replace", "insert", *ANCHORED_FORMATS):
        return clean
    return CleanPatch((File(clean.path, clean.content),), (File(clean.path, clean.target),))
