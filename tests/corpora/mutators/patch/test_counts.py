"""Hunk headers that count wrongly."""

from __future__ import annotations

import pytest

from corpora.mutators.patch.counts import MUTATORS
from tests.corpora.mutators.patch_text import cases, described

_DAMAGE = r"""
counts_too_small 2 two
-@@ -10,10 +10,11 @@
+@@ -10,8 +10,9 @@
-@@ -23,7 +24,5 @@
+@@ -23,5 +24,3 @@
-@@ -1,4 +1,6 @@
+@@ -1,2 +1,4 @@

counts_too_large 2 two
-@@ -10,10 +10,11 @@
+@@ -10,12 +10,13 @@
-@@ -23,7 +24,5 @@
+@@ -23,9 +24,7 @@
-@@ -1,4 +1,6 @@
+@@ -1,6 +1,8 @@

old_count_too_large 2 two
-@@ -10,10 +10,11 @@
+@@ -10,12 +10,11 @@
-@@ -23,7 +24,5 @@
+@@ -23,9 +24,5 @@
-@@ -1,4 +1,6 @@
+@@ -1,6 +1,6 @@

new_count_too_large 2 two
-@@ -10,10 +10,11 @@
+@@ -10,10 +10,13 @@
-@@ -23,7 +24,5 @@
+@@ -23,7 +24,7 @@
-@@ -1,4 +1,6 @@
+@@ -1,4 +1,8 @@

counts_absurd 2 two
-@@ -10,10 +10,11 @@
+@@ -10,1000010 +10,1000011 @@
-@@ -23,7 +24,5 @@
+@@ -23,1000007 +24,1000005 @@
-@@ -1,4 +1,6 @@
+@@ -1,1000004 +1,1000006 @@

counts_swapped 1 two
-@@ -10,10 +10,11 @@
+@@ -10,11 +10,10 @@
-@@ -23,7 +24,5 @@
+@@ -23,5 +24,7 @@
-@@ -1,4 +1,6 @@
+@@ -1,6 +1,4 @@

counts_left_out 1 two
-@@ -10,10 +10,11 @@
+@@ -10 +10 @@
-@@ -23,7 +24,5 @@
+@@ -23 +24 @@
-@@ -1,4 +1,6 @@
+@@ -1 +1 @@

counts_zero 1 two
-@@ -10,10 +10,11 @@
+@@ -10,0 +10,0 @@
-@@ -23,7 +24,5 @@
+@@ -23,0 +24,0 @@
-@@ -1,4 +1,6 @@
+@@ -1,0 +1,0 @@

counts_of_changes 1 two
-@@ -10,10 +10,11 @@
+@@ -10,1 +10,2 @@
-@@ -23,7 +24,5 @@
+@@ -23,3 +24,1 @@
-@@ -1,4 +1,6 @@
+@@ -1,0 +1,2 @@
"""


@pytest.mark.parametrize(("name", "severity", "which", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, which: str, lines: list[str]) -> None:
    assert described(MUTATORS, name, severity, which) == lines
