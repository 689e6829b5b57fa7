"""Files that a patch adds, deletes or moves besides."""

from __future__ import annotations

import pytest

from corpora.mutators.patch.files import MUTATORS
from tests.corpora.mutators.patch_text import cases, described

_DAMAGE = r"""
file_renamed_diff 1 two
before src/text.py -'''Words.'''
before src/text.py -def last(words):
before src/text.py -    return words[-1]
before src/text.py -
before src/text_v2.py +'''Words.'''
before src/text_v2.py +def last(words):
before src/text_v2.py +    return words[-1]
before src/text_v2.py +
no_such_file

added_over_existing_diff 1 two
+--- /dev/null
++++ b/notes_for_review.md
+@@ -0,0 +1,2 @@
++planted = True
++print(planted)
before notes_for_review.md +# Notes
before notes_for_review.md +Not to be lost.
before notes_for_review.md +
exists

deleted_missing_diff 1 two
+--- a/notes_for_review.md
++++ /dev/null
+@@ -1,2 +0,0 @@
+-Old notes
+-to be deleted
no_such_file

moved_onto_existing_diff 1 two
+diff --git a/src/text.py b/notes_for_review.md
+rename from src/text.py
+rename to notes_for_review.md
-+++ b/src/text.py
++++ b/notes_for_review.md
before notes_for_review.md +# Notes
before notes_for_review.md +Not to be lost.
before notes_for_review.md +
exists

deleted_grown 2 two
+--- a/notes_for_review.md
++++ /dev/null
+@@ -1,2 +0,0 @@
+-Old notes
+-to be deleted
before notes_for_review.md +Old notes
before notes_for_review.md +to be deleted
before notes_for_review.md +trace_field(packet_55);
before notes_for_review.md +check_draft(handle_64);
stale

moved_to_itself_diff 1 two
+diff --git a/src/text.py b/./src/text.py
+rename from src/text.py
+rename to ./src/text.py
-+++ b/src/text.py
++++ b/./src/text.py

added_without_plus 1 two
+*** Add File: notes_for_review.md
+first = 1
+second = 2
target notes_for_review.md +first = 1
target notes_for_review.md +second = 2

created 1 two
+*** New File: notes_for_review.md
++first = 1
target notes_for_review.md +first = 1

moved_after_hunks 1 two
+*** Move to: notes_for_review.md
target src/text.py -'''Words.'''
target src/text.py -def last(words):
target src/text.py -    check(words)
target src/text.py -    count(words)
target src/text.py -    return words[-1]
target src/text.py -
target notes_for_review.md +'''Words.'''
target notes_for_review.md +def last(words):
target notes_for_review.md +    check(words)
target notes_for_review.md +    count(words)
target notes_for_review.md +    return words[-1]
target notes_for_review.md +

deleted_with_lines 1 two
+*** Delete File: notes_for_review.md
+-Old notes
+-to be deleted
before notes_for_review.md +Old notes
before notes_for_review.md +to be deleted

added_blank_bare 2 two
+*** Add File: notes_for_review.md
++first = 1
+
+
++last = 2
target notes_for_review.md +first = 1
target notes_for_review.md +
target notes_for_review.md +last = 2
target notes_for_review.md +

added_empty 1 two
+*** Add File: notes_for_review.md
"""


@pytest.mark.parametrize(("name", "severity", "which", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, which: str, lines: list[str]) -> None:
    assert described(MUTATORS, name, severity, which) == lines
