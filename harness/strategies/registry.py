"""Strategies by name: from the user's words to a `Strategy`.

A strategy's name is `family/member`. The table holds the built-in strategies, installed peers (`peer/NAME`), and
plug-ins: entry points of other packages in the group `editgauge.strategies`, which never replace a built-in strategy.
Some names describe strategies that are in no table:

    replacer/block_anchor@similarity=0.5        a variant of a rule (see `harness.strategies.rule_strategies`)
    tool/edit@CASCADE                           a tool with a cascade of the table, or a described one; also
                                                tool/multi_edit@CASCADE and documents/str_replace@CASCADE
    rung:FILE.py:FUNCTION, rung:STRATEGY        a rung of one's own, as `rung/NAME`
    repair/SHAPE@RULE=FILE                      a rule, and a model's answers to its refusals
    cmd:mine=COMMAND                            a program, as `cmd/mine` (see `harness.strategies.external`)
    STRATEGY@step=minimised                     a step behind a match (see `harness.strategies.step_strategies`)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from importlib.metadata import EntryPoint

from corpora.plugins import with_plugins
from corpora.sample import Sample
from editcore.errors import UsageError, did_you_mean, missing_extra
from editcore.formats import EDIT_FORMATS
from editcore.quoting import first_line
from editcore.types import EditResult
from harness.strategies.external import SPEC, command_strategy
from harness.strategies.peers import PEERS, not_installed, peer_strategies
from harness.strategies.rule_strategies import Spec, described_rule, parse_cascade, rule_strategies
from harness.strategies.rung_strategies import SPEC as SPEC_OF_RUNG
from harness.strategies.rung_strategies import rung_strategy, source_files, source_version
from harness.strategies.shell_strategies import shell_strategies
from harness.strategies.step_strategies import OPTION, step_strategy
from harness.strategies.strategy import Strategy
from harness.strategies.tool_strategies import DOCUMENT_STRATEGY, PAIR_TOOLS, pair_tool, tool_strategies

ENTRY_POINTS = "editgauge.strategies"
REPAIRS = "repair/"
FIELD = (
    "cascade/recommended", "cascade/exact", "cascade/reference", "agent/opencode_2", "agent/aider", "agent/cline_v3",
    "agent/copilot", "agent/gemini", "stale/recommended", "begin_patch/codex", "begin_patch/lenient",
    "unified_diff/fuzz", "unified_diff/tolerant", "insert/line", "line_range/lines", "anchors/recommended",
    "shell/careful",
)  # fmt: skip
"""Strategies that stand for the field, at least one for each format: what `run` and `nightly` score by default."""
_MOST_LISTED = 12
"""The most names that an error message lists to choose from."""


@cache
def strategies() -> Mapping[str, Strategy]:
    """Every strategy of the table, by name: rules, tools, peers, then plug-ins."""
    built_in = (*rule_strategies(), *shell_strategies(), *tool_strategies(), *peer_strategies())
    return with_plugins({strategy.name: strategy for strategy in built_in}, "strategy", ENTRY_POINTS, _plugin)


def _plugin(point: EntryPoint) -> tuple[str, Strategy]:
    """Name and strategy of an entry point. A broken entry point raises anything."""
    loaded = point.load()
    if isinstance(loaded, Strategy):
        return loaded.name, replace(loaded, version=_version(point, loaded.version))
    if not callable(loaded):
        raise TypeError(f"{point.value} is not callable")
    function: Callable[[Sample], EditResult] = loaded
    strategy = Strategy(
        point.name, frozenset(EDIT_FORMATS), lambda sample, _: function(sample),
        first_line(function.__doc__ or "") or point.value, _version(point), point.dist.name if point.dist else "?",
    )  # fmt: skip
    return strategy.name, strategy


def _version(point: EntryPoint, package: str = "") -> str:
    """The version of a plug-in, of its package by default, and the hash of its source, which changes with any edit."""
    package = package or (point.dist.version if point.dist else "?")
    files = source_files(sys.modules[point.module])
    return f"{package}+{source_version(*files)}" if files else package


@cache
def strategy(spec: str) -> Strategy:
    """The strategy of that name, from the table or as the name describes it. Raises UsageError if there is none."""
    found = _described(spec) if spec.startswith(SPEC) else strategies().get(spec) or _described(spec)
    if found is None:
        raise _unknown(spec, list(strategies()))
    return found


def _described(spec: str) -> Strategy | None:
    """The strategy that the name itself describes; None for any other name."""
    if OPTION in spec:
        return step_strategy(spec, strategy)
    if spec.startswith(SPEC):
        return command_strategy(spec)
    if spec.startswith(SPEC_OF_RUNG):
        return rung_strategy(spec, strategy)
    if spec.startswith(REPAIRS):
        from harness.strategies.repair_strategies import described_repair_strategy

        return described_repair_strategy(spec, strategy)
    family, tool, cascade, _ = Spec.of(spec)
    if cascade is not None and f"{family}/{tool}" in PAIR_TOOLS and f"{family}/{tool}" in strategies():
        return pair_tool(spec, parse_cascade(cascade, spec=spec))
    return described_rule(spec)


def select(patterns: Iterable[str]) -> list[Strategy]:
    """The strategies that `patterns` name, match or describe: those of the table in its order, then the described
    ones.

    Without patterns the whole table. Raises UsageError for a pattern that matches nothing.
    """
    table, patterns = strategies(), list(patterns)
    described = {spec: found for spec in patterns if spec not in table and (found := _described(spec))}
    globs = [pattern for pattern in patterns if pattern not in described]
    listed = [table[name] for name in matching_names(list(table), globs)] if globs or not described else []
    chosen = {one.name: one for one in [*listed, *described.values()]}
    if len(chosen) < len(listed) + len(described):
        raise UsageError("Two strategies have the same name", "Give each `cmd:NAME=COMMAND` a NAME of its own.")
    return list(chosen.values())


def matching_names(names: Sequence[str], patterns: Iterable[str]) -> list[str]:
    """The `names` that match a name or glob among `patterns`, in their order; without patterns all.

    Raises UsageError for a pattern that matches nothing.
    """
    patterns = list(patterns)
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise _unknown(pattern, names)
    return [name for name in names if not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)]


def _unknown(pattern: str, names: Sequence[str]) -> UsageError:
    """The error for a name or glob that matches no name. Its tip proposes similar ones."""
    family, _, member = pattern.partition("/")
    if family == "peer" and member in PEERS:
        return not_installed(member)
    if pattern == DOCUMENT_STRATEGY:
        return missing_extra("sqlalchemy", extra="tools", needed_by=pattern)
    if len(names) <= _MOST_LISTED:
        tip = f"Choose from: {', '.join(names)}."
    else:
        tip = "See `editgauge ls strategies`; globs such as 'replacer/*' work too."
        if family == "cmd" or " " in pattern:
            tip = f"A program is named by its command: 'cmd:mine=node edit.js'. {tip}"
    return UsageError(f"There is no strategy {pattern!r}", f"{_near(pattern, names)}{tip}")


def _near(pattern: str, names: Sequence[str]) -> str:
    """The start of a tip that proposes names, or globs that match some: "Did you mean a or b? "; empty without any."""
    family, slash, member = pattern.partition("/")
    if not slash:
        with_member = [name for name in names if name.endswith(f"/{pattern}")]
        return f"Did you mean {' or '.join(with_member[:3])}? " if with_member else did_you_mean(pattern, names)
    families = dict.fromkeys(name.partition("/")[0] for name in names)
    in_families = [f"{one}/{member}" for one in families if one != family]
    globs = [glob for glob in in_families if any(fnmatchcase(name, glob) for name in names)]
    peers = [f"peer/{name}" for name in PEERS] if family == "peer" else []
    return did_you_mean(pattern, dict.fromkeys([*names, *globs, *peers]))
