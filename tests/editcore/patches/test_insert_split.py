"""Insertions by the rule of the widespread editor tool."""

from __future__ import annotations

import pytest

from editcore.patches.line_edits import insert_split
from editcore.types import Applied, Reason, Rejected


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
    result = insert_split(text, line, content)
    assert isinstance(result, Applied)
    assert result.content == after
    (match,) = result.matches
    assert (match.start, match.end) == (match.start, match.start)
    assert after.startswith(text[: match.start])
    assert after.endswith(text[match.start :])


@pytest.mark.parametrize(("text", "line"), [("a\n", 3), ("a\n", -1), ("", 2), ("a", 10**30)])
def test_a_line_that_is_not_there_is_refused(text: str, line: int) -> None:
    result = insert_split(text, line, "x")
    assert isinstance(result, Rejected)
    assert result.reason == Reason.NOT_FOUND
    assert f"up to {len(text.split(chr(10)))}" in result.message


@pytest.mark.parametrize(("line", "content"), [(True, "x"), ("1", "x"), (None, "x"), (1, None)])
def test_what_is_no_line_or_no_text_is_refused(line: object, content: object) -> None:
    result = insert_split("a\n", line, content)  # type: ignore[arg-type]
    assert isinstance(result, Rejected)
    assert result.reason == Reason.MALFORMED
