"""Headers of files in diffs, otherwise than they should be."""

from __future__ import annotations

import pytest

from corpora.mutators.patch.headers import MUTATORS
from tests.corpora.mutators.patch_text import cases, described

_DAMAGE = r"""
headers_of_files_missing 1 one
---- a/src/store.py
-+++ b/src/store.py

only_old_header 1 one
-+++ b/src/store.py

only_new_header 1 one
---- a/src/store.py

only_git_header 1 two
+diff --git a/src/store.py b/src/store.py
---- a/src/store.py
-+++ b/src/store.py
+diff --git a/src/text.py b/src/text.py
---- a/src/text.py
-+++ b/src/text.py

git_headers 1 two
+diff --git a/src/store.py b/src/store.py
+index xxxxxxx..yyyyyyy
+diff --git a/src/text.py b/src/text.py
+index xxxxxxx..yyyyyyy

mode_lines 1 two
+diff --git a/src/store.py b/src/store.py
+old mode 100644
+new mode 100755
+diff --git a/src/text.py b/src/text.py
+old mode 100644
+new mode 100755

timestamps 1 two
---- a/src/store.py
-+++ b/src/store.py
+--- a/src/store.py⇥2024-01-15 10:30:00
++++ b/src/store.py⇥2024-01-15 10:30:00
---- a/src/text.py
-+++ b/src/text.py
+--- a/src/text.py⇥2024-01-15 10:30:00
++++ b/src/text.py⇥2024-01-15 10:30:00

spaced_timestamps 1 two
---- a/src/store.py
-+++ b/src/store.py
+--- a/src/store.py  2024-01-15 10:30:00.000000000 +0000
++++ b/src/store.py  2024-01-15 10:30:00.000000000 +0000
---- a/src/text.py
-+++ b/src/text.py
+--- a/src/text.py  2024-01-15 10:30:00.000000000 +0000
++++ b/src/text.py  2024-01-15 10:30:00.000000000 +0000

tab_after_names 1 two
---- a/src/store.py
+--- a/src/store.py⇥
-+++ b/src/store.py
++++ b/src/store.py⇥
---- a/src/text.py
+--- a/src/text.py⇥
-+++ b/src/text.py
++++ b/src/text.py⇥

names_swapped 1 two
---- a/src/store.py
+--- b/src/store.py
-+++ b/src/store.py
++++ a/src/store.py
---- a/src/text.py
+--- b/src/text.py
-+++ b/src/text.py
++++ a/src/text.py

prefixes_missing 1 two
---- a/src/store.py
+--- src/store.py
-+++ b/src/store.py
++++ src/store.py
---- a/src/text.py
+--- src/text.py
-+++ b/src/text.py
++++ src/text.py

prefix_on_one_side 1 two
-+++ b/src/store.py
++++ src/store.py
-+++ b/src/text.py
++++ src/text.py

other_prefixes 1 two
---- a/src/store.py
+--- original/src/store.py
-+++ b/src/store.py
++++ modified/src/store.py
---- a/src/text.py
+--- original/src/text.py
-+++ b/src/text.py
++++ modified/src/text.py

names_in_quotes 1 two
---- a/src/store.py
+--- "a/src/store.py"
-+++ b/src/store.py
++++ "b/src/store.py"
---- a/src/text.py
+--- "a/src/text.py"
-+++ b/src/text.py
++++ "b/src/text.py"

headers_before_each_hunk 1 two
+--- a/src/store.py
++++ b/src/store.py

only_old_headers 1 two
-+++ b/src/store.py
-+++ b/src/text.py

only_new_headers 1 two
---- a/src/store.py
---- a/src/text.py

header_lines_swapped 1 one
++++ b/src/store.py
-+++ b/src/store.py

names_in_backticks 1 two
---- a/src/store.py
+--- `a/src/store.py`
-+++ b/src/store.py
++++ `b/src/store.py`
---- a/src/text.py
+--- `a/src/text.py`
-+++ b/src/text.py
++++ `b/src/text.py`

old_name_invented 1 two
---- a/src/store.py
+--- a/unknown
---- a/src/text.py
+--- a/unknown

old_name_null 1 two
---- a/src/store.py
+--- /dev/null
---- a/src/text.py
+--- /dev/null

new_name_null 1 two
-+++ b/src/store.py
++++ /dev/null
-+++ b/src/text.py
++++ /dev/null

directories_before_names 2 two
---- a/src/store.py
-+++ b/src/store.py
+--- a/main_repo/tree/src/store.py
++++ b/main_repo/tree/src/store.py
---- a/src/text.py
-+++ b/src/text.py
+--- a/main_repo/tree/src/text.py
++++ b/main_repo/tree/src/text.py

names_null 1 two
---- a/src/store.py
-+++ b/src/store.py
+--- /dev/null
++++ /dev/null
---- a/src/text.py
-+++ b/src/text.py
+--- /dev/null
++++ /dev/null
malformed
"""


@pytest.mark.parametrize(("name", "severity", "which", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, which: str, lines: list[str]) -> None:
    assert described(MUTATORS, name, severity, which) == lines
