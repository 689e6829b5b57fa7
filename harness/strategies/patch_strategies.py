"""Patch operations as strategies: one per reading or strictness."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from corpora.sample import Sample
from editcore import __version__
from editcore.cascade import CASCADES, RECOMMENDED, Cascade
from editcore.formats import FORMATS, Format
from editcore.patches.begin_patch import READINGS, apply_begin_patch
from editcore.patches.line_edits import insert_split
from editcore.patches.search_replace import apply_blocks
from editcore.patches.unified_diff import STRICTNESSES, apply_unified_diff
from editcore.text.document import Document
from editcore.types import EditResult, Reason, Rejected
from harness.strategies.cascade_strategies import version_with
from harness.strategies.strategy import Apply, Strategy, by_path

_READINGS = {
    "strict": "The envelope exactly by its grammar.",
    "codex": "The envelope as Codex 0.169 applies it: first match wins, a final line feed is forced.",
    "lenient": "What models write, if it can mean one place only.",
}
_STRICTNESSES = {
    "strict": "Positions and counts must be right.",
    "offset": "Counts must be right; searched outward from the stated line.",
    "fuzz": "Up to two outer context lines may differ too, as in GNU patch.",
    "tolerant": "Numbers are hints; the lines must mean one place only.",
}


def patch_strategies() -> Iterator[Strategy]:
    """Every patch operation of editcore, in every reading or strictness it has."""
    for reading in READINGS:
        yield _built_in("begin_patch", reading, partial(_begin_patch, reading), _READINGS[reading])
    for strictness in STRICTNESSES:
        yield _built_in("unified_diff", strictness, partial(_unified_diff, strictness), _STRICTNESSES[strictness])
    for name, cascade in CASCADES.items():
        summary = f"Each block as written, through cascade {name}."
        yield _built_in(
            "search_replace", name, partial(apply_blocks_of, cascade), summary, version=version_with(cascade)
        )
    split = "The same as the widespread editor tool: a final line feed adds a line."
    yield _built_in("insert", "split", _insert_split, split)
    for one in FORMATS.values():
        if one.summary:
            yield _built_in(one.name, one.careful.partition("/")[2], partial(_careful, one), one.summary)


def _built_in(family: str, member: str, apply: Apply, summary: str, *, version: str = __version__) -> Strategy:
    return Strategy(f"{family}/{member}", frozenset({family}), apply, summary, version, reads="patch")


def _begin_patch(reading: str, sample: Sample, _: Document | None) -> EditResult:
    return apply_begin_patch(by_path(sample.before), sample.patch or "", reading=reading)  # type: ignore[arg-type]


def _unified_diff(strictness: str, sample: Sample, _: Document | None) -> EditResult:
    return apply_unified_diff(by_path(sample.before), sample.patch or "", strictness=strictness)  # type: ignore[arg-type]


def apply_blocks_of(cascade: Cascade, sample: Sample, _: Document | None) -> EditResult:
    """Apply the sample's search/replace blocks as they are written, each through a cascade, all or nothing."""
    found = sample.blocks
    return found if isinstance(found, Rejected) else apply_blocks(by_path(sample.before), found, cascade=cascade)


def _insert_split(sample: Sample, _: Document | None) -> EditResult:
    if len(sample.before) != 1 or sample.line is None:
        return Rejected(Reason.MALFORMED, "An insertion needs exactly one file and a line.")
    return insert_split(sample.before[0].content, sample.line, sample.patch or "")


def _careful(format: Format, sample: Sample, _: Document | None) -> EditResult:
    return format.apply(by_path(sample.before), sample, None, RECOMMENDED)
