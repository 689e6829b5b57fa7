"""Findings that are known: properties that a strategy breaks by design, each with its smallest input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from harness.fuzz.engine.finding import Finding, read_findings
from harness.fuzz.properties import promises
from harness.strategies.registry import strategies
from harness.strategies.strategy import Strategy

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


_ONCE = "its rule asks whether a text stands once, not whether there is one place: the next replacer may settle it"
_ALIKE = "what is alike but for blanks, or between the same lines, is taken where the find itself is not there"
_TO_THE_LETTER = "as GNU patch does: where the lines match exactly, what is added goes in to the letter"
_AS_CODEX = "as Codex 0.169 does, of which this reading is a portrait: it writes as it goes, anywhere, whatever it is"

_WHY: tuple[tuple[str, str, str], ...] = (
    ("replacer/*", "*", "a replacer alone offers what it finds: whether that may be taken is for a cascade to say"),
    ("cascade/*", "exact_ambiguity_refused", _ONCE),
    ("cascade/*", "one_place", _ONCE),
    ("cascade/*", "indented_copy", _ONCE),
    ("cascade/*", "indented_together", _ONCE),
    (
        "cascade/*",
        "unrelated_*",
        "the best of several is taken, or the first that stands once: more lines, other texts",
    ),
    ("cascade/*", "blank_*", "a blank line is any line of blanks, once both are trimmed or unescaped"),
    ("cascade/*", "in_proportion", "it has no size guard, or one that looks at lines only where the find is one line"),
    ("cascade/*", "middle_shared", "of a block only first and last line must be there, or its middle alike by letters"),
    ("cascade/*", "replaces_all_only_exactly", "with replace_all it takes every occurrence of the first candidate"),
    ("cascade/*", "bom_kept", "trimming takes a byte order mark for a blank, and the mark goes with the line"),
    ("cascade/*", "final_newline_kept", "a candidate may take in the line feed below it"),
    ("cascade/*", "removed_target_refused", _ALIKE),
    ("cascade/*", "second_refused", _ALIKE),
    ("cascade/*", "more_context_kept", _ONCE),
    ("tool/edit", "*", "it is the reference cascade, with lines that end as the file's do, and a byte order mark kept"),
    ("begin_patch/codex", "*", _AS_CODEX),
    ("unified_diff/strict", "line_endings_kept", _TO_THE_LETTER),
    ("unified_diff/offset", "line_endings_kept", _TO_THE_LETTER),
    ("unified_diff/fuzz", "line_endings_kept", _TO_THE_LETTER),
    ("unified_diff/strict", "bom_kept", "as GNU patch does: an insertion above line 1 goes above the mark"),
    ("unified_diff/offset", "bom_kept", "as GNU patch does: an insertion above line 1 goes above the mark"),
    ("unified_diff/fuzz", "bom_kept", "as GNU patch does: an insertion above line 1 goes above the mark"),
    (
        "differential",
        "another_result",
        "lines without context end as their neighbours do; tolerant counts a hunk's lines, whatever its header says",
    ),
    ("unified_diff/fuzz", "second_refused", "as GNU patch does: context that differs at the edges is dropped"),
)
"""Globs for targets and properties, and why the one breaks the other by design."""


def why(finding: Finding) -> str | None:
    """Why a finding is by design; None where nobody has said."""
    for target, broken, reason in _WHY:
        if fnmatchcase(finding.target, target) and fnmatchcase(finding.property, broken):
            return reason
    return None


def safety(strategy: Strategy) -> tuple[int | None, dict[str, int] | None]:
    """How many properties a strategy promises, and which it breaks, in how many known ways; Nones if not fuzzed."""
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
