"""Known findings: properties that built-in strategies break by design, each with its smallest input; and counts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import NamedTuple

from harness.fuzz.finding import Finding, Key, read_findings
from harness.fuzz.properties import promises
from harness.strategies.registry import strategies
from harness.strategies.strategy import Strategy
from reports.history.fuzz_nights import told
from reports.runs.manifest import Unmeant

KNOWN = Path(__file__).with_name("known.jsonl")
COUNTED = Path(__file__).parents[1] / "unmeant.jsonl"
"""The counts of the drill `oracle` for each built-in strategy; `python -m docs.oracle` counts anew."""


@cache
def known_findings() -> tuple[Finding, ...]:
    """The known findings that ship."""
    return tuple(read_findings(KNOWN)) if KNOWN.exists() else ()


def known_keys(target: str, kept: Iterable[Finding] = ()) -> set[Key]:
    """Keys of the known findings of a target: those that ship, and those among the ones that are kept."""
    return {finding.key for finding in (*known_findings(), *kept) if finding.target == target}


def kept_findings(folder: Path) -> tuple[list[Finding], list[Finding]]:
    """The findings in a folder of fuzzing: those that were reported, and those that nobody was told of.

    The latter are of campaigns that were killed.
    """
    reported = told(folder)
    found = [one for path in sorted((folder / "findings").glob("*.jsonl")) for one in read_findings(path)]
    return [one for one in found if one.id in reported], [one for one in found if one.id not in reported]


_ONCE = "its rule asks whether a text occurs once, not whether there is one place: the next replacer may decide"
_ALIKE = "text that differs in whitespace only, or is between the same lines, is taken if the search text is missing"
_AS_CODEX = "as Codex 0.169 does, which this reading reproduces: it writes section by section, to any path"

_GUESSES = "it takes lines of which some differ, or a text within longer lines: the drill `oracle` counts how often"
_AS_IT_WAS = "it looks for every search text in the file as it was"
_PASSED_OVER = "it leaves out an edit that fails, and makes the others"

_WHY: tuple[tuple[str, str, str], ...] = (
    ("intent/*", "nothing_unmeant", _GUESSES),
    ("contradiction/*", "nothing_unmeant", _GUESSES),
    ("replacer/*", "*", "a replacer alone offers candidates: whether one may be taken is decided by a cascade"),
    ("cascade/*", "exact_ambiguity_refused", _ONCE),
    ("cascade/*", "in_proportion", "it has no size guard, or one that counts lines only for a search text of one line"),
    ("cascade/*", "second_refused", _ALIKE),
    ("tool/edit@reference", "*", "it is the reference cascade; a workspace keeps the byte order mark"),
    ("agent/cline_v*", "made_in_turn", "it looks for every search text in the file as it was, below the one before it"),
    ("agent/pi*", "made_in_turn", _AS_IT_WAS),
    ("agent/warp", "made_in_turn", _AS_IT_WAS),
    ("agent/oh_my_pi_18", "made_in_turn", _AS_IT_WAS),
    ("agent/roo*", "*", _PASSED_OVER),
    ("agent/freebuff", "*", _PASSED_OVER),
    ("agent/kimi", "*", _PASSED_OVER),
    ("begin_patch/codex", "*", _AS_CODEX),
    (
        "differential",
        "another_result",
        "lines without context get the endings of their neighbours; tolerant counts a hunk's lines, not its header",
    ),
)
"""Globs of target and property, and the reason why the target breaks the property by design."""


def why(finding: Finding) -> str | None:
    """The reason why a finding is by design; None if none is recorded."""
    for target, broken, reason in _WHY:
        if fnmatchcase(finding.target, target) and fnmatchcase(finding.property, broken):
            return reason
    return None


class Safety(NamedTuple):
    """What a strategy promises for all inputs; all None for strategies that are not fuzzed here."""

    n_promised: int | None = None
    """Properties that every strategy of its family promises, so that their numbers of broken ones compare."""
    broken: dict[str, int] | None = None
    """Those of them that it is known to break -> number of known ways."""
    own: dict[str, int] | None = None
    """The properties that it promises and some of its family do not -> number of known ways."""
    unmeant: Unmeant | None = None
    """What it made of drawn edits whose right answers are certain."""


def safety(strategy: Strategy) -> Safety:
    """What a strategy promises, and what is known to break it."""
    # Peers, commands and custom cascades have no known findings, because they are not fuzzed for this table.
    if strategy.origin != "editgauge" or strategy.name.startswith("peer/") or strategy.name not in strategies():
        return Safety()
    promised, shared = _promised(strategy), _shared(strategy.name.partition("/")[0], strategy.formats)
    ways = broken_properties().get(strategy.name, Counter())
    broken = {name: n for name, n in sorted(ways.items()) if name in shared}
    own = {name: ways[name] for name in sorted(promised - shared)}
    return Safety(len(shared), broken, own, unmeant(strategy))


def _promised(strategy: Strategy) -> frozenset[str]:
    return frozenset(one.name for format in strategy.formats for one in promises(strategy.name, format))


@cache
def _shared(family: str, formats: frozenset[str]) -> frozenset[str]:
    """The properties that every strategy of a family promises which takes these formats."""
    same = [one for one in strategies().values() if one.name.startswith(f"{family}/") and one.formats == formats]
    return frozenset.intersection(*map(_promised, same))


def broken_properties() -> Mapping[str, Counter[str]]:
    """Target -> property it is known to break -> number of ways."""
    broken: dict[str, Counter[str]] = {}
    for finding in known_findings():
        broken.setdefault(finding.target, Counter())[finding.property] += 1
    return broken


@cache
def counted() -> Mapping[str, Unmeant]:
    lines = COUNTED.read_text("utf-8").splitlines() if COUNTED.exists() else []
    return {row.pop("strategy"): Unmeant(**row) for row in map(json.loads, lines)}


def unmeant(strategy: Strategy) -> Unmeant | None:
    """The counts of a strategy; None for a strategy that is not built in, and for tools and replacers."""
    return counted().get(strategy.name) if strategy.origin == "editgauge" else None
