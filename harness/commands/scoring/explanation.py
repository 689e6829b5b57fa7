"""One edit, explained: what every replacer offers, which one decides, what it does to the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from editcore.cascade import Cascade
from editcore.diff import unified_diff
from editcore.document import Document
from editcore.types import Applied, Edit, EditResult, Rejected

_SHOWN = 3
"""Candidates named for each replacer."""
_COUNTED = 1000


@dataclass(frozen=True, slots=True)
class Offer:
    """What one replacer of a cascade offers for a find."""

    replacer: str
    n_candidates: int
    """At most `_COUNTED`, and then there are more."""
    places: tuple[str, ...]
    """The first candidates in words: the lines each stands at."""


def offers(cascade: Cascade, document: Document, find: str) -> Iterator[Offer]:
    """What each replacer of the cascade offers, in order, whether or not one before it decides."""
    for name, replacer in cascade.rungs:
        candidates = list(islice(replacer(document, find), _COUNTED)) if find else []
        yield Offer(name, len(candidates), tuple(_place(document, text) for text in dict.fromkeys(candidates))[:_SHOWN])


def _place(document: Document, candidate: str) -> str:
    n = document.text.count(candidate)
    if n == 0:
        return "a text that is not in the file"
    line = document.line_of(document.text.find(candidate))
    n_lines = candidate.count("\n") + 1
    where = f"line {line}" if n_lines == 1 else f"lines {line}-{line + n_lines - 1}"
    return where if n == 1 else f"{where} and {n - 1} more place{'s' if n > 2 else ''}"


def explanation(cascade: Cascade, document: Document, edit: Edit, *, path: str) -> tuple[EditResult, list[str]]:
    """The result of an edit, and lines that explain it."""
    result = cascade.apply(document, edit)
    found = list(offers(cascade, document, edit.old_string))
    width = max((len(offer.replacer) for offer in found), default=0)
    lines = [f"cascade {cascade.name} on {path}", ""]
    for offer in found:
        decided = isinstance(result, Applied) and offer.replacer == result.replacer
        count = f"{offer.n_candidates}+" if offer.n_candidates == _COUNTED else str(offer.n_candidates)
        mark = "->" if decided else "  "
        lines.append(f"{mark} {offer.replacer:<{width}}  {count:>5}  {'; '.join(offer.places)}".rstrip())
    lines.append("")
    if isinstance(result, Rejected):
        lines.append(f"rejected ({result.reason}): {result.message}")
        return result, lines
    n = len(result.matches)
    first = document.line_of(result.matches[0].start)
    places = f"at line {first}" if n == 1 else f"at {n} places, the first at line {first}"
    lines += [f"applied by {result.replacer} {places}", ""]
    # Not by splitlines(): a carriage return is part of its line, and may be all the difference.
    lines += unified_diff(document.text, result.content or "", path=path).split("\n")[:-1]
    return result, lines
