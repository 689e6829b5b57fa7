"""Findings that are known: properties that a strategy breaks by design, each with its smallest input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from harness.fuzz.finding import Finding, read_findings
from harness.fuzz.properties import promises
from harness.strategies import strategies
from harness.strategy import Strategy

KNOWN = Path(__file__).with_name("known.jsonl")

Key = tuple[str, str, str]


@cache
def known_findings() -> tuple[Finding, ...]:
    """The known findings that ship."""
    return tuple(read_findings(KNOWN)) if KNOWN.exists() else ()


def known_keys(target: str, folder: Path | None = None) -> set[Key]:
    """What is known of a target: what ships, and what lies in a folder of findings already."""
    found = {finding.key for finding in known_findings() if finding.target == target}
    for path in sorted(folder.glob("*.jsonl")) if folder is not None and folder.is_dir() else ():
        found |= {finding.key for finding in read_findings(path) if finding.target == target}
    return found


def safety(strategy: Strategy) -> tuple[int | None, dict[str, int] | None]:
    """How many properties a strategy promises, and which it is known to break, in how many ways; Nones if not fuzzed."""
    # Peers, commands, and cascades made up by name have not been fuzzed by anybody who would have written it down.
    if strategy.origin != "editgauge" or strategy.name.startswith("peer/") or strategy.name not in strategies():
        return None, None
    promised = {one.name for format in strategy.formats for one in promises(strategy.name, format)}
    return len(promised), dict(sorted(broken_properties().get(strategy.name, Counter()).items()))


def broken_properties() -> Mapping[str, Counter[str]]:
    """Target -> the properties it is known to break, and in how many ways each."""
    broken: dict[str, Counter[str]] = {}
    for finding in known_findings():
        broken.setdefault(finding.target, Counter())[finding.property] += 1
    return broken
