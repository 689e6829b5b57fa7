"""A change to a file, written as edits."""

from __future__ import annotations

import pytest

from corpora.importers.git_history.changes import WrittenEdit, apply_changes, find_block, written_edits
from editcore.text.lines import with_feeds
from editcore.types import Edit


def test_a_pair_is_widened_until_it_is_unique() -> None:
    before = "first\na\nb\nc\nlast one\na\nb\nc\n"
    _, why, pair = written_edits("a.py", before, "first\na\nb\nc\nlast one\na\nB\nc\n", 1)
    assert why == "begin_patch: the lines of a hunk occur more than once"
    assert isinstance(pair, WrittenEdit)
    assert pair.context == 2
    assert pair.edits == (Edit("last one\na\nb\nc", "last one\na\nB\nc"),)


def test_a_hunk_that_is_never_unique_is_left_out() -> None:
    before = "a\n" * 100
    found = list(written_edits("a.py", before, "a\n" * 50 + "b\n" + "a\n" * 50, 1))
    assert found[1:] == [
        "begin_patch: the lines of a hunk occur more than once",
        "str_replace: no context makes a hunk unique",
    ]


@pytest.mark.parametrize(("n", "why"), [(9, "str_replace: more than 8 hunks"), (41, "more than 40 hunks")])
def test_too_many_hunks_are_left_out(n: int, why: str) -> None:
    lines = [f"{number}\n" for number in range(300)]
    after = [f"x{line}" if number % 6 == 0 and number < 6 * n else line for number, line in enumerate(lines)]
    found = list(written_edits("a.py", "".join(lines), "".join(after), 1))
    assert found[-1] == why
    assert len(found) == (3 if n == 9 else 1)


@pytest.mark.parametrize("text", ["", "a", "a\n", "\n", "a\r\nb\fc\u2028d\n\n", "a\n\nb"])
def test_lines_make_up_their_text(text: str) -> None:
    assert "".join(with_feeds(text)) == text
    assert apply_changes(with_feeds(text), []) == text


@pytest.mark.parametrize(
    ("text", "block", "lines"),
    [
        ("a\nb\nc\n", "b\n", [1]),
        ("a\nb\nc", "c", [2]),
        ("a\nb\nc", "c\n", [2]),
        ("ab\nb\n", "b\n", [1]),
        ("a\na\na\n", "a\na\n", [0, 1]),
        ("a\n" * 9, "a\n", [0, 1]),
        ("a\n", "b\n", []),
    ],
)
def test_a_block_stands_at_whole_lines(text: str, block: str, lines: list[int]) -> None:
    assert find_block(text, block) == lines
