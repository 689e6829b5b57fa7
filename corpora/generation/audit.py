"""Whether a clean edit's place is the only one that could be meant: what is not certain is dropped."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from rapidfuzz.distance import Indel
from rapidfuzz.process import extractOne

from corpora.mutators.clean_edit import CleanEdit

MARGIN = 0.15
"""No other stretch of the file may come closer than this to the text meant; 0 to 1."""
_SLACK = 2
"""Stretches of so many lines more or fewer are compared too."""


def ambiguity(clean: CleanEdit) -> str | None:
    """Why it is not certain that the edit's place is the one meant, as a code; None where it is."""
    text, old = clean.content, clean.old
    if not old.strip():
        return "blank"
    if _occurs_twice(old, text):
        return "twice"
    bare, sums = _lines_without_whitespace(text)
    first = clean.line - 1
    n = old.count("\n") + 1
    meant = "".join(old.split())
    if _occurs_twice(meant, "".join(bare)):
        return "twice but for blanks"
    if not clean.whole_lines:
        return None
    length = len(meant)
    for size in range(max(n - _SLACK, 1), n + _SLACK + 1):
        # As alike as the margin forbids, two texts are nearly of one length.
        lengths = sums[size:] - sums[:-size]
        near = 2 * np.minimum(lengths, length) >= (1 - MARGIN) * (lengths + length)
        near[max(first - size + 1, 0) : first + n] = False
        others = ["".join(bare[at : at + size]) for at in np.flatnonzero(near)]
        if extractOne(meant, others, scorer=Indel.normalized_similarity, score_cutoff=1 - MARGIN):
            return "near twin"
    return None


def _occurs_twice(piece: str, text: str) -> bool:
    """Overlapping or not."""
    return text.find(piece, text.find(piece) + 1) >= 0


@lru_cache(maxsize=4)
def _lines_without_whitespace(text: str) -> tuple[list[str], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """The lines of a text without blanks, and how many characters stand before each."""
    bare = ["".join(line.split()) for line in text.split("\n")]
    return bare, np.cumsum([0, *map(len, bare)])
