"""Files that look like patches, and files without a last line feed."""

from __future__ import annotations

import pytest

from corpora.mutators.patch.content import MUTATORS
from tests.corpora.mutators.patch_text import cases, described

_DAMAGE = r"""
markers_in_context_diff 2 two
-         data = read(path)
+ diff --git a/x b/x
-     def size(self):
+ \ No newline at end of file
before src/store.py -        data = read(path)
before src/store.py +diff --git a/x b/x
before src/store.py -    def size(self):
before src/store.py +\ No newline at end of file
target src/store.py -        data = read(path)
target src/store.py +diff --git a/x b/x
target src/store.py -    def size(self):
target src/store.py +\ No newline at end of file

markers_in_changes_diff 2 two
-+        put(path)
++diff --git a/x b/x
-+    check(words)
++\ No newline at end of file
target src/store.py -        put(path)
target src/store.py +diff --git a/x b/x
target src/text.py -    check(words)
target src/text.py +\ No newline at end of file

line_separators_diff 2 two
-     def size(self):
+     def size(self):<2029># more
-     return words[-1]
+     return words[-1]<001e># more
before src/store.py -    def size(self):
before src/store.py +    def size(self):<2029># more
before src/text.py -    return words[-1]
before src/text.py +    return words[-1]<001e># more
target src/store.py -    def size(self):
target src/store.py +    def size(self):<2029># more
target src/text.py -    return words[-1]
target src/text.py +    return words[-1]<001e># more

signs_in_content_diff 1 two
--        sync(path)
-+        put(path)
+--- sync(path)
++++ put(path)
before src/store.py -        sync(path)
before src/store.py +-- sync(path)
target src/store.py -        put(path)
target src/store.py +++ put(path)

signs_in_content_miscounted 2 two
-@@ -10,10 +10,11 @@
+@@ -10,12 +10,13 @@
-@@ -23,7 +24,5 @@
+@@ -23,9 +24,7 @@
--        sync(path)
-+        put(path)
+--- sync(path)
++++ put(path)
-@@ -1,4 +1,6 @@
+@@ -1,6 +1,8 @@
before src/store.py -        sync(path)
before src/store.py +-- sync(path)
target src/store.py -        put(path)
target src/store.py +++ put(path)

no_newline_unmarked 1 two
before src/text.py -
target src/text.py -

newline_marked_missing 1 two
+\ No newline at end of file

newline_mark_misplaced 1 two
+\ No newline at end of file

newline_mark_misspelt 1 two
+[No newline at end of file]
before src/text.py -
target src/text.py -
"""


@pytest.mark.parametrize(("name", "severity", "which", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, which: str, lines: list[str]) -> None:
    assert described(MUTATORS, name, severity, which) == lines
