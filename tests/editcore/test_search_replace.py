"""Search/replace blocks as they stand in a model's answer."""

from __future__ import annotations

import pytest

from editcore import Edit
from editcore.patches.search_replace import blocks


def _block(
    old: str, new: str, *, head: str = "<<<<<<< SEARCH", mid: str = "=======", tail: str = ">>>>>>> REPLACE"
) -> str:
    return f"{head}\n{old}{mid}\n{new}{tail}\n"


def test_blocks_are_edits_in_the_order_of_the_text() -> None:
    text = "First:\n\na.py\n" + _block("x = 1\n", "x = 2\n") + "then\n```python\n" + _block("y\nz\n", "") + "```\n"
    assert blocks(text) == [Edit("x = 1\n", "x = 2\n"), Edit("y\nz\n", "")]


def test_each_side_keeps_its_last_line_feed_its_blanks_and_its_carriage_returns() -> None:
    assert blocks(_block("\n  a \r\n\n", "\tb\r\n")) == [Edit("\n  a \r\n\n", "\tb\r\n")]


def test_either_side_may_be_empty() -> None:
    assert blocks(_block("", "a\n") + _block("", "")) == [Edit("", "a\n"), Edit("", "")]


@pytest.mark.parametrize(
    ("head", "mid", "tail"),
    [
        ("<<<<< SEARCH", "=====", ">>>>> REPLACE"),
        ("<<<<<<<<< SEARCH", "=========", ">>>>>>>>> REPLACE"),
        ("<<<<<<<SEARCH", "======= ", ">>>>>>>REPLACE"),
        ("<<<<<<< SEARCH>", "=======\r", ">>>>>>> REPLACE\r"),
        ("<<<<<<< SEARCH a.py", "=======\t", ">>>>>>> REPLACE done"),
    ],
)
def test_the_markers_may_be_written_a_little_otherwise(head: str, mid: str, tail: str) -> None:
    assert blocks(_block("a\n", "b\n", head=head, mid=mid, tail=tail)) == [Edit("a\n", "b\n")]


@pytest.mark.parametrize(
    ("head", "mid", "tail"),
    [
        ("<<<< SEARCH", "=======", ">>>>>>> REPLACE"),
        (" <<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"),
        ("<<<<<<< HEAD", "=======", ">>>>>>> REPLACE"),
        ("<<<<<<< SEARCH", "====", ">>>>>>> REPLACE"),
        ("<<<<<<< SEARCH", "=======", ">>>>>>> main"),
        ("<<<<<<< SEARCH", "-------", ">>>>>>> REPLACE"),
    ],
)
def test_what_is_no_block_is_passed_over(head: str, mid: str, tail: str) -> None:
    assert blocks(_block("a\n", "b\n", head=head, mid=mid, tail=tail)) == []


def test_a_block_that_never_ends_is_passed_over_and_the_one_before_it_is_not() -> None:
    assert blocks(_block("a\n", "b\n") + "<<<<<<< SEARCH\nc\n=======\nd\n") == [Edit("a\n", "b\n")]


def test_a_short_or_longer_row_of_equals_signs_is_text() -> None:
    old = "Title\n===\n== a\n======= b\n"
    assert blocks(_block(old, "")) == [Edit(old, "")]


def test_a_text_without_blocks_has_no_edits() -> None:
    assert blocks("") == []
    assert blocks("Nothing to change.\n") == []


def test_the_last_marker_may_be_the_end_of_the_text() -> None:
    assert blocks(_block("a\n", "b\n").removesuffix("\n")) == [Edit("a\n", "b\n")]
