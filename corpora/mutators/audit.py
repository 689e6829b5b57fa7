"""Whether a clean edit's place is the only one that could be meant: what is not certain is dropped."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate

from rapidfuzz.distance import Indel

from corpora.mutators.clean import CleanEdit

MARGIN = 0.15
"""No other stretch of the file may come closer than this to the text meant; 0 to 1."""
_SLACK = 2
"""Stretches of so many lines more or fewer are compared too."""


def doubt(clean: CleanEdit) -> str | None:
    """Why it is not certain that the edit's place is the one meant, as a code; None where it is."""
    text, old = clean.content, clean.old
    if not old.strip():
        return "blank"
    if _stands_twice(old, text):
        return "twice"
    bare, sums = _bare_lines(text)
    first = clean.line - 1
    n = old.count("\n") + 1
    meant = "".join(old.split())
    if _stands_twice(meant, "".join(bare)):
        return "twice but for blanks"
    if not clean.whole_lines:
        return None
    length = len(meant)
    for size in range(max(n - _SLACK, 1), n + _SLACK + 1):
        for at in range(len(bare) - size + 1):
            if first - size < at < first + n:
                continue
            # As alike as the margin forbids, two texts are nearly of one length.
            other = sums[at + size] - sums[at]
            if 2 * min(other, length) < (1 - MARGIN) * (other + length):
                continue
            if Indel.normalized_similarity(meant, "".join(bare[at : at + size]), score_cutoff=1 - MARGIN):
                return "near twin"
    return None


def _stands_twice(piece: str, text: str) -> bool:
    """Overlapping or not."""
    return text.find(piece, text.find(piece) + 1) >= 0


@lru_cache(maxsize=4)
def _bare_lines(text: str) -> tuple[list[str], list[int]]:
    """The lines of a text without blanks, and how many characters stand before each."""
    bare = ["".join(line.split()) for line in text.split("\n")]
    return bare, list(accumulate(map(len, bare), initial=0))
