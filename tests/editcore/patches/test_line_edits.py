"""Lines inserted and replaced by number: texts afterwards, ranges of matches, refusals."""

from __future__ import annotations

import pytest

from editcore.patches.line_edits import insert_lines, insert_split, replace_lines
from editcore.types import Applied, Match, Reason, Rejected
from tests.results import applied, refused


@pytest.mark.parametrize(
    ("text", "line", "content", "after"),
    [
        ("a\nb\n", 1, "x", "a\nx\nb\n"),
        ("a\nb\n", 1, "x\n", "a\nx\n\nb\n"),
        ("a\nb\n", 1, "\nx", "a\n\nx\nb\n"),
        ("a\nb\n", 0, "x\ny", "x\ny\na\nb\n"),
        ("a\nb\n", 2, "x", "a\nb\nx\n"),
        ("a\nb\n", 3, "x", "a\nb\n\nx"),
        ("a\nb", 2, "x", "a\nb\nx"),
        ("a\nb", 2, "x\n", "a\nb\nx\n"),
        ("a\nb", 1, "", "a\n\nb"),
        ("", 0, "x", "x\n"),
        ("", 1, "x", "\nx"),
        ("a\r\nb\r\n", 1, "x", "a\r\nx\nb\r\n"),
        ("a\rb\n\u2028c\n", 1, "x", "a\rb\nx\n\u2028c\n"),
        ("\ta\n", 1, "\tx", "\ta\n\tx\n"),
    ],
)
def test_the_text_is_put_between_lines_split_at_line_feeds(text: str, line: int, content: str, after: str) -> None:
    result = applied(insert_split(text, line, content))
    assert result.content == after
    (match,) = result.matches
    assert (match.start, match.end) == (match.start, match.start)
    assert after.startswith(text[: match.start])
    assert after.endswith(text[match.start :])


@pytest.mark.parametrize(("text", "line"), [("a\n", 3), ("a\n", -1), ("", 2), ("a", 10**30)])
def test_a_line_that_is_not_there_is_refused(text: str, line: int) -> None:
    result = refused(insert_split(text, line, "x"))
    assert result.reason == Reason.NOT_FOUND
    assert f"up to {len(text.split(chr(10)))}" in result.message


@pytest.mark.parametrize(("line", "content"), [(True, "x"), ("1", "x"), (None, "x"), (1, None)])
def test_what_is_no_line_or_no_text_is_refused(line: object, content: object) -> None:
    assert refused(insert_split("a\n", line, content)).reason == Reason.MALFORMED  # type: ignore[arg-type]


def test_inserted_lines_land_at_a_point() -> None:
    assert insert_lines("a\nb\n", 1, "x") == Applied("a\nx\nb\n", (Match(2, 2, "insert"),), "insert")
    assert insert_lines("a", 1, "x") == Applied("a\nx", (Match(1, 1, "insert"),), "insert")
    assert insert_lines("a\n", 0, "") == Rejected(
        Reason.EMPTY, "content is empty: give the lines to insert; a line feed alone is a blank line."
    )


@pytest.mark.parametrize(
    ("text", "line", "end_line", "range_of_them"),
    [("a\nbb\nc\n", 1, 2, (0, 5)), ("a\nbb\nc\n", 2, 2, (2, 5)), ("a\nbb\nccc", 2, 3, (2, 8)), ("a\n", 1, 1, (0, 2))],
)
def test_replaced_lines_are_a_range_with_their_line_feeds(
    text: str, line: int, end_line: int, range_of_them: tuple[int, int]
) -> None:
    result = applied(replace_lines(text, line, end_line, "x"))
    assert (result.matches, result.replacer) == ((Match(*range_of_them, "lines"),), "lines")


@pytest.mark.parametrize(("line", "end_line"), [(0, 1), (2, 1), (2, 3)])
def test_lines_that_are_not_there_are_refused_with_their_number(line: int, end_line: int) -> None:
    assert replace_lines("a\nb\n", line, end_line, "x") == Rejected(
        Reason.NOT_FOUND,
        f"There are no lines {line} to {end_line}: the file has 2; give a first and a last one within it.",
    )


@pytest.mark.parametrize(
    ("text", "line", "end_line", "content", "after"),
    [
        ("a\nb\nc\n", 2, 2, "B\n", "a\nB\nc\n"),
        ("a\nb\nc\n", 2, 3, "B", "a\nB\n"),
        ("a\nb\nc\n", 1, 2, "", "c\n"),
        ("a\r\nb\r\n", 1, 1, "A\nAA\n", "A\r\nAA\r\nb\r\n"),
        ("a\nb", 2, 2, "B\n", "a\nB"),
        ("a\r\nb", 2, 2, "", "a"),
        ("a\r\nb\r\nc", 3, 3, "C\nD", "a\r\nb\r\nC\r\nD"),
        ("a\n\nb", 3, 3, "", "a\n\n"),
        ("a\n", 2, 2, "x", None),
        ("a\n", 0, 1, "x", None),
        ("a\nb\n", 2, 1, "x", None),
        ("a\nb\n", 1, 1, "x y\n\nz\n", "x y\n\nz\nb\n"),
        ("a\nb\n", 1, 1, "x\r\ny\r\n", "x\ny\nb\n"),
        ("a\r\nb\r\n", 1, 1, "x\ny", "x\r\ny\r\nb\r\n"),
        # A last line without an ending goes by the one above it, and stays without.
        ("a\r\nb", 2, 2, "x\n", "a\r\nx"),
        ("a\nb\r\nc", 3, 3, "x\ny", "a\nb\r\nx\r\ny"),
        ("a\r\nb\nc", 3, 3, "x\ny", "a\r\nb\nx\ny"),
        ("a\r\nb\r\nc", 1, 1, "x", "x\r\nb\r\nc"),
        ("a\nb\r\nc\n", 2, 2, "x", "a\nx\r\nc\n"),
        ("a\r\nb\r", 2, 2, "x", "a\r\nx\r"),
        ("a", 1, 1, "x", "x"),
        ("a\r\nb\r\nc", 2, 3, "", "a"),
        ("a\r\nb\r\nc", 2, 2, "", "a\r\nc"),
        ("a\r\nb", 1, 2, "", ""),
        ("a\nb", 2, 2, "", "a"),
        # A byte order mark stays in front of the first line.
        ("\ufeffa\nb\n", 1, 1, "x\n", "\ufeffx\nb\n"),
        ("\ufeffa\nb\n", 1, 1, "\ufeffx\n", "\ufeffx\nb\n"),
        ("\ufeffa\nb\n", 1, 2, "", "\ufeff"),
        ("\ufeffa\nb\n", 2, 2, "x\n", "\ufeffa\nx\n"),
    ],
)
def test_lines_are_replaced_by_number(text: str, line: int, end_line: int, content: str, after: str | None) -> None:
    result = replace_lines(text, line, end_line, content)
    if after is None:
        assert refused(result).reason == Reason.NOT_FOUND
    else:
        assert applied(result).content == after
        (match,) = applied(result).matches
        assert 0 <= match.start <= match.end <= len(text)
