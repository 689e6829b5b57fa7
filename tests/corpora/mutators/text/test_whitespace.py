"""Finds with other blanks and blank lines than the file."""

from __future__ import annotations

import pytest

from corpora.mutators.text.whitespace import MUTATORS
from tests.corpora.mutators.search_text import cases, damage, described

_DAMAGE = r"""
trailing_blanks 2
find -            return join(path, limit)
find +            return join(path, limit)·
find -        return [limit, True]
find +        return [limit, True]····

trailing_blanks_lost 2
file -        limit = 10 + self.max_size  # in whole bytes
file +        limit = 10 + self.max_size  # in whole bytes·
file -            return join(path, limit)
file +            return join(path, limit)····

doubled_blanks 2
find -    def load(self, path):
find +    def  load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit = 10  + self.max_size  #  in  whole  bytes
find -        if not path == "a-b":
find +        if not path ==  "a-b":
find -            return join(path, limit)
find +            return  join(path, limit)

collapsed_blanks 2
file -    def load(self, path):
file +    def  load(self, path):
file -        limit = 10 + self.max_size  # in whole bytes
file +        limit = 10  + self.max_size  #  in  whole  bytes
file -        if not path == "a-b":
file +        if not path ==  "a-b":
file -            return join(path, limit)
file +            return  join(path, limit)

tabs_inside 2
find -    def load(self, path):
find +    def⇥load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit = 10⇥+ self.max_size  #⇥in⇥whole⇥bytes
find -        if not path == "a-b":
find +        if not path ==⇥"a-b":
find -            return join(path, limit)
find +            return⇥join(path, limit)

operator_spacing 2
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit = 10+self.max_size  # in whole bytes
find -        if not path == "a-b":
find +        if not path=="a-b":

joined_lines 2
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit = 10 + self.max_size  # in whole bytes if not path == "a-b":
find -        if not path == "a-b":
find -            return join(path, limit)
find +            return join(path, limit) return [limit, True]
find -        return [limit, True]

split_lines 2
find +            return
find -            return join(path, limit)
find +                join(path, limit)
find -        return [limit, True]
find +        return [limit,
find +            True]

blank_lines_inside 2
find +
find +

blank_lines_lost 2
file +
file +

blank_lines_before 2
file -
find +
find +
find +

blank_lines_after 2
file -
find +
find +
find +

blank_lines_around 2
file -
find +
find +
find +
find +
find +
find +
"""


@pytest.mark.parametrize(("name", "severity", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, lines: list[str]) -> None:
    assert described(damage(MUTATORS, name, severity)) == lines
