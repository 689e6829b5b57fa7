"""The audit: refuses clean edits whose search text could mean more than one place of the file."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from rapidfuzz.distance import Indel
from rapidfuzz.process import extractOne

from corpora.mutators.clean_edit import CleanEdit

MARGIN = 0.15
"""The least distance (0 to 1) between the old text and any other block of lines of the file."""
_SLACK = 2
"""Blocks of lines are compared that have up to this many lines more or fewer than the old text."""


def ambiguity(clean: CleanEdit) -> str | None:
    """Why the place of an edit is uncertain, as a code; None if the place is certain."""
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
        return "twice but for whitespace"
    if not clean.whole_lines:
        return None
    length = len(meant)
    for size in range(max(n - _SLACK, 1), n + _SLACK + 1):
        # Two texts as similar as the margin forbids are of nearly the same length.
        lengths = sums[size:] - sums[:-size]
        near = 2 * np.minimum(lengths, length) >= (1 - MARGIN) * (lengths + length)
        near[max(first - size + 1, 0) : first + n] = False
        others = ["".join(bare[at : at + size]) for at in np.flatnonzero(near)]
        if extractOne(meant, others, scorer=Indel.normalized_similarity, score_cutoff=1 - MARGIN):
            return "near twin"
    return None


def _occurs_twice(piece: str, text: str) -> bool:
    """True if a piece occurs in a text twice, overlapping or not."""
    return text.find(piece, text.find(piece) + 1) >= 0


@lru_cache(maxsize=4)
def _lines_without_whitespace(text: str) -> tuple[list[str], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """The lines of a text without whitespace, and the number of characters before each."""
    bare = ["".join(line.split()) for line in text.split("\n")]
    return bare, np.cumsum([0, *map(len, bare)])
