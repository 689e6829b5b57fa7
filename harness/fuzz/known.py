"""Findings that are known: properties that a strategy breaks by design, each with its smallest input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from harness.fuzz.finding import Finding, read_findings

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


def broken_properties() -> Mapping[str, Counter[str]]:
    """Target -> the properties it is known to break, and in how many ways each."""
    broken: dict[str, Counter[str]] = {}
    for finding in known_findings():
        broken.setdefault(finding.target, Counter())[finding.property] += 1
    return broken
