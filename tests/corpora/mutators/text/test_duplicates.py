"""Stale edits of lines that stand more than once, or in pieces."""

from __future__ import annotations

import pytest

from corpora.mutators.text.duplicates import MUTATORS
from editcore.types import Edit, File
from tests.corpora.mutators.search_text import cases, damage, described, edit

_DAMAGE = r"""
exact_duplicate 2
file +    def load(self, path):
file +        limit = 10 + self.max_size  # in whole bytes
file +        if not path == "a-b":
file +            return join(path, limit)
file +        return [limit, True]
file +

many_duplicates 2
file +    def load(self, path):
file +        limit = 10 + self.max_size  # in whole bytes
file +        if not path == "a-b":
file +            return join(path, limit)
file +        return [limit, True]
file +
file +    def load(self, path):
file +        limit = 10 + self.max_size  # in whole bytes
file +        if not path == "a-b":
file +            return join(path, limit)
file +        return [limit, True]
file +
file +    def load(self, path):
file +        limit = 10 + self.max_size  # in whole bytes
file +        if not path == "a-b":
file +            return join(path, limit)
file +        return [limit, True]
file +

duplicate_other_indent 2
seen -    def load(self, path):
seen +      def load(self, path):
seen -        limit = 10 + self.max_size  # in whole bytes
seen +          limit = 10 + self.max_size  # in whole bytes
seen -        if not path == "a-b":
seen +          if not path == "a-b":
seen -            return join(path, limit)
seen +              return join(path, limit)
seen -        return [limit, True]
seen +          return [limit, True]
file -      def load(self, path):
file +        def load(self, path):
file -          limit = 10 + self.max_size  # in whole bytes
file +            limit = 10 + self.max_size  # in whole bytes
file -          if not path == "a-b":
file +            if not path == "a-b":
file -              return join(path, limit)
file +                return join(path, limit)
file -          return [limit, True]
file +            return [limit, True]
file +            def load(self, path):
file +                limit = 10 + self.max_size  # in whole bytes
file +                if not path == "a-b":
file +                    return join(path, limit)
file +                return [limit, True]
file +

fuzzy_replace_all 2
seen -    def load(self, path):
seen +      def load(self, path):
seen -        limit = 10 + self.max_size  # in whole bytes
seen +          limit = 10 + self.max_size  # in whole bytes
seen -        if not path == "a-b":
seen +          if not path == "a-b":
seen -            return join(path, limit)
seen +              return join(path, limit)
seen -        return [limit, True]
seen +          return [limit, True]
file -      def load(self, path):
file +    def load(self, path):
file -          limit = 10 + self.max_size  # in whole bytes
file +        limit = 10 + self.max_size  # in whole bytes
file -          if not path == "a-b":
file +        if not path == "a-b":
file -              return join(path, limit)
file +            return join(path, limit)
file -          return [limit, True]
file +        return [limit, True]
file +        def load(self, path):
file +            limit = 10 + self.max_size  # in whole bytes
file +            if not path == "a-b":
file +                return join(path, limit)
file +            return [limit, True]
file +
everywhere

short_line_twice 2
file +            def load(self, path):
file +
new -    def load(self, path):
new +def load(self, amount):
new -        return path

class_clones 2
file +class Buffer:
file +    def load(self, path):
file +        limit = 10 + self.max_size  # in whole bytes
file +        if not path == "a-b":
file +            return join(path, limit)
file +        return [limit, True]
file +
file +
file +class Loader:
file +    def load(self, path):
file +        limit = 10 + self.max_size  # in whole bytes
file +        if not path == "a-b":
file +            return join(path, limit)
file +        return [limit, True]

stitched 1
seen -            return join(path, limit)
seen -        return [limit, True]
seen +    def close(self):
seen +        pass
file -    def close(self):
file -        pass
file +            return join(path, limit)
file +        return [limit, True]
"""


@pytest.mark.parametrize(("name", "severity", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, lines: list[str]) -> None:
    assert described(damage(MUTATORS, name, severity)) == lines


def test_stitched_lines_stood_together_once() -> None:
    damaged = damage(MUTATORS, "stitched", clean=edit("«a = 1\nb = 2»\n\nc = 3\n\nd = 4\ne = 5\n", "x"))
    assert damaged is not None
    assert damaged.target is None
    assert damaged.edits == (Edit("a = 1\nd = 4\ne = 5", "x"),)
    assert damaged.before == (File("a.py", "a = 1\nb = 2\n\nc = 3\n\nd = 4\ne = 5\n"),)
    assert damaged.reason == "stitched"
