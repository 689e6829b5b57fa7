"""Noisy finds beside lines that look like those meant."""

from __future__ import annotations

import pytest

from corpora.mutators.text.decoys import MUTATORS
from tests.corpora.mutators.search_text import cases, damage, described

_DAMAGE = r"""
near_twin_beside 2
file +    def load(self, path):
file +        limit = 10 + self.max_size  # in whole bytes
file +        if not path == "a-b":
file +            return draft(path, limit)
file +        return [field, True]
file +
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit = 10 + self.max_size  # in whole bytes··
find -        if not path == "a-b":
find +        if not path == "a-b":····
find -        return [limit, True]
find +        return [limit, True]··

comment_beside 2
file +    # def load(self, path):
file +        # limit = 10 + self.max_size  # in whole bytes
file +        # if not path == "a-b":
file +            # return join(path, limit)
file +        # return [limit, True]
file +
find -    def load(self, path):
find +    def load(self,  path):
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit =  10  +  self.max_size  #  in  whole  bytes
find -        if not path == "a-b":
find +        if not  path ==  "a-b":
find -            return join(path, limit)
find +            return  join(path,  limit)

nested_closer 2
file +            return [limit, True]
find -    def load(self, path):
find +    def load(self,  path):
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit = 10  + self.max_size  #  in  whole  bytes
find +            return [limit, True]
find -        if not path == "a-b":
find +        if not  path  == "a-b":
find -            return join(path, limit)
find +            return  join(path, limit)
"""


@pytest.mark.parametrize(("name", "severity", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, lines: list[str]) -> None:
    assert described(damage(MUTATORS, name, severity)) == lines
