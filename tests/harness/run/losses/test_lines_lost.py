"""Lines that are gone though neither the edit nor the right answer removes them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.sample import Sample
from editcore.types import Edit, File
from harness.run.losses import LinesLost

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
