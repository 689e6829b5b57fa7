"""Paths that lead out, or are spelt otherwise."""

from __future__ import annotations

import pytest

from corpora.mutators.patch.paths import MUTATORS
from tests.corpora.mutators.patch_text import cases, described

_DAMAGE = r"""
parent_path_diff 2 two
---- a/src/store.py
+--- a/../../src/store.py
-+++ b/src/store.py
++++ b/../../src/store.py
---- a/src/text.py
+--- a/../../src/text.py
-+++ b/src/text.py
++++ b/../../src/text.py
outside

parent_path_back_diff 2 two
---- a/src/store.py
-+++ b/src/store.py
+--- a/lib/lib/../../src/store.py
++++ b/lib/lib/../../src/store.py
---- a/src/text.py
-+++ b/src/text.py
+--- a/lib/lib/../../src/text.py
++++ b/lib/lib/../../src/text.py

absolute_path_diff 1 two
---- a/src/store.py
+--- /testbed/src/store.py
-+++ b/src/store.py
++++ /testbed/src/store.py
---- a/src/text.py
+--- /testbed/src/text.py
-+++ b/src/text.py
++++ /testbed/src/text.py

drive_path_diff 1 two
---- a/src/store.py
-+++ b/src/store.py
+--- D:\src\src\store.py
++++ D:\src\src\store.py
---- a/src/text.py
-+++ b/src/text.py
+--- D:\src\src\text.py
++++ D:\src\src\text.py

backslash_path_diff 1 two
---- a/src/store.py
+--- a/src\store.py
-+++ b/src/store.py
++++ b/src\store.py
---- a/src/text.py
+--- a/src\text.py
-+++ b/src/text.py
++++ b/src\text.py

dotted_path_diff 2 two
---- a/src/store.py
+--- a/././src/store.py
-+++ b/src/store.py
++++ b/././src/store.py
---- a/src/text.py
+--- a/././src/text.py
-+++ b/src/text.py
++++ b/././src/text.py

nul_in_path_diff 1 two
---- a/src/store.py
+--- a/src/store.<0000>py
-+++ b/src/store.py
++++ b/src/store.<0000>py
---- a/src/text.py
+--- a/src/text.<0000>py
-+++ b/src/text.py
++++ b/src/text.<0000>py
nul

quoted_path 1 two
-*** Update File: src/store.py
+*** Update File: 'src/store.py'
-*** Update File: src/text.py
+*** Update File: 'src/text.py'

padded_path 2 two
-*** Update File: src/store.py
+*** Update File:   src/store.py··
-*** Update File: src/text.py
+*** Update File:   src/text.py··

path_missing 2 two
-*** Update File: src/store.py
+*** Update File:··
-*** Update File: src/text.py
+*** Update File:··
malformed

added_outside_diff 1 two
+--- /dev/null
++++ /usr/local/bin/planted
+@@ -0,0 +1,2 @@
++planted = True
++print(planted)
outside

added_above_diff 2 two
+--- /dev/null
++++ b/../../planted.py
+@@ -0,0 +1,2 @@
++planted = True
++print(planted)
outside

added_in_git_diff 1 two
+--- /dev/null
++++ b/.GIT/hooks/post-checkout
+@@ -0,0 +1,2 @@
++planted = True
++print(planted)
target .GIT/hooks/post-checkout +planted = True
target .GIT/hooks/post-checkout +print(planted)

moved_outside_diff 2 two
+diff --git a/src/text.py b/../../src/text.py
+rename from src/text.py
+rename to ../../src/text.py
-+++ b/src/text.py
++++ b/../../src/text.py
outside
"""


@pytest.mark.parametrize(("name", "severity", "which", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, which: str, lines: list[str]) -> None:
    assert described(MUTATORS, name, severity, which) == lines
