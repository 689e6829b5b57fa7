"""Edits whose find stands in the file to the letter."""

from __future__ import annotations

import pytest

from corpora.mutators.text.literal import MUTATORS
from editcore.types import Edit, File
from tests.corpora.mutators.search_text import cases, damage, described, edit

_DAMAGE = r"""
exact 1

marker_content 2
file +@@ -1,3 +1,4 @@
file +```
find +@@ -1,3 +1,4 @@
find +```
new +@@ -1,3 +1,4 @@
new +```

dollars_in_new 2
new -        return path
new +  $'  $&    return path

renamed_everywhere 1
find +path
find -    def load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find -        if not path == "a-b":
find -            return join(path, limit)
find -        return [limit, True]
new +packet
new -    def load(self, path):
new -        return path
everywhere

dollars_everywhere 2
find +path
find -    def load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find -        if not path == "a-b":
find -            return join(path, limit)
find -        return [limit, True]
new +pa\1t${1}h
new -    def load(self, path):
new -        return path
everywhere
"""


@pytest.mark.parametrize(("name", "severity", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, lines: list[str]) -> None:
    assert described(damage(MUTATORS, name, severity)) == lines


def test_a_name_is_replaced_wherever_it_stands() -> None:
    damaged = damage(MUTATORS, "renamed_everywhere", clean=edit("ab = 1\n«ab += cd»\nprint(ab)\ncde = 2\n", ""))
    assert damaged is not None
    assert damaged.edits == (Edit("ab", "draft", replace_all=True),)
    assert damaged.target == (File("a.py", "draft = 1\ndraft += cd\nprint(draft)\ncde = 2\n"),)


def test_a_name_in_a_longer_one_is_not_replaced_everywhere() -> None:
    assert damage(MUTATORS, "renamed_everywhere", clean=edit("ab = 1\n«ab += 1»\nabc = 2\n", "")) is None
