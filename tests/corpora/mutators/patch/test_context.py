"""Hunks with other context than the file, or less."""

from __future__ import annotations

import pytest

from corpora.mutators.patch.context import MUTATORS
from tests.corpora.mutators.patch_text import cases, described

_DAMAGE = r"""
context_below_cut_diff 2 two
-@@ -10,10 +10,11 @@
+@@ -10,8 +10,9 @@
-·
-     def size(self):
-@@ -23,7 +24,5 @@
+@@ -23,6 +24,4 @@
-         return path
-@@ -1,4 +1,6 @@
+@@ -1,3 +1,5 @@
-     return words[-1]

context_above_cut_diff 2 two
+@@ -12,8 +12,9 @@
-@@ -10,10 +10,11 @@
- class Store:
-     def load(self, path):
-@@ -23,7 +24,5 @@
+@@ -25,5 +26,3 @@
-         return total
-·
+@@ -3,2 +3,4 @@
-@@ -1,4 +1,6 @@
- '''Words.'''
-·

context_cut_diff 2 two
+@@ -12,6 +12,7 @@
-@@ -10,10 +10,11 @@
- class Store:
-     def load(self, path):
-·
-     def size(self):
-@@ -23,7 +24,5 @@
+@@ -25,4 +26,2 @@
-         return total
-·
-         return path
+@@ -3,1 +3,3 @@
-@@ -1,4 +1,6 @@
- '''Words.'''
-·
-     return words[-1]

typo_in_context_diff 2 two
-         return total
+         return ottal
-     def save(self, path):
+     def svae(self, path):

typo_in_removed_diff 2 two
--        sync(path)
+-        sync(apth)

typo_in_outer_context 1 two
-         return total
+         return ottal

context_skipped_diff 2 two
-     def load(self, path):

context_elided_diff 2 two
-     def load(self, path):
+ // ... existing code ...
-·
+ // ... existing code ...

context_renamed_diff 2 two
before src/store.py -        return total
before src/store.py +        return handle
before src/text.py -    return words[-1]
before src/text.py +    return packet[-1]
target src/store.py -        return total
target src/store.py +        return handle
target src/text.py -    return words[-1]
target src/text.py +    return packet[-1]

removed_elided_diff 1 two
--        write(path)
+...

context_invented_diff 2 two
+ store_field(amount_35)
+ open_group(field_40)
line_gone

insertion_without_context 1 two
- '''Words.'''
-·
- def last(words):
-     return words[-1]
no_place

changes_left_out_diff 1 two
-@@ -10,10 +10,11 @@
+@@ -10,10 +10,10 @@
--        if size < LIMIT:
+         if size < LIMIT:
-+        if size <= LIMIT:
-+        log(path)
-@@ -23,7 +24,5 @@
+@@ -23,7 +24,7 @@
--        check(path)
+         check(path)
--        write(path)
+         write(path)
--        sync(path)
+         sync(path)
-+        put(path)
-@@ -1,4 +1,6 @@
+@@ -1,4 +1,4 @@
-+    check(words)
-+    count(words)
no_change
"""


@pytest.mark.parametrize(("name", "severity", "which", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, which: str, lines: list[str]) -> None:
    assert described(MUTATORS, name, severity, which) == lines
