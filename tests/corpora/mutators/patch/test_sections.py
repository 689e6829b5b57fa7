"""Hunks and sections doubled, crossed, split and turned round."""

from __future__ import annotations

import pytest

from corpora.mutators.patch.sections import MUTATORS
from tests.corpora.mutators.patch_text import cases, described

_DAMAGE = r"""
hunk_doubled_diff 2 two
+@@ -23,7 +24,5 @@
+         return total
+·
+     def save(self, path):
+-        check(path)
+-        write(path)
+-        sync(path)
++        put(path)
+         return path
+@@ -23,7 +24,5 @@
+         return total
+·
+     def save(self, path):
+-        check(path)
+-        write(path)
+-        sync(path)
++        put(path)
+         return path

section_doubled_diff 1 two
+--- a/src/text.py
++++ b/src/text.py
+@@ -1,4 +1,6 @@
+ '''Words.'''
+·
+ def last(words):
++    check(words)
++    count(words)
+     return words[-1]

crossed_files_diff 1 two
---- a/src/store.py
+--- a/src/text.py
-+++ b/src/store.py
++++ b/src/text.py
---- a/src/text.py
+--- a/src/store.py
-+++ b/src/text.py
++++ b/src/store.py
wrong_file

hunks_out_of_order_diff 2 two
+@@ -23,7 +24,5 @@
+         return total
+·
+     def save(self, path):
+-        check(path)
+-        write(path)
+-        sync(path)
++        put(path)
+         return path
-@@ -23,7 +24,5 @@
-         return total
-·
-     def save(self, path):
--        check(path)
--        write(path)
--        sync(path)
-+        put(path)
-         return path

contradicting_hunks_diff 1 two
+@@ -23,7 +24,5 @@
+         return total
+·
+     def save(self, path):
+-        check(path)
+-        write(path)
+-        sync(path)
++        handle(field)
+         return path
overlap

shared_context_diff 1 two
-@@ -10,10 +10,11 @@
+@@ -10,7 +10,7 @@
+             return "too-small"
+·
+         data = read(path)
+@@ -14,6 +14,7 @@

against_result_diff 1 two
-@@ -10,10 +10,11 @@
+@@ -10,7 +10,7 @@
+             return "too-small"
+·
+         data = read(path)
+@@ -13,7 +13,8 @@
+         if size <= LIMIT:

reversed_diff 1 one
-@@ -10,10 +10,11 @@
+@@ -10,11 +10,10 @@
--        if size < LIMIT:
+-        if size <= LIMIT:
-+        if size <= LIMIT:
++        if size < LIMIT:
-+        log(path)
+-        log(path)
-@@ -23,7 +24,5 @@
+@@ -24,5 +23,7 @@
+-        put(path)
--        check(path)
++        check(path)
--        write(path)
++        write(path)
--        sync(path)
++        sync(path)
-+        put(path)
reversed

blocks_of_another_format 1 tiny
-@@
+<<<<<<< SEARCH
- first = 1
+first = 1
--last = 2
+last = 2
+=======
+first = 1
-+last = 3
+last = 3
+>>>>>>> REPLACE
"""


@pytest.mark.parametrize(("name", "severity", "which", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, which: str, lines: list[str]) -> None:
    assert described(MUTATORS, name, severity, which) == lines
