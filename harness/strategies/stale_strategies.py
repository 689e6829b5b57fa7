"""Rules for stale edits as strategies: `stale/RULE`, and `stale/RULE@CASCADE` with another way to match.

Where a sample says what the model saw, the edit is placed by the rule; else as the way to match does alone, and runs
leave such samples out. Pairs and blocks are matched by a cascade, patches by their most tolerant reading. Each format
goes the way of the library's own function with `seen`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from corpora.sample import Sample
from editcore import __version__
from editcore.cascade import RECOMMENDED, Cascade
from editcore.formats import FORMATS
from editcore.quoting import first_line
from editcore.stale import STALE_RULES
from editcore.stale.rule import placed_in_files
from editcore.text.document import Document
from editcore.thresholds import AT
from editcore.types import EditResult, File, Rejected
from harness.strategies.cascade_strategies import apply_pairs, parse_cascade, version_with
from harness.strategies.patch_strategies import apply_blocks_of, patch_strategies
from harness.strategies.strategy import Apply, Strategy, by_path

FAMILY = "stale/"
_PATCHES = ("begin_patch", "unified_diff", "insert")
"""Formats that are read by their careful rule."""


def stale_strategies() -> Iterator[Strategy]:
    """Every rule, with `cascade/recommended`."""
    for name in STALE_RULES:
        yield _strategy(f"{FAMILY}{name}", name, RECOMMENDED)


def described_stale_strategy(name: str) -> Strategy | None:
    """The strategy that a name `stale/RULE@CASCADE` describes; None if it is no such name.

    Raises UsageError for a cascade that does not exist.
    """
    rule, _, cascade = name.removeprefix(FAMILY).partition(AT)
    if not name.startswith(FAMILY) or not cascade or rule not in STALE_RULES:
        return None
    return _strategy(name, rule, parse_cascade(cascade, spec=name))


def _strategy(name: str, rule: str, cascade: Cascade) -> Strategy:
    table = {one.name: one.apply for one in patch_strategies()}
    ways: dict[str, Apply] = {format: table[FORMATS[format].careful] for format in _PATCHES}
    ways |= {"str_replace": partial(apply_pairs, cascade), "search_replace": partial(apply_blocks_of, cascade)}
    summary = first_line(STALE_RULES[rule].__doc__ or "")
    version = version_with(cascade) if cascade.version else __version__
    return Strategy(name, frozenset(ways), partial(_apply, rule, ways), summary, version, only_stale=True)


def _apply(rule: str, ways: Mapping[str, Apply], sample: Sample, document: Document | None) -> EditResult:
    way = ways[sample.format]
    if sample.seen is None:
        return way(sample, document)
    seen, live = by_path(sample.seen), by_path(sample.before)

    def decide(files: Mapping[str, str]) -> EditResult:
        before = tuple([File(path, content) for path, content in files.items()])
        result = way(replace(sample, before=before, seen=None), None)
        if isinstance(result, Rejected) or result.files is not None or len(before) != 1:
            return result
        return replace(result, files={before[0].path: result.content or ""})

    if FORMATS[sample.format].several_files:
        return placed_in_files(seen, live, decide, STALE_RULES[rule])
    path = sample.before[0].path
    # The matches of several edits are of the texts that those before them left.
    has_matches = len(sample.edits or ()) == 1
    return STALE_RULES[rule](seen.get(path, live[path]), live[path], partial(_of_one, path, decide, has_matches))


def _of_one(path: str, decide: Callable[[Mapping[str, str]], EditResult], has_matches: bool, text: str) -> EditResult:
    result = decide({path: text})
    if isinstance(result, Rejected):
        return result
    matches = result.matches if has_matches else ()
    return replace(result, content=(result.files or {}).get(path), files=None, matches=matches)
