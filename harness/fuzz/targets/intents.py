"""Fuzz targets `intent/*`, `contradiction/*` and `stale/*`: was the written edit meant?

An input is a recipe (see `corpora.generation.recipes`): a text, a span of it, the meant change, and the way a model
writes it. An intent may be refused; an applied one has a result that a reasonable reader accepts. A contradiction is
refused. A stale edit may be refused; an applied one keeps both changes.

Engines only draw recipes, because a line that is changed at random is seldom meant by anybody. Senseless recipes of
other origin are skipped.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from random import Random

from corpora.generation.recipes import KINDS, Kind, Recipe, drawn, is_sensible, mutators_of, sample_of
from corpora.load import load
from corpora.sample import Format, Sample
from editcore.formats import ANCHORED_FORMATS
from editcore.types import Applied
from harness.fuzz.finding import Violation, decision
from harness.fuzz.generators import Generator
from harness.fuzz.generators.writing import in_blocks
from harness.fuzz.inputs import Fields
from harness.fuzz.properties.meant import is_accepted
from harness.fuzz.target import Check
from harness.strategies.strategy import Strategy

FORMATS: tuple[Format, ...] = ("str_replace", "search_replace", "unified_diff", "begin_patch")
_STALE_FORMATS: tuple[Format, ...] = ("str_replace", "search_replace", "unified_diff", "begin_patch", "insert")
CAREFUL = ("tier/*", "*/recommended", "cascade/exact")
"""Globs of the strategies that write nothing unmeant."""
_LITERAL, _JOINING = ("tier/exact", "cascade/exact"), "newline_only_in_find"
"""Strategies that write the new text as it is, and the mutator whose lines they therefore join."""
_CORPUS = "house"
"""The corpus whose files are drawn besides made-up ones. It ships, and has 22 languages."""


def recipe_of(fields: Fields) -> Recipe | None:
    """The recipe that fields encode; None if they encode none."""
    if len(fields) != len(Recipe._fields) or not all(number.isdecimal() and len(number) < 7 for number in fields[6:]):
        return None
    path, above, old, below, new, mutator, degree, seed = fields
    return Recipe(path, above, old, below, new, mutator, int(degree), int(seed))


def drawing(kind: Kind, format: Format) -> Generator:
    """A generator of the fields of recipes."""

    def draw(random: Random) -> Fields:
        return tuple(map(str, drawn(random, kind, drawn_as(format), files())))

    return draw


def checking(strategy: Strategy, kind: Kind, format: Format) -> Check:
    """The check that a strategy applies only edits as they were meant."""

    def check(fields: Fields, _: bool) -> tuple[Violation, ...]:
        recipe = recipe_of(fields)
        sample = made(recipe, format) if recipe and is_sensible(recipe) else None
        if recipe is None or sample is None or not strategy.takes(sample):
            return ()
        if recipe.mutator not in {mutator.name for mutator in mutators_of(kind, drawn_as(format))}:
            return ()
        if strategy.name in _LITERAL and recipe.mutator == _JOINING:
            return ()
        result = strategy.apply(sample, None)
        if not isinstance(result, Applied) or is_accepted(sample, result):
            return ()
        # Others than these guess by design, in too many ways to name each.
        is_careful = any(fnmatchcase(strategy.name, glob) for glob in CAREFUL)
        how = f"{decision(result)}: {recipe.mutator}" if is_careful else decision(result)
        detail = f"{recipe.mutator} {recipe.degree} is applied by {decision(result)}, "
        meant = "though it contradicts the file" if kind == "contradiction" else "to another text than was meant"
        return (Violation("nothing_unmeant", how, detail + meant),)

    return check


def made(recipe: Recipe, format: Format) -> Sample | None:
    """The sample of a recipe in a format."""
    sample = sample_of(recipe, drawn_as(format))
    return sample if sample is None or format != "search_replace" else in_blocks(sample)


def drawn_as(format: Format) -> Format:
    """The format in which recipes are drawn for a format: search/replace blocks are made of pairs of texts."""
    return "str_replace" if format == "search_replace" else format


@cache
def files() -> tuple[tuple[str, str], ...]:
    """Name and text of each file of the corpus that ships."""
    found = {file.content: file.path for sample in load(_CORPUS) for file in sample.before}
    return tuple((path, content) for content, path in found.items() if "\r" not in content)


def asked_of(strategy: Strategy) -> tuple[tuple[Kind, Format], ...]:
    """The kinds of recipes that a strategy is asked, each with a format; none for tools, replacers and programs.

    A rule for stale edits is asked stale edits in every format, because the rest is its cascade's. A rule for
    anchored edits is asked in each of its formats.
    """
    if strategy.name.startswith("stale/"):
        return tuple([("stale", format) for format in _STALE_FORMATS if format in strategy.formats])
    kinds = tuple(kind for kind in KINDS if kind != "stale")
    if strategy.name.startswith("anchors/"):
        kinds = tuple(kind for kind in kinds if kind != "slips")
        return tuple((kind, format) for kind in kinds for format in ANCHORED_FORMATS if format in strategy.formats)
    format = format_of(strategy)
    return () if format is None else tuple((kind, format) for kind in kinds)


def format_of(strategy: Strategy) -> Format | None:
    """The format in which a strategy is asked intents and contradictions; None for no format or several."""
    family = strategy.name.partition("/")[0]
    if family in ("cascade", "tier", "agent") and "str_replace" in strategy.formats:
        return "str_replace"
    if family in ("search_replace", "unified_diff", "begin_patch", "agent"):
        return next((format for format in FORMATS[1:] if format in strategy.formats), None)
    return None
