"""Drill: how often a strategy writes what was not meant, by a million recipes of each kind.

Each trial draws one recipe in the format of some strategies and asks all of them. Only recipes with certain right
answers count. The numbers depend on the seed, not on the number of processes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import starmap
from math import inf
from random import Random
from time import monotonic
from types import MappingProxyType
from typing import NamedTuple

from corpora.generation.recipes import KINDS, Kind, drawn
from corpora.sample import Format
from editcore.errors import UsageError
from editcore.types import Applied
from harness.fuzz.drills.drill import Drill, DrillSettings, Trial, in_processes
from harness.fuzz.finding import decision
from harness.fuzz.properties.meant import is_accepted
from harness.fuzz.targets.intents import asked_of, drawn_as, files, made
from harness.strategies.registry import strategies, strategy
from harness.strategies.strategy import Strategy

_RUNS = 20_000
_BATCH = 500
"""Recipes that a worker process draws at a time."""
_MILLION = 1_000_000
_PLURAL: Mapping[Kind, str] = MappingProxyType(
    {"intent": "intents", "slips": "slips", "contradiction": "contradictions", "stale": "stale edits"}
)


class Counts(NamedTuple):
    """The results of a strategy for the recipes of one kind with certain answers."""

    n: int
    applied_by: Mapping[str, int]
    """Deciding rule -> number of applied edits."""
    wrong_by: Mapping[str, int]
    """Deciding rule and mutator of the edit -> number of applied edits that no reasonable reader accepts."""

    @property
    def n_applied(self) -> int:
        """All applied edits."""
        return sum(self.applied_by.values())

    @property
    def n_wrong(self) -> int:
        """Applied edits that no reasonable reader accepts. Every applied contradiction is one."""
        return sum(self.wrong_by.values())

    @property
    def per_million(self) -> float:
        """Wrong edits for each million of certain recipes."""
        return self.n_wrong * _MILLION / self.n if self.n else 0.0


def counts(
    chosen: Sequence[Strategy], kind: Kind, *, runs: int, seed: int = 0, until: float = inf
) -> dict[str, Counts]:
    """Name -> the counts of each strategy, of `runs` draws; of fewer if `until`, a time by `monotonic`, comes first.

    Raises UsageError if a worker process is killed.
    """
    found: Counter[tuple[str, str, str]] = Counter()
    groups: dict[Format, list[str]] = {}
    for one in chosen:
        for format in _formats(one, kind):
            groups.setdefault(format, []).append(one.spec)
    jobs = [
        (names, kind, format, seed, start, min(start + _BATCH, runs), until)
        for start in range(0, runs, _BATCH)
        for format, names in groups.items()
    ]
    for batch in in_processes("oracle", _batch, jobs) if runs > _BATCH else starmap(_batch, jobs):
        found.update(batch)
    return {one.name: _counts_in(found, one.name) for one in chosen if _formats(one, kind)}


def _formats(strategy: Strategy, kind: Kind) -> list[Format]:
    return [format for one, format in asked_of(strategy) if one == kind]


def _counts_in(found: Mapping[tuple[str, str, str], int], name: str) -> Counts:
    mine = {(what, how): n for (one, what, how), n in sorted(found.items()) if one == name}
    applied_by, wrong_by = (
        {how: n for (what, how), n in mine.items() if what == kind} for kind in ("applied", "wrong")
    )
    return Counts(mine.get(("asked", ""), 0), applied_by, wrong_by)


def _batch(
    names: Sequence[str], kind: Kind, format: Format, seed: int, start: int, end: int, until: float
) -> Counter[tuple[str, str, str]]:
    """(strategy, what, how) -> number, over the draws from `start` to `end`."""
    found: Counter[tuple[str, str, str]] = Counter()
    chosen = [strategy(name) for name in names]
    for number in range(start, end):
        if monotonic() > until:
            break
        recipe = drawn(Random(f"{seed}/{kind}/{drawn_as(format)}/{number}"), kind, drawn_as(format), files())
        sample = made(recipe, format)
        if sample is None:
            continue
        for one in chosen:
            found[one.name, "asked", ""] += 1
            result = one.apply(sample, None)
            if isinstance(result, Applied):
                how = decision(result)
                found[one.name, "applied", how] += 1
                if not is_accepted(sample, result):
                    found[one.name, "wrong", f"{how}: {recipe.mutator}"] += 1
    return found


def _trials(settings: DrillSettings) -> Iterator[Trial]:
    named = settings.strategies or (
        "cascade/*",
        "tier/*",
        "search_replace/*",
        "unified_diff/*",
        "begin_patch/*",
        "stale/*",
    )
    chosen = [one for name in named for one in _named(name)]
    for kind in KINDS:
        found = counts(chosen, kind, runs=settings.runs or _RUNS, seed=settings.seed, until=settings.deadline())
        for name, one in found.items():
            figures = {
                "applied per million": one.n_applied * _MILLION / max(one.n, 1),
                "wrong per million": one.per_million,
            }
            yield Trial(f"{_PLURAL[kind]}, {name}", "", figures=figures, n=one.n)


def _named(name: str) -> list[Strategy]:
    """The strategies that a name or a glob stands for. Raises UsageError if the oracle asks none of them."""
    found = strategies().values() if "*" in name else [strategy(name)]
    asked = [one for one in found if fnmatchcase(one.name, name) and asked_of(one)]
    if not asked:
        raise UsageError(
            f"The oracle asks no strategy {name!r}",
            "It asks cascades, tiers, agents, readings and rules for stale edits: see `editgauge ls strategies`.",
        )
    return asked


ORACLE = Drill(
    "oracle",
    "How often what is written was not meant, by drawn intents and contradictions; -s names strategies.",
    _trials,
    frozenset({"seed", "strategies"}),
)
