"""Finds encoded once too often, or decoded."""

from __future__ import annotations

import pytest

from corpora.mutators.text.escapes import MUTATORS
from editcore.types import Edit, File
from tests.corpora.mutators.search_text import cases, damage, described, edit

_DAMAGE = r"""
escaped_newlines 2
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit = 10 + self.max_size  # in whole bytes\n        if not path == "a-b":
find +            return join(path, limit)\n        return [limit, True]
find -        if not path == "a-b":
find -            return join(path, limit)
find -        return [limit, True]

escaped_quotes 2
find -        if not path == "a-b":
find +        if not path == "a-b\":

escaped_tabs 2
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
find +\tdef load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find +⇥\tlimit = 10 + self.max_size  # in whole bytes
find -        if not path == "a-b":
find +⇥⇥if not path == "a-b":
find -            return join(path, limit)
find +⇥\t⇥return join(path, limit)
find -        return [limit, True]
find +⇥\treturn [limit, True]
new -    def load(self, path):
new +⇥def load(self, path):
new -        return path
new +⇥⇥return path

escaped_dollars 2
file -        limit = 10 + self.max_size  # in whole bytes
file +        limit = 10 + self.max_size  # in whole bytes up to $10
find -        limit = 10 + self.max_size  # in whole bytes
find +        limit = 10 + self.max_size  # in whole bytes up to \$10

under_escaped 2
file -        if not path == "a-b":
file +        if not path == "a-b\n":
find -        if not path == "a-b":
find +        if not path == "a-b
find +":

html_entities 2
find -        if not path == "a-b":
find +        if not path == "a-b&quot;:

html_entities_both 1
find -        if not path == "a-b":
find +        if not path == &quot;a-b&quot;:
"""


@pytest.mark.parametrize(("name", "severity", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, lines: list[str]) -> None:
    assert described(damage(MUTATORS, name, severity)) == lines


@pytest.mark.parametrize(
    ("name", "find", "new"),
    [
        ("over_escaped", r"a(\"b\")\n\tc", 'd("e")'),
        ("over_escaped_both", r"a(\"b\")\n\tc", r"d(\"e\")"),
        ("twice_escaped", r"a(\\\"b\\\")\\n\\tc", 'd("e")'),
    ],
)
def test_the_whole_text_is_escaped(name: str, find: str, new: str) -> None:
    damaged = damage(MUTATORS, name, clean=edit('«a("b")\n\tc»\n', 'd("e")'))
    assert damaged is not None
    assert damaged.edits == (Edit(find, new),)
    assert damaged.target == (File("a.py", 'd("e")\n'),)
