"""Lines replaced by number."""

from __future__ import annotations

import pytest

from editcore.patches.line_edits import replace_lines
from editcore.types import Applied, Reason, Rejected


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
    ],
)
def test_lines_are_replaced_by_number(text: str, line: int, end_line: int, content: str, after: str | None) -> None:
    result = replace_lines(text, line, end_line, content)
    if after is None:
        assert isinstance(result, Rejected)
        assert result.reason == Reason.NOT_FOUND
    else:
        assert isinstance(result, Applied)
        assert result.content == after
        (match,) = result.matches
        assert 0 <= match.start <= match.end <= len(text)
