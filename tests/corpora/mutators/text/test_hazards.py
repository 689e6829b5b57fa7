"""Edits that match exactly what nobody would want replaced."""

from __future__ import annotations

from corpora.mutators.text.hazards import MUTATORS
from editcore.types import File
from tests.corpora.mutators.search_text import damage, edit


def test_the_start_of_a_longer_name_is_replaced_to_the_letter() -> None:
    damaged = damage(MUTATORS, "partial_identifier", clean=edit("«max_retries_default = 3»\n", "x"))
    assert damaged is not None
    assert damaged.edits is not None
    assert damaged.edits[0].old_string == "max_retries"
    assert damaged.target == (File("a.py", f"{damaged.edits[0].new_string}_default = 3\n"),)
