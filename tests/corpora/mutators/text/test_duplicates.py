"""Stale edits of lines that occur more than once, or in pieces."""

from __future__ import annotations

from corpora.mutators.text.duplicates import MUTATORS
from editcore.types import Edit, File
from tests.corpora.mutators.search_text import damage, edit


def test_stitched_lines_stood_together_once() -> None:
    damaged = damage(MUTATORS, "stitched", clean=edit("«a = 1\nb = 2»\n\nc = 3\n\nd = 4\ne = 5\n", "x"))
    assert damaged is not None
    assert damaged.target is None
    assert damaged.edits == (Edit("a = 1\nd = 4\ne = 5", "x"),)
    assert damaged.before == (File("a.py", "a = 1\nb = 2\n\nc = 3\n\nd = 4\ne = 5\n"),)
    assert damaged.reason == "stitched"
