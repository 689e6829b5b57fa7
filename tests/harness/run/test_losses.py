"""What wrong edits destroy: changed bytes, lost lines, and lists of edits that were made in part."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.sample import Sample
from editcore.text.encodings import faithful
from editcore.types import Applied, Edit, EditResult, File, Reason, Rejected
from harness.run.losses import FailedList, LinesLost, count_changed_bytes
from reports.runs.rows import ListLeft
from tests.samples import sample

# The count of bytes that are others outside the lines of an edit.

PLAIN = "a\nb\nx = 1\nc\nd\n"
INTENDED = (4, 9)
"""The line `x = 1`."""


@pytest.mark.parametrize(
    ("given", "n"),
    [
        (PLAIN.replace("1", "2"), 0),
        ("nothing\n".join(["a\nb\n", "c\nd\n"]), 0),
        (PLAIN.replace("1", "2").replace("\n", "\r\n"), 5),
        ("\ufeff" + PLAIN, 3),
        (PLAIN.replace("d\n", "d"), 1),
        (PLAIN.replace("b", "B"), None),
        (PLAIN.replace("c\n", ""), None),
        ("", None),
    ],
)
def test_lines_of_a_text_are_the_same_but_for_endings_and_marks(given: str, n: int | None) -> None:
    # The ending of the line that is meant belongs to what is below it.
    assert count_changed_bytes(PLAIN, INTENDED, given, encoding=None, has_bytes=False) == n


def test_all_that_programs_take_for_line_ends_is_one() -> None:
    before = "a\rb\x0cc\u2028d\nx = 1\n"
    at = before.index("x")
    given = "a\nb\nc\nd\nx = 2\n"
    assert count_changed_bytes(before, (at, at + 5), given, encoding=None, has_bytes=False) == 1 + 1 + 3


@pytest.mark.parametrize(
    ("raw", "encoding", "lossy", "n"),
    [
        ("# é\nx = 1\n".encode("latin-1"), "latin-1", "# \ufffd\nx = 2\n".encode(), 3),
        (b"# \xff\nx = 1\n", None, "# \ufffd\nx = 2\n".encode(), 3),
        ("# é\nx = 1\n".encode("latin-1"), "latin-1", "# é\nx = 2\n".encode(), 1),  # all of it in UTF-8
        ("# ソ\nx = 1\n".encode("shift_jis"), "shift_jis", "# \ufffd\\\nx = 2\n".encode(), 1),
        ("\ufeff# é\nx = 1\n".encode("utf-16-le"), "utf-16-le", "# é\nx = 2\n".encode(), 12),
    ],
)
def test_lines_of_bytes_that_are_not_ascii_may_have_become_anything(
    raw: bytes, encoding: str | None, lossy: bytes, n: int
) -> None:
    before = faithful(raw, encoding)
    at = before.index("x")
    found = count_changed_bytes(before, (at, at + 5), faithful(lossy, encoding), encoding=encoding, has_bytes=True)
    assert found is not None
    assert found >= n


# Lines that are gone though neither the edit nor the right answer removes them.

BEFORE = "one\ntwo\n  three\n\nfour\nfour\n"


def lost(given: str, right: str, **fields: Any) -> int:
    made = Sample("s", fields.pop("format", "str_replace"), (File("a", BEFORE),), "apply", **fields)
    return LinesLost(made).count({"a": right}, {"a": given})


@pytest.mark.parametrize(
    ("given", "n"),
    [
        (BEFORE.replace("two\n", "2\n"), 0),
        ("one\n2\n\tthree\nfour\nfour", 0),
        (BEFORE.replace("one\n", "").replace("two\n", "2\n"), 1),
        (BEFORE.replace("four\n", "", 1), 1),
        ("2\n", 4),
        ("", 4),
        (BEFORE, 0),
        (BEFORE + "more\n", 0),
    ],
)
def test_what_the_right_answer_keeps_is_lost(given: str, n: int) -> None:
    assert lost(given, BEFORE.replace("two", "2"), edits=(Edit("two", "2"),)) == n


def test_what_the_edit_names_as_old_text_may_go() -> None:
    given = BEFORE.replace("one\ntwo\n", "new\n")
    assert lost(given, BEFORE, edits=(Edit("one\ntwo", "new"),)) == 0
    assert lost(given, BEFORE, edits=(Edit("one\ntwo", "new\ntwo"),)) == 1
    without = BEFORE.replace("four\n", "")
    assert lost(without, BEFORE, edits=(Edit("four", "4"),)) == 1
    assert lost(without, BEFORE, edits=(Edit("four", "4", replace_all=True),)) == 0


@pytest.mark.parametrize("format", ["unified_diff", "begin_patch"])
def test_what_a_patch_takes_away_may_go(format: str) -> None:
    patch = " one\n-two\n-  three\n+three\n four\n"
    assert lost("one\nfour\nfour\n", BEFORE, format=format, patch=patch) == 1
    assert lost("four\nfour\nthree\n", BEFORE, format=format, patch=patch) == 1


def test_the_lines_of_a_range_may_go_and_an_insertion_takes_none() -> None:
    given = "one\nfour\nfour\n"
    assert lost(given, BEFORE, format="line_range", patch="x", line=2, end_line=3) == 0
    assert lost(given, BEFORE, format="line_range", patch="two\n", line=2, end_line=3) == 1
    assert lost(given, BEFORE, format="insert", patch="x", line=2) == 2


def test_a_file_that_is_gone_has_lost_its_lines() -> None:
    made = Sample("s", "begin_patch", (File("a", "x\n"), File("b", "y\nz\n")), "apply", patch="")
    assert LinesLost(made).count({"a": "x\n", "b": "y\nz\n"}, {"a": "X\n"}) == 3
    assert LinesLost(made).count({"a": "x\n"}, {"a": "x\n"}) == 0
    assert LinesLost(made).count({"a": "x\n", "b": "y\nz\n"}, {"a": "x\n", "c": "y\nz\n"}) == 0


@settings(max_examples=100)
@given(*(st.text("ab\n ", max_size=14),) * 3)
def test_what_is_common_at_both_ends_changes_no_count(before: str, right: str, after: str) -> None:
    """As counted over whole texts."""

    def lines(text: str) -> Counter[str]:
        return Counter(line.strip() for line in text.split("\n") if line.strip())

    made = Sample("s", "str_replace", (File("a", before),), "apply")
    gone = lines(before) - lines(after) - (lines(before) - lines(right))
    assert LinesLost(made).count({"a": right}, {"a": after}) == gone.total()


# What is left of a list of edits of which the second fails.

LISTED = "one\ntwo\nthree\n"
FIRST, OTHERS = "1\ntwo\nthree\n", "1\ntwo\n3\n"
ONE, GONE, THREE = Edit("one", "1"), Edit("four", "4"), Edit("three", "3")


def failing(*edits: Edit, label: str = "refuse") -> Sample:
    return replace(sample(before=LISTED), label=label, edits=edits)


@pytest.mark.parametrize(
    ("result", "left"),
    [
        (Rejected(Reason.NO_MATCH, "four was not found"), ListLeft.NOTHING),
        (Applied(LISTED), ListLeft.NOTHING),
        (Applied(FIRST), ListLeft.FIRST_EDITS),
        (Applied(files={"a.py": FIRST}), ListLeft.FIRST_EDITS),
        (Applied(OTHERS), ListLeft.OTHER_EDITS),
        (Applied("1\ntwo\n"), ListLeft.CUT_OFF),
        (Applied(""), ListLeft.CUT_OFF),
        (Applied(files={}), ListLeft.CUT_OFF),
        (Applied("1\n4\n3\n"), ListLeft.SOMETHING_ELSE),
    ],
)
def test_it_is_told_by_the_text_that_is_left(result: EditResult, left: ListLeft) -> None:
    found = FailedList.of(failing(ONE, GONE, THREE))
    assert found is not None
    assert found.left(result) is left


@pytest.mark.parametrize(
    "edits",
    [
        (ONE, GONE),  # What stands before the last is all but the last.
        (GONE, ONE, THREE),  # Nothing stands before the first.
        (ONE, THREE, GONE),
        (ONE, THREE, Edit("two", "2")),  # None fails.
        (ONE, GONE, Edit("five", "5")),
        (ONE, Edit("", "4"), GONE),
    ],
)
def test_a_list_that_does_not_tell_the_ways_apart_is_not_asked(edits: tuple[Edit, ...]) -> None:
    assert FailedList.of(failing(*edits)) is None


def test_only_lists_that_must_be_refused_are_asked() -> None:
    assert FailedList.of(failing(ONE, GONE, THREE, label="unlabelled")) is None
    assert FailedList.of(sample()) is None


def test_an_edit_of_all_places_does_not_fail_where_there_are_several() -> None:
    everywhere = Edit("t", "T", replace_all=True)
    assert FailedList.of(failing(everywhere, GONE, Edit("one", "1"))) is not None
    assert FailedList.of(failing(ONE, Edit("t", "T"), THREE)) is not None
