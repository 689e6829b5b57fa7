"""Whether a later edit that succeeded is provably the same change as an earlier one that failed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz.distance import Indel

from corpora.importers.session import Attempt
from editcore.types import Edit

_TELLING = 20
"""A replacement text of so many characters that are no blanks is not written twice by chance."""
_ALIKE = 0.6
"""How alike the finds of two edits must be where their replacement text alone does not tell; 0 to 1."""
_BLANKS = re.compile(r"\s+")
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " "})


def same_change(failed: Attempt, retried: Attempt) -> str | None:
    """How it is proven: `retry` (the same new text), `retry_repaired` (but for blanks and quotes); None if it is not.

    Both are of the same file, in which nothing changed in between.
    """
    if failed.format != retried.format:
        return None
    if failed.edits and retried.edits:
        if len(failed.edits) != len(retried.edits):
            return None
        proofs = [_same_edit(*pair) for pair in zip(failed.edits, retried.edits, strict=True)]
        return None if None in proofs else "retry" if set(proofs) == {"retry"} else "retry_repaired"
    if failed.patch and retried.patch and failed.format in ("begin_patch", "unified_diff"):
        return _same_patch(failed.patch, retried.patch)
    return None


def _same_edit(failed: Edit, retried: Edit) -> str | None:
    if failed.replace_all != retried.replace_all:
        return None
    old, new = _squeezed(failed.old_string), _squeezed(failed.new_string)
    if failed.new_string == retried.new_string and new:
        alike = len(new) >= _TELLING or Indel.normalized_similarity(old, _squeezed(retried.old_string)) >= _ALIKE
        return "retry" if alike and failed.old_string != failed.new_string else None
    return (
        "retry_repaired"
        if old and (old, new) == (_squeezed(retried.old_string), _squeezed(retried.new_string))
        else None
    )


def _same_patch(failed: str, retried: str) -> str | None:
    """By the lines that the two add and remove, file by file."""
    if _changes(failed, "+") == _changes(retried, "+") and _squeezed(failed) and any(_changes(failed, "+")):
        removed = [[_squeezed(line) for line in _changes(patch, "-")] for patch in (failed, retried)]
        if removed[0] == removed[1]:
            return "retry"
    return None


def _changes(patch: str, mark: str) -> Sequence[str]:
    """The added or the removed lines of a patch, and the lines that name files, in order."""
    return [
        line
        for line in patch.split("\n")
        if line.startswith("*** ") or (line.startswith(mark) and not line.startswith(("+++ ", "--- ")))
    ]


def _squeezed(text: str) -> str:
    """The text without blanks, its curly punctuation made straight."""
    return _BLANKS.sub("", text.translate(_QUOTES))
