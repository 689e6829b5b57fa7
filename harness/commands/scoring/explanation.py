"""Explanation of one result: the offer of each part of the strategy, the deciding part, the reason, and the diff."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from corpora.sample import Sample
from editcore.cascade import Cascade
from editcore.formats import EDIT_FORMATS
from editcore.text.diff import unified_diff
from editcore.text.document import Document
from editcore.types import Applied, Edit, EditResult, Evidence, Rejected
from harness.strategies.strategy import by_path

_SHOWN = 3
"""Number of candidates shown for each replacer."""
_COUNTED = 1000


@dataclass(frozen=True, slots=True)
class Offer:
    """Candidates of one replacer, or result of one tier, for a search text."""

    replacer: str
    n_candidates: int
    """Number of candidates; `_COUNTED` means at least so many."""
    places: tuple[str, ...]
    """Lines of the first candidates, in words; for a tier that refuses, the reason."""


def offers(cascade: Cascade, document: Document, edit: Edit, path: str) -> Iterator[Offer]:
    """The offer of each replacer or tier of the cascade, in order, even of those after the deciding one."""
    for name, replacer in cascade.rungs:
        candidates = list(islice(replacer(document, edit.old_string), _COUNTED)) if edit.old_string else []
        yield Offer(name, len(candidates), tuple(_place(document, text) for text in dict.fromkeys(candidates))[:_SHOWN])
    for name, tier in cascade.steps:
        result = Cascade(name, tiers=(tier,)).apply(document, edit, path=path)
        if isinstance(result, Applied):
            lines = (f"line {document.line_of(match.start)}" for match in result.matches)
            yield Offer(name, len(result.matches), tuple(dict.fromkeys(lines))[:_SHOWN])
        else:
            yield Offer(name, 0, (f"refuses ({result.reason})",))


def _place(document: Document, candidate: str) -> str:
    n = document.text.count(candidate)
    if n == 0:
        return "a text that is not in the file"
    line = document.line_of(document.text.find(candidate))
    n_lines = candidate.count("\n") + 1
    where = f"line {line}" if n_lines == 1 else f"lines {line}-{line + n_lines - 1}"
    return where if n == 1 else f"{where} and {n - 1} more place{'s' if n > 2 else ''}"


def offer_lines(found: list[Offer], result: EditResult) -> Iterator[str]:
    """A line for each offer; an arrow marks the deciding one."""
    width = max((len(offer.replacer) for offer in found), default=0)
    for offer in found:
        mark = "->" if isinstance(result, Applied) and offer.replacer == result.replacer else "  "
        count = f"{offer.n_candidates}+" if offer.n_candidates == _COUNTED else str(offer.n_candidates)
        yield f"{mark} {offer.replacer:<{width}}  {count:>5}  {'; '.join(offer.places)}".rstrip()


def result_lines(sample: Sample, result: EditResult) -> Iterator[str]:
    """Result of a strategy on a sample in words: place, reason, repairs, and the diff of each file."""
    if isinstance(result, Rejected):
        yield from _rejected(result)
        return
    by = f" by {result.replacer}" if result.replacer else ""
    yield f"applied{by}{_where(sample, result)}"
    for landing in result.landings:
        notes = f" ({'; '.join(landing.notes)})" if landing.notes else ""
        yield f"  hunk {landing.hunk} of {landing.path} at line {landing.line}: {landing.equality}{notes}"
    yield from (f"  read: {note}" for note in result.notes)
    if result.evidence and sample.before:
        yield from _evidence(Document(sample.before[0].content), result.evidence)
    yield ""
    yield from diff_lines(sample, result)


def _where(sample: Sample, result: Applied) -> str:
    if not result.matches or sample.format not in EDIT_FORMATS or len(sample.edits or ()) > 1 or not sample.before:
        return ""
    first = Document(sample.before[0].content).line_of(result.matches[0].start)
    n = len(result.matches)
    return f" at line {first}" if n == 1 else f" at {n} places, the first at line {first}"


def _evidence(document: Document, evidence: Evidence) -> Iterator[str]:
    yield f"  confidence {evidence.confidence:.3f}, margin to the next best place {evidence.margin:.2f}"
    if evidence.runner_up:
        yield f"  next best: line {document.line_of(evidence.runner_up.start)}"
    yield from (f"  {repair}" for repair in evidence.repaired)
    for kept in evidence.kept:
        yield f"  line {kept.line} stays {kept.text!r}, which the edit writes as {kept.written!r}"


def _rejected(result: Rejected) -> Iterator[str]:
    yield f"rejected ({result.reason}): {result.message}"
    if found := result.contradiction:
        yield f"  line {found.line} is {found.text!r}, and not {found.wanted!r}"
    for number, edit in enumerate(result.advice, 1):
        yield f"  would be applied ({number}): --old {edit.old_string!r} --new {edit.new_string!r}"


def diff_lines(sample: Sample, result: Applied) -> Iterator[str]:
    """Lines of a unified diff from the sample's files to the files of the result."""
    before = by_path(sample.before)
    # An operation on one text gives `content`; any other gives `files`, with every file.
    after = dict(result.files) if result.files is not None else dict.fromkeys(before, result.content or "")
    for path in dict.fromkeys([*before, *after]):
        old, new = before.get(path), after.get(path)
        if old != new or (old is None) != (new is None):
            # splitlines() would drop carriage returns, which may be the only difference.
            yield from unified_diff(old or "", new or "", path=path).split("\n")[:-1]
            if new is None:
                yield f"{path} is deleted"
