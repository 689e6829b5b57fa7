"""The hunks of diffs that programs write."""

from __future__ import annotations

import pytest

from corpora.diff_hunks import diff_hunks
from editcore.text.diff import unified_diff

BEFORE = "".join(f"{n}\n" for n in range(1, 21))


def test_hunks_are_read_with_their_numbers_their_marks_and_missing_line_feeds() -> None:
    first, last = diff_hunks(unified_diff(BEFORE, BEFORE.replace("2\n", "two\n", 1) + "end", path="a", context=1)) or ()
    assert first.header == "@@ -1,3 +1,3 @@"
    assert first.lines == (" 1", "-2", "+two", " 3")
    assert (first.old, first.new) == (["1", "2", "3"], ["1", "two", "3"])
    assert (first.source_index, last.source_index, last.target_index) == (0, 19, 19)
    assert (last.source_no_newline, last.target_no_newline) == (False, True)


def test_lines_outside_of_hunks_are_skipped_and_an_empty_line_in_one_is_context() -> None:
    (hunk,) = diff_hunks("Index: a\n@@ nothing\n@@ -1,2 +0,0 @@ def f():\n-x\n-@@ -1 +1 @@\nof another file\n") or ()
    assert (hunk.lines, hunk.source_index, hunk.target_index) == (("-x", "-@@ -1 +1 @@"), 0, 0)
    (hunk,) = diff_hunks("@@ -3,2 +3 @@\n\n-x") or ()
    assert hunk.old == ["", "x"]


@pytest.mark.parametrize(
    "diff",
    [
        "@@ -1,3 +1,2 @@\n-x\n",
        "@@ -1,2 +1 @@\n-x\n*y\n",
        "@@ -0,1 +1 @@\n-x\n+y\n",
        "@@ -1,1 +1,2 @@\n-x\n-y\n+z\n",
        "@@ -1,2 +1,2 @@\n-x\n+z\n\\end{document}\n y\n",
    ],
)
def test_a_hunk_that_is_not_as_long_as_its_header_says_spoils_the_diff(diff: str) -> None:
    assert diff_hunks(diff) is None
