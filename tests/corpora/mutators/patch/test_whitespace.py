"""Hunks with other blanks than the file."""

from __future__ import annotations

import pytest

from corpora.mutators.patch.whitespace import MUTATORS
from tests.corpora.mutators.patch_text import cases, described

_DAMAGE = r"""
trailing_blanks_diff 2 two
-     def load(self, path):
+     def load(self, path):⇥
-             return "too-small"
+             return "too-small"····
-         data = read(path)
+         data = read(path)··
-·
+···
-     def save(self, path):
+     def save(self, path):····
--        check(path)
+-        check(path)··
--        sync(path)
+-        sync(path)·
-         return path
+         return path····
-     return words[-1]
+     return words[-1]··

trailing_blanks_lost_diff 2 tiny
before a.py -last = 2
before a.py +last = 2⇥

tabs_in_context_diff 2 two
-     def load(self, path):
+ ⇥def load(self, path):
-             return "too-small"
+ ⇥⇥⇥return "too-small"
-         return total
+ ⇥⇥return total
-     return words[-1]
+ ⇥return words[-1]

tabs_in_hunks_diff 1 one
-     def load(self, path):
+ ⇥def load(self, path):
-         size = os.stat(path).st_size
+ ⇥⇥size = os.stat(path).st_size
--        if size < LIMIT:
+-⇥⇥if size < LIMIT:
-+        if size <= LIMIT:
++⇥⇥if size <= LIMIT:
-             return "too-small"
+ ⇥⇥⇥return "too-small"
-         data = read(path)
+ ⇥⇥data = read(path)
-+        log(path)
-         return data
++⇥⇥log(path)
+ ⇥⇥return data
-     def size(self):
+ ⇥def size(self):
-         return total
+ ⇥⇥return total
-     def save(self, path):
+ ⇥def save(self, path):
--        check(path)
--        write(path)
--        sync(path)
-+        put(path)
-         return path
+-⇥⇥check(path)
+-⇥⇥write(path)
+-⇥⇥sync(path)
++⇥⇥put(path)
+ ⇥⇥return path

dedented_hunks_diff 2 two
-         return total
+       return total
-     def save(self, path):
+   def save(self, path):
--        check(path)
+-      check(path)
--        write(path)
+-      write(path)
--        sync(path)
+-      sync(path)
-+        put(path)
++      put(path)
-         return path
+       return path

indented_hunks_diff 2 tiny
- first = 1
+     first = 1
--last = 2
+-    last = 2
-+last = 3
++    last = 3

curly_punctuation_diff 2 two
- '''Words.'''
+ ’’’Words.’’’
-     return words[-1]
+     return words[–1]
"""


@pytest.mark.parametrize(("name", "severity", "which", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, which: str, lines: list[str]) -> None:
    assert described(MUTATORS, name, severity, which) == lines
