"""Edits that say nothing."""

from __future__ import annotations

import pytest

from corpora.mutators.text.void import MUTATORS
from tests.corpora.mutators.search_text import cases, damage, described

_DAMAGE = r"""
identical 1
new -        return path
new +        limit = 10 + self.max_size  # in whole bytes
new +        if not path == "a-b":
new +            return join(path, limit)
new +        return [limit, True]

empty_find 1
find +
find -    def load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find -        if not path == "a-b":
find -            return join(path, limit)
find -        return [limit, True]

blank_find 2
find +·
find +·
find +
find -    def load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find -        if not path == "a-b":
find -            return join(path, limit)
find -        return [limit, True]
"""


@pytest.mark.parametrize(("name", "severity", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, lines: list[str]) -> None:
    assert described(damage(MUTATORS, name, severity)) == lines
