"""Clean edits and patches: right results made by slicing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.mutators.clean_edit import CleanEdit, CleanPatch
from editcore.types import File
from tests.corpora.mutators.small_edit import edit


def test_the_target_is_the_file_with_the_new_text_in_the_span() -> None:
    clean = edit("a\n«b\nc»\nd\n", "x")
    assert (clean.old, clean.target, clean.lines, clean.line) == ("b\nc", "a\nx\nd\n", ["b", "c"], 2)


@given(st.text("ab\n", max_size=20), st.data())
def test_the_line_is_the_number_of_line_feeds_before_the_span(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    assert CleanEdit("a", text, start, len(text), "x").line == text[:start].count("\n") + 1


@pytest.mark.parametrize(
    ("marked", "whole"),
    [
        ("«a»", True),
        ("«a»\n", True),
        ("x\n«a\nb»\ny", True),
        ("x\n«a\n»y", False),
        ("x «a»\n", False),
        ("«a» x\n", False),
        ("x\n«a\n»\ny", False),
    ],
)
def test_whole_lines_leave_their_last_line_feed_outside(marked: str, whole: bool) -> None:
    assert edit(marked, "z").whole_lines is whole


def test_an_edit_moves_into_another_file_with_its_span() -> None:
    clean = edit("a\n«b»\n", "x").in_file("1\n2\n", "\n3")
    assert (clean.content, clean.old, clean.target, clean.line) == ("1\n2\nb\n3", "b", "1\n2\nx\n3", 3)


BEFORE = (File("a.py", "one\ntwo\nthree\n"), File("b.py", "x\n"))
TARGET = (File("a.py", "one\n2\nthree\n"), File("b.py", "y"))


def test_a_patch_is_written_as_a_unified_diff() -> None:
    assert CleanPatch(BEFORE, TARGET).unified(context=1).split("\n") == [
        "--- a/a.py",
        "+++ b/a.py",
        "@@ -1,3 +1,3 @@",
        " one",
        "-two",
        "+2",
        " three",
        "--- a/b.py",
        "+++ b/b.py",
        "@@ -1 +1 @@",
        "-x",
        "+y",
        "\\ No newline at end of file",
        "",
    ]


def test_a_patch_is_written_as_an_envelope() -> None:
    assert CleanPatch(BEFORE, TARGET).envelope(context=1).split("\n") == [
        "*** Begin Patch",
        "*** Update File: a.py",
        "@@",
        " one",
        "-two",
        "+2",
        " three",
        "*** Update File: b.py",
        "@@",
        "-x",
        "+y",
        "*** End Patch",
        "",
    ]
