"""Recipes: intents and contradictions, drawn one at a time, each with all results that a reasonable reader accepts.

    recipe   a text in three parts, the middle one of which is to be replaced; its new text; a mutator and its degree
    sample   the file, the edit as a model might have written it, and its right answers

An intent is meant, and written off as models write: its damage is undone or the edit refused. A contradiction keeps a
line that the file has otherwise, or names lines by anchors that are not theirs: it must be refused. A stale edit is
written against what was seen of a file that has changed since. Where the place of its edit is not certain, a recipe
makes no sample. One that was changed or cut otherwise than by `redrawn` may be of a change that nobody can mean: see
`is_sensible`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any, Literal, NamedTuple

from corpora.generation.audit import ambiguity
from corpora.generation.drawn_files import drawn_file
from corpora.generation.referee import objection
from corpora.generation.sources import changed_text
from corpora.mutators import MUTATORS
from corpora.mutators.clean_edit import CleanEdit, CleanPatch
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.notebooks import NOTEBOOK_MUTATORS
from corpora.mutators.spans import indentation
from corpora.mutators.stale import STALE_MUTATORS
from corpora.mutators.words import invented_statement
from corpora.sample import Format, Provenance, Sample
from editcore.formats import ANCHORED_FORMATS
from editcore.types import File

Kind = Literal["intent", "contradiction", "stale"]
KINDS: tuple[Kind, ...] = ("intent", "contradiction", "stale")
_MOST_LINES, _MOST_CONTEXT = 8, 25
"""Lines of a span, and on either side of it."""
_BEGINS_BLOCK = re.compile(r"[:{(\[>]$|\b(?:then|do|else)$|^(?:if|else|for|while|switch|match|case)\b")
"""What a line ends or begins with that puts those below it into a block."""
_FEWEST = 8
"""Letters and digits that the lines of a span must have, to say something."""
_NOBODY = Provenance()


class Recipe(NamedTuple):
    """What makes a sample."""

    path: str
    above: str
    """The text above the span, whole lines."""
    old: str
    """The lines of the span, without the last line feed."""
    below: str
    """The rest of the file; empty or beginning with a line feed."""
    new: str
    mutator: str
    degree: int
    seed: int


@cache
def mutators_of(kind: Kind, format: Format) -> tuple[Mutator[Any], ...]:
    """The mutators that make recipes of a kind in a format."""
    stale = [one for one in STALE_MUTATORS if one.format == format]
    if kind == "stale":
        return tuple(stale)
    apart = (*STALE_MUTATORS, *NOTEBOOK_MUTATORS)  # Of a notebook's code its file has another text.
    of_format = [one for one in MUTATORS.values() if one.format == format and one not in apart]
    if kind == "contradiction":
        is_anchored = format in ANCHORED_FORMATS
        return tuple(
            one for one in of_format if one.name.startswith("contradiction_") or (is_anchored and one.truth == "refuse")
        )
    return tuple(one for one in of_format if one.truth in ("apply", "tolerate") and one.name not in _WITHIN_LINES)


_WITHIN_LINES = {"renamed_everywhere", "dollars_everywhere"}
"""Mutators of edits that replace all occurrences of a word, which says nothing of a place."""


def drawn(random: Random, kind: Kind, format: Format, files: Sequence[tuple[str, str]] = ()) -> Recipe:
    """A recipe; of one of the files, given as name and text, or of a drawn one, as often."""
    path, text = random.choice(files) if files and random.random() < 0.5 else drawn_file(random)
    return _written(_change_of(path, text, random), random, kind, format)


def redrawn(recipe: Recipe, random: Random, kind: Kind, format: Format) -> Recipe:
    """The recipe with some of it drawn anew: what is meant in the same text, or how the same is written."""
    if random.random() < 0.5:
        recipe = _change_of(recipe.path, recipe.above + recipe.old + recipe.below, random)
    return _written(recipe, random, kind, format)


def _change_of(path: str, text: str, random: Random) -> Recipe:
    """A span of a text with the lines about it, and its new text."""
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
    """Another text for the span: a part of it changed, or lines added or taken away above or below."""
    lines = old.split("\n")
    added = indentation(next(filter(str.strip, lines), "")) + invented_statement(path, random)
    ways = [changed_text(old, random)] * 3
    ways += [f"{added}\n{old}", f"{old}\n{added}", "\n".join(lines[:-1]), "\n".join(lines[1:])]
    chosen = random.choice(ways)
    return old + " " if chosen is None or _empties_a_block(old, chosen) else chosen


def _empties_a_block(old: str, new: str) -> bool:
    """Whether a line is put just below one that begins a block, but not into it: nobody can mean that."""
    pairs = set(pairwise(new.split("\n"))) - set(pairwise(old.split("\n")))
    return any(
        _BEGINS_BLOCK.search(above.strip()) and below.strip() and len(indentation(below)) <= len(indentation(above))
        for above, below in pairs
    )


def sample_of(recipe: Recipe, format: Format) -> Sample | None:
    """The sample that a recipe makes; None if it makes none whose right answer is certain."""
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
    damaged = mutator.damage(_given(clean, format), recipe.degree, Random(recipe.seed))
    if damaged is None or not damaged.before:
        return None
    sample = _sample(damaged, format, recipe)
    return None if objection(sample) else sample


def is_sensible(recipe: Recipe) -> bool:
    """Whether somebody can mean the change: plain lines that say something, indented as those of the span are.

    Drawn recipes are sensible by the way they are made, also where this says no. Those that are changed at random or
    cut, as findings are, often are not: of a new text that is indented as no line of the old one, or has blank lines
    at its ends of its own, nobody can say what was meant.
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
    """Whether a line has some letters or digits, or is brackets alone."""
    text = line.strip()
    return sum(map(str.isalnum, text)) > _FEWEST // 2 or all(char in "(){}[];,`" for char in text)


def _given(clean: CleanEdit, format: Format) -> CleanEdit | CleanPatch:
    if format in ("str_replace", "insert", *ANCHORED_FORMATS):
        return clean
    return CleanPatch((File(clean.path, clean.content),), (File(clean.path, clean.target),))


def _sample(damaged: Damaged, format: Format, recipe: Recipe) -> Sample:
    return Sample(
        f"{recipe.mutator}-{recipe.degree}",
        format,
        damaged.before,
        "refuse" if damaged.target is None else "apply",
        edits=damaged.edits,
        patch=damaged.patch,
        line=damaged.line,
        target=damaged.target,
        alternatives=damaged.alternatives,
        seen=damaged.seen,
        seen_lines=damaged.seen_lines,
        tags=(f"refuse:{damaged.reason or recipe.mutator}",) if damaged.target is None else (),
        label_source="constructed",
        provenance=_NOBODY,
    )
