"""Finds with what a display put round the lines."""

from __future__ import annotations

import pytest

from corpora.mutators.text.pasted import MUTATORS
from tests.corpora.mutators.search_text import cases, damage, described

_DAMAGE = r"""
gutter_arrow 1
find -    def load(self, path):
find +     5→    def load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find +     6→        limit = 10 + self.max_size  # in whole bytes
find -        if not path == "a-b":
find +     7→        if not path == "a-b":
find -            return join(path, limit)
find +     8→            return join(path, limit)
find -        return [limit, True]
find +     9→        return [limit, True]

gutter_tab 1
find -    def load(self, path):
find +     5⇥    def load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find +     6⇥        limit = 10 + self.max_size  # in whole bytes
find -        if not path == "a-b":
find +     7⇥        if not path == "a-b":
find -            return join(path, limit)
find +     8⇥            return join(path, limit)
find -        return [limit, True]
find +     9⇥        return [limit, True]

gutter_pipe 1
find -    def load(self, path):
find +5 |     def load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find +6 |         limit = 10 + self.max_size  # in whole bytes
find -        if not path == "a-b":
find +7 |         if not path == "a-b":
find -            return join(path, limit)
find +8 |             return join(path, limit)
find -        return [limit, True]
find +9 |         return [limit, True]

gutter_colon 1
find -    def load(self, path):
find +5:     def load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find +6:         limit = 10 + self.max_size  # in whole bytes
find -        if not path == "a-b":
find +7:         if not path == "a-b":
find -            return join(path, limit)
find +8:             return join(path, limit)
find -        return [limit, True]
find +9:         return [limit, True]

gutter_both 1
find -    def load(self, path):
find +5:     def load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find +6:         limit = 10 + self.max_size  # in whole bytes
find -        if not path == "a-b":
find +7:         if not path == "a-b":
find -            return join(path, limit)
find +8:             return join(path, limit)
find -        return [limit, True]
find +9:         return [limit, True]
new -    def load(self, path):
new +5:     def load(self, path):
new -        return path
new +6:         return path

code_fence 1
find +```py
find +```

code_fence_both 1
find +```py
find +```
new +```py
new +```

diff_marks 1
find -    def load(self, path):
find +-    def load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find +-        limit = 10 + self.max_size  # in whole bytes
find -        if not path == "a-b":
find +-        if not path == "a-b":
find -            return join(path, limit)
find +-            return join(path, limit)
find -        return [limit, True]
find +-        return [limit, True]
new -    def load(self, path):
new ++    def load(self, path):
new -        return path
new ++        return path

quote_marks 1
find -    def load(self, path):
find +>     def load(self, path):
find -        limit = 10 + self.max_size  # in whole bytes
find +>         limit = 10 + self.max_size  # in whole bytes
find -        if not path == "a-b":
find +>         if not path == "a-b":
find -            return join(path, limit)
find +>             return join(path, limit)
find -        return [limit, True]
find +>         return [limit, True]
"""


@pytest.mark.parametrize(("name", "severity", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, lines: list[str]) -> None:
    assert described(damage(MUTATORS, name, severity)) == lines
