"""The table of fuzz targets, by name. `editgauge ls targets` lists them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache

from editcore.errors import UsageError, did_you_mean
from harness.fuzz.target import Target
from harness.fuzz.targets.of_strategies import differential_targets, format_of, strategy_target, strategy_targets
from harness.strategies.registry import matching_names, strategies

__all__ = ["differential_targets", "select_targets", "strategy_targets", "target_by_name", "targets"]


@cache
def targets() -> Mapping[str, Target]:
    """Every target, by name: strategies in the order of their table, then the others. Peers are left out."""
    from harness.fuzz.targets.table import all_targets  # A second, which a worker for a program does not need.

    return all_targets()


def select_targets(patterns: Sequence[str], *, similar: Iterable[str] = ()) -> list[Target]:
    """The targets that names or globs stand for, in the order of the table.

    Raises UsageError for a pattern that matches nothing; its tip suggests similar names of targets and of `similar`.
    """
    table = targets()
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in table):
            if pattern.startswith("cmd:") or "@" in pattern:
                raise UsageError(
                    f"There is no fuzz target {pattern!r}",
                    f"A strategy is fuzzed by -s: editgauge fuzz -s {shlex.quote(pattern)}",
                )
            near = did_you_mean(pattern, [*table, *similar])
            raise UsageError(f"There is no fuzz target {pattern!r}", f"{near}See `editgauge ls targets`.")
    return [table[name] for name in matching_names(list(table), patterns)]


def target_by_name(name: str, specs: Sequence[str]) -> Target:
    """The target of that name, from the table or made of the given strategies. Worker processes call this too."""
    if not specs:
        one = strategies().get(name)
        return select_targets([name])[0] if one is None else strategy_target(one, format_of(one))
    made = differential_targets(specs) if name.startswith("differential") else strategy_targets(specs[0])
    return next(target for target in made if target.name == name)
