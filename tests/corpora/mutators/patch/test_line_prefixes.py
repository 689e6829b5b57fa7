"""Lines of hunks that lost their sign, or have another."""

from __future__ import annotations

import pytest

from corpora.mutators.patch.line_prefixes import MUTATORS
from tests.corpora.mutators.patch_text import cases, described

_DAMAGE = r"""
blank_context_bare_diff 2 two
-·
+
-·
+

context_bare_diff 2 two
- '''Words.'''
+'''Words.'''
- def last(words):
+def last(words):

all_context_bare_diff 1 tiny
- first = 1
+first = 1

tab_for_mark_diff 2 two
- class Store:
+⇥class Store:
-         data = read(path)
+⇥        data = read(path)
-     def size(self):
+⇥    def size(self):
-         return total
+⇥        return total
-     def save(self, path):
+⇥    def save(self, path):
-     return words[-1]
+⇥    return words[-1]

plus_lost_diff 2 two
-+    check(words)
+    check(words)
-+    count(words)
+    count(words)

blank_for_plus_diff 2 two
-+    check(words)
+     check(words)
-+    count(words)
+     count(words)

blank_after_signs_diff 1 one
--        if size < LIMIT:
+-         if size < LIMIT:
-+        if size <= LIMIT:
++         if size <= LIMIT:
-+        log(path)
++         log(path)
--        check(path)
+-         check(path)
--        write(path)
+-         write(path)
--        sync(path)
+-         sync(path)
-+        put(path)
++         put(path)

signs_doubled_diff 2 two
--        if size < LIMIT:
+--        if size < LIMIT:
-+        log(path)
+++        log(path)
--        sync(path)
+--        sync(path)
-+        put(path)
+++        put(path)
-+    count(words)
+++    count(words)

plus_before_minus_diff 1 two
++        if size <= LIMIT:
-+        if size <= LIMIT:
++        put(path)
-+        put(path)

line_numbers_diff 1 tiny
- first = 1
+ 1: first = 1
--last = 2
+-2: last = 2

blank_context_lost_diff 1 two
-·
-·
-·
-·
"""


@pytest.mark.parametrize(("name", "severity", "which", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, which: str, lines: list[str]) -> None:
    assert described(MUTATORS, name, severity, which) == lines
