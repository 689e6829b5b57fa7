"""Hunk headers with other numbers, or none."""

from __future__ import annotations

import pytest

from corpora.mutators.patch.numbers import MUTATORS
from tests.corpora.mutators.patch_text import cases, described

_DAMAGE = r"""
starts_off 2 two
-@@ -10,10 +10,11 @@
+@@ -13,10 +13,11 @@
-@@ -23,7 +24,5 @@
+@@ -26,7 +27,5 @@
-@@ -1,4 +1,6 @@
+@@ -4,4 +4,6 @@

starts_absurd 2 two
-@@ -10,10 +10,11 @@
+@@ -999999999,10 +999999999,11 @@
-@@ -23,7 +24,5 @@
+@@ -999999999,7 +999999999,5 @@
-@@ -1,4 +1,6 @@
+@@ -999999999,4 +999999999,6 @@

new_start_off 2 two
-@@ -10,10 +10,11 @@
+@@ -10,10 +13,11 @@
-@@ -23,7 +24,5 @@
+@@ -23,7 +27,5 @@
-@@ -1,4 +1,6 @@
+@@ -1,4 +4,6 @@

starts_zero 1 two
-@@ -10,10 +10,11 @@
+@@ -0,10 +0,11 @@
-@@ -23,7 +24,5 @@
+@@ -0,7 +0,5 @@
-@@ -1,4 +1,6 @@
+@@ -0,4 +0,6 @@

starts_one 1 two
-@@ -10,10 +10,11 @@
+@@ -1,10 +1,11 @@
-@@ -23,7 +24,5 @@
+@@ -1,7 +1,5 @@

starts_negative 1 two
-@@ -10,10 +10,11 @@
+@@ --10,10 +-10,11 @@
-@@ -23,7 +24,5 @@
+@@ --23,7 +-24,5 @@
-@@ -1,4 +1,6 @@
+@@ --1,4 +-1,6 @@

shift_forgotten 1 two
-@@ -23,7 +24,5 @@
+@@ -23,7 +23,5 @@

sides_swapped 1 two
-@@ -10,10 +10,11 @@
+@@ -10,11 +10,10 @@
-@@ -23,7 +24,5 @@
+@@ -24,5 +23,7 @@
-@@ -1,4 +1,6 @@
+@@ -1,6 +1,4 @@

bare_headers 1 two
-@@ -10,10 +10,11 @@
+@@
-@@ -23,7 +24,5 @@
+@@
-@@ -1,4 +1,6 @@
+@@

dotted_headers 1 two
-@@ -10,10 +10,11 @@
+@@ ... @@
-@@ -23,7 +24,5 @@
+@@ ... @@
-@@ -1,4 +1,6 @@
+@@ ... @@

letters_for_numbers 1 two
-@@ -10,10 +10,11 @@
+@@ -x,y +x,z @@
-@@ -23,7 +24,5 @@
+@@ -x,y +x,z @@
-@@ -1,4 +1,6 @@
+@@ -x,y +x,z @@

unspaced_headers 1 two
-@@ -10,10 +10,11 @@
+@@-10,10 +10,11@@
-@@ -23,7 +24,5 @@
+@@-23,7 +24,5@@
-@@ -1,4 +1,6 @@
+@@-1,4 +1,6@@

unclosed_headers 1 two
-@@ -10,10 +10,11 @@
+@@ -10,10 +10,11
-@@ -23,7 +24,5 @@
+@@ -23,7 +24,5
-@@ -1,4 +1,6 @@
+@@ -1,4 +1,6

section_text 1 two
-@@ -10,10 +10,11 @@
+@@ -10,10 +10,11 @@ fn frobnicate()
-@@ -23,7 +24,5 @@
+@@ -23,7 +24,5 @@ fn frobnicate()
-@@ -1,4 +1,6 @@
+@@ -1,4 +1,6 @@ fn frobnicate()

empty_headers_diff 1 two
-@@ -10,10 +10,11 @@
+@@ @@
-@@ -23,7 +24,5 @@
+@@ @@
-@@ -1,4 +1,6 @@
+@@ @@

numbers_in_words_diff 1 two
-@@ -10,10 +10,11 @@
+@@ Line 10, @@
-@@ -23,7 +24,5 @@
+@@ Line 23, @@
-@@ -1,4 +1,6 @@
+@@ Line 1, @@

dotted_headers_envelope 1 two
-@@
+@@ ... @@
-@@
+@@ ... @@
-@@
+@@ ... @@

numbers_in_envelope 2 two
-@@
+@@ -11,10 +11,11 @@
-@@
+@@ -24,7 +25,5 @@
-@@
+@@ -2,4 +2,6 @@

blanks_after_headers_diff 2 two
-@@ -10,10 +10,11 @@
+@@ -10,10 +10,11 @@··
-@@ -23,7 +24,5 @@
+@@ -23,7 +24,5 @@··
-@@ -1,4 +1,6 @@
+@@ -1,4 +1,6 @@··

later_headers_missing_diff 1 two
-@@ -23,7 +24,5 @@

headers_missing_diff 1 two
-@@ -10,10 +10,11 @@
-@@ -23,7 +24,5 @@
-@@ -1,4 +1,6 @@
"""


@pytest.mark.parametrize(("name", "severity", "which", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, which: str, lines: list[str]) -> None:
    assert described(MUTATORS, name, severity, which) == lines
