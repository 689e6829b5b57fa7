"""Finds indented otherwise than the file."""

from __future__ import annotations

import pytest

from corpora.mutators.text.indentation import MUTATORS
from tests.corpora.mutators.search_text import cases, damage, described

_DAMAGE = r"""
dedented 2
find -    def load(self, path):
find +  def load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find +      limit = 10 + self.max_size  # in whole bytes
find -        if not path == "a-b":
find +      if not path == "a-b":
find -            return join(path, limit)
find +          return join(path, limit)
find -        return [limit, True]
find +      return [limit, True]

dedented_both 1
find -    def load(self, path):
find +def load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find +    limit = 10 + self.max_size  # in whole bytes
find -        if not path == "a-b":
find +    if not path == "a-b":
find -            return join(path, limit)
find +        return join(path, limit)
find -        return [limit, True]
find +    return [limit, True]
new -    def load(self, path):
new +def load(self, path):
new -        return path
new +    return path

shifted 2
find -    def load(self, path):
find +      def load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find +          limit = 10 + self.max_size  # in whole bytes
find -        if not path == "a-b":
find +          if not path == "a-b":
find -            return join(path, limit)
find +              return join(path, limit)
find -        return [limit, True]
find +          return [limit, True]

shifted_both 2
find -    def load(self, path):
find +      def load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find +          limit = 10 + self.max_size  # in whole bytes
find -        if not path == "a-b":
find +          if not path == "a-b":
find -            return join(path, limit)
find +              return join(path, limit)
find -        return [limit, True]
find +          return [limit, True]
new -    def load(self, path):
new +      def load(self, path):
new -        return path
new +          return path

reindented 1
find -    def load(self, path):
find +   def load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find +      limit = 10 + self.max_size  # in whole bytes
find -        if not path == "a-b":
find +      if not path == "a-b":
find -            return join(path, limit)
find +         return join(path, limit)
find -        return [limit, True]
find +      return [limit, True]

tabs_for_blanks 2
find -            return join(path, limit)
find +⇥⇥⇥return join(path, limit)
find -        return [limit, True]
find +⇥⇥return [limit, True]

blanks_for_tabs 2
file -    def load(self, path):
file +⇥def load(self, path):
file -        limit = 10 + self.max_size  # in whole bytes
file +⇥⇥limit = 10 + self.max_size  # in whole bytes
file -        if not path == "a-b":
file +⇥⇥if not path == "a-b":
file -            return join(path, limit)
file +⇥⇥⇥return join(path, limit)
file -        return [limit, True]
file +⇥⇥return [limit, True]
find -    def load(self, path):
find +⇥def load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find +⇥⇥limit = 10 + self.max_size  # in whole bytes
find -        if not path == "a-b":
find +⇥⇥if not path == "a-b":
new -    def load(self, path):
new +⇥def load(self, path):
new -        return path
new +⇥⇥return path

leading_blanks 2
find -    def load(self, path):
find +      def load(self, path):

only_first_line_indented 2
find -        limit = 10 + self.max_size  # in whole bytes
find +      limit = 10 + self.max_size  # in whole bytes
find -        if not path == "a-b":
find +      if not path == "a-b":
find -            return join(path, limit)
find +          return join(path, limit)
find -        return [limit, True]
find +      return [limit, True]

ragged_indentation 2
find -            return join(path, limit)
find +           return join(path, limit)
find -        return [limit, True]
find +     return [limit, True]

first_line_flush 1
find -    def load(self, path):
find +def load(self, path):

trimmed_boundaries 1
find -    def load(self, path):
find +def load(self, path):
new -    def load(self, path):
new +def load(self, path):
"""


@pytest.mark.parametrize(("name", "severity", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, lines: list[str]) -> None:
    assert described(damage(MUTATORS, name, severity)) == lines
