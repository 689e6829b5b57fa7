"""Finds that lack a part of the text."""

from __future__ import annotations

import pytest

from corpora.mutators.text.omissions import MUTATORS
from tests.corpora.mutators.search_text import cases, damage, described

_DAMAGE = r"""
elided_middle 2
find +        # ... (unchanged) ...
find -        if not path == "a-b":
find -            return join(path, limit)

dropped_lines 2
find -        if not path == "a-b":

truncated_head 2
find -    def load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes

truncated_tail 2
find -            return join(path, limit)
find -        return [limit, True]

partial_first_line 2
find -    def load(self, path):
find +(self, path):

partial_last_line 2
find -        return [limit, True]
find +        return [limi
"""


@pytest.mark.parametrize(("name", "severity", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, lines: list[str]) -> None:
    assert described(damage(MUTATORS, name, severity)) == lines
