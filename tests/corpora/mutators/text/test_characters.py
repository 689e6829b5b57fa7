"""Finds with look-alike characters."""

from __future__ import annotations

import pytest

from corpora.mutators.text.characters import MUTATORS
from tests.corpora.mutators.search_text import cases, damage, described

_DAMAGE = r"""
curly_quotes 2
find -        if not path == "a-b":
find +        if not path == "a-b”:

dashes 2
find -        if not path == "a-b":
find +        if not path == "a−b":

ellipsis_character 2
file -        limit = 10 + self.max_size  # in whole bytes
file +        limit = 10 + self.max_size  # in whole bytes and so on...
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit = 10 + self.max_size  # in whole bytes and so on…

no_break_spaces 2
find -    def load(self, path):
find +    def<00a0>load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit = 10<00a0>+ self.max_size  #<00a0>in<00a0>whole<00a0>bytes
find -        if not path == "a-b":
find +        if not path ==<00a0>"a-b":
find -            return join(path, limit)
find +            return<00a0>join(path, limit)

zero_width 2
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit = 10 + self.max_size  # in whole b<2060>ytes
find -        return [limit, True]
find +        return [limit, Tru<200b>e]

bidi_marks 2
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit = 10 + self.max_size  # in whole b<202c>ytes
find -        return [limit, True]
find +        return [limit, Tru<200e>e]

decomposed 1
file -        limit = 10 + self.max_size  # in whole bytes
file +        limit = 10 + self.max_size  # in whole bytes über
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit = 10 + self.max_size  # in whole bytes u<0308>ber

composed 1
file -        limit = 10 + self.max_size  # in whole bytes
file +        limit = 10 + self.max_size  # in whole bytes u<0308>ber
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit = 10 + self.max_size  # in whole bytes über

full_width 2
find -    def load(self, path):
find +    def load（self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit ＝ 10 + self.max_size  # in whole bytes
find -        if not path == "a-b":
find +        if not path ＝＝ "a-b"：
find -        return [limit, True]
find +        return [limit， True]
"""


@pytest.mark.parametrize(("name", "severity", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, lines: list[str]) -> None:
    assert described(damage(MUTATORS, name, severity)) == lines
