"""Patches in fences, mails, quotes and other line ends."""

from __future__ import annotations

import pytest

from corpora.mutators.patch.framing import MUTATORS
from tests.corpora.mutators.patch_text import cases, described

_DAMAGE = r"""
fenced_diff 1 two
+~~~
+~~~

closing_fence_only_diff 1 two
+```

prose_around_diff 1 two
+I'll fix this now. The change below updates the function:
+
+Let me know if you want tests as well.
+

prose_and_fence_diff 1 two
+I'll fix this now. The change below updates the function:
+
+```diff
+```
+Let me know if you want tests as well.
+

mailed_diff 1 two
+From 0123456789abcdef Mon Sep 17 00:00:00 2001
+From: Dev <dev@example.org>
+Subject: [PATCH] Fix
+
+---
+ src/store.py | 2 +-
+ src/text.py | 2 +-
+ 1 file changed
+
+--·
+2.39.5
+

last_line_feed_missing_diff 1 two
-

bom_before_diff 1 two
---- a/src/store.py
+<feff>--- a/src/store.py

bare_heredoc_envelope 1 two
+<<'EOF'
+EOF

indented_diff 2 tiny
---- a/a.py
+    --- a/a.py
-+++ b/a.py
+    +++ b/a.py
-@@ -1,2 +1,2 @@
+    @@ -1,2 +1,2 @@
- first = 1
+     first = 1
--last = 2
+    -last = 2
-+last = 3
+    +last = 3

quoted_diff 1 tiny
---- a/a.py
+> --- a/a.py
-+++ b/a.py
+> +++ b/a.py
-@@ -1,2 +1,2 @@
+> @@ -1,2 +1,2 @@
- first = 1
+>  first = 1
--last = 2
+> -last = 2
-+last = 3
+> +last = 3

html_entities_diff 1 two
--        if size < LIMIT:
+-        if size &lt; LIMIT:
-+        if size <= LIMIT:
++        if size &lt;= LIMIT:

json_string_diff 1 tiny
+--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n first = 1\n-last = 2\n+last = 3\n
---- a/a.py
-+++ b/a.py
-@@ -1,2 +1,2 @@
- first = 1
--last = 2
-+last = 3
-

heredoc_diff 1 two
+patch -p1 <<EOF
+EOF

begin_and_end_round_diff 1 two
+*** Begin Patch
+*** End Patch

crlf_patch_diff 1 tiny
---- a/a.py
+--- a/a.py␍
-+++ b/a.py
++++ b/a.py␍
-@@ -1,2 +1,2 @@
+@@ -1,2 +1,2 @@␍
- first = 1
+ first = 1␍
--last = 2
+-last = 2␍
-+last = 3
++last = 3␍

crlf_files_diff 1 tiny
before a.py -first = 1
before a.py +first = 1␍
before a.py -last = 2
before a.py +last = 2␍
target a.py -first = 1
target a.py +first = 1␍
target a.py -last = 3
target a.py +last = 3␍

bom_in_files_diff 1 two
before src/text.py -'''Words.'''
before src/text.py +<feff>'''Words.'''
target src/text.py -'''Words.'''
target src/text.py +<feff>'''Words.'''

blank_lines_around_diff 2 two
+
+
+
+
"""


@pytest.mark.parametrize(("name", "severity", "which", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, which: str, lines: list[str]) -> None:
    assert described(MUTATORS, name, severity, which) == lines
