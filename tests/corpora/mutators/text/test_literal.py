"""Edits whose search text matches the file exactly."""

from __future__ import annotations

from corpora.mutators.text.literal import MUTATORS
from editcore.types import Edit, File
from tests.corpora.mutators.search_text import damage, edit


def test_a_name_is_replaced_wherever_it_stands() -> None:
    damaged = damage(MUTATORS, "renamed_everywhere", clean=edit("ab = 1\n«ab += cd»\nprint(ab)\ncde = 2\n", ""))
    assert damaged is not None
    assert damaged.edits == (Edit("ab", "draft", replace_all=True),)
    assert damaged.target == (File("a.py", "draft = 1\ndraft += cd\nprint(draft)\ncde = 2\n"),)


def test_a_name_in_a_longer_one_is_not_replaced_everywhere() -> None:
    assert damage(MUTATORS, "renamed_everywhere", clean=edit("ab = 1\n«ab += 1»\nabc = 2\n", "")) is None
