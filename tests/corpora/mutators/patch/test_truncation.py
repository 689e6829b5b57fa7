"""Patches that were cut off."""

from __future__ import annotations

import pytest

from corpora.mutators.patch.truncation import MUTATORS
from tests.corpora.mutators.patch_text import cases, described

_DAMAGE = r"""
cut_within_change_diff 2 two
-+        put(path)
++        pu
-         return path
---- a/src/text.py
-+++ b/src/text.py
-@@ -1,4 +1,6 @@
- '''Words.'''
-·
- def last(words):
-+    check(words)
-+    count(words)
-     return words[-1]
-
truncated

cut_after_removed_diff 1 two
-+        put(path)
-         return path
---- a/src/text.py
-+++ b/src/text.py
-@@ -1,4 +1,6 @@
- '''Words.'''
-·
- def last(words):
-+    check(words)
-+    count(words)
-     return words[-1]
truncated

cut_after_added_diff 1 two
-+    count(words)
-     return words[-1]
truncated

cut_with_note_diff 1 two
+<truncated>
-+        put(path)
-         return path
---- a/src/text.py
-+++ b/src/text.py
-@@ -1,4 +1,6 @@
- '''Words.'''
-·
- def last(words):
-+    check(words)
-+    count(words)
-     return words[-1]
truncated

cut_in_hunk_header_diff 2 two
-@@ -1,4 +1,6 @@
+@@ -1,4 +
- '''Words.'''
-·
- def last(words):
-+    check(words)
-+    count(words)
-     return words[-1]
-
truncated

cut_in_file_header_diff 2 two
+--- a/sr
---- a/src/text.py
-+++ b/src/text.py
-@@ -1,4 +1,6 @@
- '''Words.'''
-·
- def last(words):
-+    check(words)
-+    count(words)
-     return words[-1]
-
truncated

cut_after_file_header_diff 1 two
-@@ -1,4 +1,6 @@
- '''Words.'''
-·
- def last(words):
-+    check(words)
-+    count(words)
-     return words[-1]
truncated

head_lost_diff 1 two
---- a/src/store.py
-+++ b/src/store.py
-@@ -10,10 +10,11 @@
- class Store:
-     def load(self, path):
-         size = os.stat(path).st_size
--        if size < LIMIT:
truncated

cut_before_hunk 1 two
-@@
-         return total
-·
-     def save(self, path):
--        check(path)
--        write(path)
--        sync(path)
-+        put(path)
-         return path
-*** Update File: src/text.py
-@@
- '''Words.'''
-·
- def last(words):
-+    check(words)
-+    count(words)
-     return words[-1]
-*** End Patch
truncated

cut_in_end 2 two
-*** End Patch
+*** End·
-

cut_in_last_context_diff 2 two
-     return words[-1]

cut_within_last_context 2 two
-     return words[-1]
+     return w
-
"""


@pytest.mark.parametrize(("name", "severity", "which", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, which: str, lines: list[str]) -> None:
    assert described(MUTATORS, name, severity, which) == lines
