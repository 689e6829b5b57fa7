"""Hunks that say which line stands above them."""

from __future__ import annotations

import pytest

from corpora.mutators.patch.anchors import MUTATORS
from tests.corpora.mutators.patch_text import cases, described

_DAMAGE = r"""
line_above_diff 1 two
-@@ -10,10 +10,11 @@
+@@ print(path)
-@@ -23,7 +24,5 @@
+@@ for item in self.items:

line_above_closed_diff 1 two
-@@ -10,10 +10,11 @@
+@@ print(path) @@
-@@ -23,7 +24,5 @@
+@@ for item in self.items: @@

line_above_unspaced 1 two
-@@
+@@print(path)
-@@
+@@for item in self.items:

part_of_line_above 2 two
-@@
+@@ LIMIT
-@@
+@@ for item

stacked_lines_above 1 two
-@@
+@@ import os
+@@ print(path)

line_that_is_nowhere_diff 1 two
-@@ -10,10 +10,11 @@
+@@ trace_field(packet_55)
-@@ -23,7 +24,5 @@
+@@ check_draft(handle_64)
-@@ -1,4 +1,6 @@
+@@ mark_packet(draft_63)

first_line_repeated_diff 1 two
-@@ -10,10 +10,11 @@
+@@ class Store:
-@@ -23,7 +24,5 @@
+@@ return total
-@@ -1,4 +1,6 @@
+@@ '''Words.'''
"""


@pytest.mark.parametrize(("name", "severity", "which", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, which: str, lines: list[str]) -> None:
    assert described(MUTATORS, name, severity, which) == lines
