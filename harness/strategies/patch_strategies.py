"""Patch operations as strategies, in every reading and strictness."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from corpora.sample import Sample
from editcore import __version__
from editcore.cascade import CASCADES
from editcore.document import Document
from editcore.patches.begin_patch import READINGS, apply_begin_patch
from editcore.patches.insert import insert_lines
from editcore.patches.line_range import replace_lines
from editcore.patches.search_replace import apply_search_replace
from editcore.patches.unified_diff import STRICTNESSES, apply_unified_diff
from editcore.types import EditResult, Reason, Rejected
from harness.strategies.strategy import Strategy

_READINGS = {
    "strict": "The envelope by its grammar, to the letter.",
    "codex": "The envelope as Codex 0.169 applies it: first match wins, a final line feed is forced.",
    "lenient": "Whatever a model may write, and only where it can mean one place.",
}
_STRICTNESSES = {
    "strict": "Positions and counts must be right.",
    "offset": "Counts must be right; searched outward from the stated line.",
    "fuzz": "Up to two outer context lines may differ too, as in GNU patch.",
    "tolerant": "Numbers are hints; only where the lines can mean one place.",
}


def files_of(sample: Sample) -> dict[str, str]:
    """Path -> text before."""
    return {file.path: file.content for file in sample.before}


def patch_strategies() -> Iterator[Strategy]:
    """The operations on patches."""
    for reading in READINGS:
        yield _ours("begin_patch", reading, partial(_begin_patch, reading), _READINGS[reading])
    for strictness in STRICTNESSES:
        yield _ours("unified_diff", strictness, partial(_unified_diff, strictness), _STRICTNESSES[strictness])
    for name in CASCADES:
        yield _ours("search_replace", name, partial(_blocks, name), f"Blocks as written, each through cascade {name}.")
    yield _ours("insert", "line", _insert, "The text put below the stated line.")
    yield _ours("line_range", "lines", _line_range, "The stated lines replaced by the text.")


def _ours(family: str, member: str, apply: Callable[[Sample, Document | None], EditResult], summary: str) -> Strategy:
    return Strategy(f"{family}/{member}", frozenset({family}), apply, summary, __version__, reads="patch")


def _begin_patch(reading: str, sample: Sample, _: Document | None) -> EditResult:
    return apply_begin_patch(files_of(sample), sample.patch or "", reading=reading)  # type: ignore[arg-type]


def _unified_diff(strictness: str, sample: Sample, _: Document | None) -> EditResult:
    return apply_unified_diff(files_of(sample), sample.patch or "", strictness=strictness)  # type: ignore[arg-type]


def _blocks(cascade: str, sample: Sample, _: Document | None) -> EditResult:
    return apply_search_replace(files_of(sample), sample.patch or "", cascade=cascade)


def _insert(sample: Sample, _: Document | None) -> EditResult:
    if len(sample.before) != 1 or sample.line is None:
        return Rejected(Reason.MALFORMED, "An insertion is for one file and names its line.")
    return insert_lines(sample.before[0].content, sample.line, sample.patch or "")


def _line_range(sample: Sample, _: Document | None) -> EditResult:
    if len(sample.before) != 1 or sample.line is None or sample.end_line is None:
        return Rejected(Reason.MALFORMED, "A line range is of one file and names its first and last line.")
    return replace_lines(sample.before[0].content, sample.line, sample.end_line, sample.patch or "")
