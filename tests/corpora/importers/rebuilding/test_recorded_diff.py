"""Recorded diffs as evidence."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.importers.rebuilding.recorded_diff import agrees, apply_recorded, removes_file
from corpora.importers.session import RecordedDiff
from editcore.text.diff import unified_diff

LINES = st.sampled_from(["", "a", "b", "  a", "\ta", "  ", "a\r", "--- a", "+++ b", "@@ -1 +1 @@", "\\ x", "é"])
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, st.lists(LINES, max_size=12), st.sampled_from(["", "\n"]))
BEFORE = "def f():\n    x = 1\n    y = 2\n    z = 3\n"


def diff(before: str, after: str, **fields: bool | str) -> RecordedDiff:
    return RecordedDiff("a.py", unified_diff(before, after, path="a.py"), **fields)  # type: ignore[arg-type]


def dedented(before: str, after: str) -> RecordedDiff:
    """The diff without the indentation that all its lines share, cut as OpenCode cuts it."""
    lines = unified_diff(before, after, path="a.py").split("\n")
    content = [n for n, line in enumerate(lines) if line[:1] in ("+", "-", " ") and line[:3] not in ("+++", "---")]
    indents = [len(lines[n]) - 1 - len(lines[n][1:].lstrip()) for n in content if lines[n][1:].strip()]
    for n in content:
        lines[n] = lines[n][0] + lines[n][1 + min(indents, default=0) :]
    return RecordedDiff("a.py", "\n".join(lines), dedented=True)


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS)
def test_a_diff_laid_on_the_text_it_was_made_for_gives_the_other(before: str, after: str) -> None:
    assert apply_recorded(diff(before, after), before) == after
    assert agrees(diff(before, after), before, after)


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_what_a_diff_gives_of_another_text_goes_back_to_that_text(before: str, after: str, other: str) -> None:
    made = apply_recorded(diff(before, after), other)
    assert made is None or apply_recorded(diff(after, before), made) == other


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS)
def test_indentation_that_was_cut_off_is_put_back_rightly_or_not_at_all(before: str, after: str) -> None:
    indented, wanted = (re.sub(r"(?m)^(?=.)", "    ", text) for text in (before, after))
    cut = dedented(indented, wanted)
    assert apply_recorded(cut, indented, written_lines=wanted.split("\n")) in (None, wanted)
    assert agrees(cut, indented, wanted)


def test_indentation_that_was_cut_off_is_taken_from_the_lines_of_the_file() -> None:
    before, after = "if x:\n" + "\ty\n" * 5 + "\tz\n", "if x:\n" + "\ty\n" * 5 + "\n\tif y:\n\t\tz\n"
    cut = dedented(before, after)
    assert "\n-z\n+\n+if y:\n+\tz\n" in cut.text
    assert apply_recorded(cut, before) == after
    assert agrees(cut, before, after)
    assert not agrees(cut, before, after.replace("\tif", "if"))


def test_an_added_line_of_blanks_that_the_cut_left_without_a_trace_is_not_guessed() -> None:
    before, after = "if x:\n" + "    y\n" * 5, "if x:\n" + "    y\n" * 5 + "  \n    z\n"
    assert apply_recorded(dedented(before, after), before, written_lines=["  ", "    z"]) is None
    assert (
        apply_recorded(dedented(before, after.replace("  \n", "\n")), before, written_lines=["", "    z"]) is not None
    )


def test_where_the_cut_lines_had_different_indentation_nothing_is_put_back() -> None:
    before = "x\n\ty\n    z\n"
    cut = RecordedDiff("a.py", "@@ -2,2 +2,3 @@\n y\n z\n+w\n", dedented=True)
    assert apply_recorded(cut, before) is None


def test_an_added_line_that_the_model_indented_otherwise_is_not_guessed() -> None:
    cut = RecordedDiff("a.py", "@@ -1 +1 @@\n- a\n+b\n", dedented=True)
    assert apply_recorded(cut, "     a\n", written_lines=["   \tb"]) is None
    assert apply_recorded(cut, "     a\n", written_lines=["    b"]) == "    b\n"
    assert apply_recorded(cut, "     a\n", written_lines=["b"]) == "    b\n"


def test_a_new_file_was_not_cut_if_the_model_wrote_its_lines_so() -> None:
    cut = RecordedDiff("a.py", "@@ -0,0 +1,2 @@\n+if x:\n+    y\n", dedented=True)
    assert apply_recorded(cut, "", written_lines=["if x:", "    y", ""]) == "if x:\n    y\n"
    assert apply_recorded(cut, "", written_lines=["  if x:", "      y", ""]) is None


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("@@ -2 +2 @@\n-    x = 1\n+    x = 9\n", BEFORE.replace("x", "w")),
        ("@@ -3 +3 @@\n-    x = 1\n+    x = 9\n", BEFORE),
        ("@@ -2 +3 @@\n-    x = 1\n+    x = 9\n", BEFORE),
        ("@@ -2,2 +2,2 @@\n-    x = 1\n+    x = 9\n", BEFORE),
        ("@@ -2 +2 @@\n*    x = 1\n", BEFORE),
        ("@@ -2 +2 @@\n-    x = 1\n\\ No newline at end of file\n+    x = 9\n", BEFORE),
        ("@@ -4 +4 @@\n-    z = 3\n+    z = 9\n", BEFORE.removesuffix("\n")),
        ("@@ -4,0 +5 @@\n+w\n", BEFORE.removesuffix("\n")),
        ("@@ -3 +3 @@\n-    y = 2\n+y\n@@ -2 +2 @@\n-    x = 1\n+x\n", BEFORE),
        ("@@ -0 +0 @@\n-x\n+y\n", BEFORE),
    ],
    ids=[
        "other line",
        "other place",
        "new place that does not follow",
        "shorter than it says",
        "no diff",
        "end of file in the middle",
        "line feed that is not there",
        "insertion behind an open end",
        "hunks that overlap",
        "line nought",
    ],
)
def test_a_diff_that_does_not_fit_to_the_letter_has_no_result(text: str, before: str) -> None:
    assert apply_recorded(RecordedDiff("a.py", text), before) is None


def test_headers_and_what_stands_between_hunks_are_passed_over() -> None:
    text = "diff --git a/a b/a\nindex 1..2\n--- a/a\n+++ b/a\n@@ -2 +2 @@ def f():\n-    x = 1\n+    x = 9\nIndex: b\n"
    assert apply_recorded(RecordedDiff("a.py", text), BEFORE) == BEFORE.replace("1", "9")


def test_a_diff_without_hunks_leaves_the_text_as_it_is() -> None:
    assert apply_recorded(RecordedDiff("a.py", "", moved_to="b.py"), "x\n") == "x\n"


def test_only_the_header_of_nothing_says_that_a_file_is_gone() -> None:
    assert removes_file(diff("x\n", ""))
    assert apply_recorded(diff("x\n", ""), "x\n") == ""
    assert not removes_file(diff("x\n", "y\n"))
    assert not removes_file(diff("++ /dev/null\n", "+++ /dev/null\n"))


def test_a_diff_whose_tabs_are_shown_as_blanks_is_no_source_of_text_but_agrees_with_one() -> None:
    before, after = "if x {\n\ty\n}\n", "if x {\n\tz\n}\n"
    shown = RecordedDiff("a.go", "@@ -1,3 +1,3 @@\n if x {\n-  y\n+  z\n }\n", tabs_shown_as="  ")
    assert apply_recorded(shown, before) is None
    assert agrees(shown, before, after)
    assert not agrees(shown, before, after.replace("\tz", "\t\tz"))


def test_a_diff_agrees_only_if_nothing_changed_beside_it() -> None:
    step = RecordedDiff("a.py", "@@ -2 +2 @@\n-    x = 1\n+    x = 9\n")
    after = BEFORE.replace("1", "9")
    assert agrees(step, BEFORE, after)
    assert agrees(step, BEFORE.replace("\n", "\r\n"), after.replace("\n", "\r\n"))
    assert agrees(step, BEFORE, after.removesuffix("\n"))
    assert not agrees(step, BEFORE, after.replace("3", "4"))
    assert not agrees(step, BEFORE, after.replace("def", "async def"))
    assert not agrees(step, BEFORE, after + "\n\nw\n")


def test_of_a_diff_whose_numbers_are_wrong_only_the_difference_counts() -> None:
    step = RecordedDiff("a.py", "@@ -40,3 +40,3 @@\n  \n-    x = 1\n+    x = 9\n     q\n", numbers_hold=False)
    assert apply_recorded(step, BEFORE) is None
    assert agrees(step, BEFORE, BEFORE.replace("1", "9"))
    assert not agrees(step, BEFORE, BEFORE.replace("1", "8"))
