"""An explanation of one edit: what every replacer offers, which one decides, and the diff."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from editcore.cascade import Cascade
from editcore.diff import unified_diff
from editcore.document import Document
from editcore.types import Applied, Edit, EditResult, Rejected

_SHOWN = 3
"""Number of candidates shown for each replacer."""
_COUNTED = 1000


@dataclass(frozen=True, slots=True)
class Offer:
    """What one replacer of a cascade offers for a search text."""

    replacer: str
    n_candidates: int
    """Counted up to `_COUNTED`; that number means that many or more."""
    places: tuple[str, ...]
    """The lines of the first candidates, in words."""


def offers(cascade: Cascade, document: Document, search_text: str) -> Iterator[Offer]:
    """The offer of each replacer of the cascade, in order, whether or not an earlier one decides."""
    for name, replacer in cascade.rungs:
        candidates = list(islice(replacer(document, search_text), _COUNTED)) if search_text else []
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
    """The result of an edit, and lines of text that explain it."""
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
    # Not splitlines(): a carriage return belongs to its line, and may be the only difference.
    lines += unified_diff(document.text, result.content or "", path=path).split("\n")[:-1]
    return result, lines
