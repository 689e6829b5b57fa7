"""The count of bytes that are others outside the lines of an edit."""

from __future__ import annotations

import pytest

from editcore.text.encodings import faithful
from harness.run.losses import bytes_changed

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
    assert bytes_changed(PLAIN, INTENDED, given, encoding=None, has_bytes=False) == n


def test_all_that_programs_take_for_line_ends_is_one() -> None:
    before = "a\rb\x0cc\u2028d\nx = 1\n"
    at = before.index("x")
    given = "a\nb\nc\nd\nx = 2\n"
    assert bytes_changed(before, (at, at + 5), given, encoding=None, has_bytes=False) == 1 + 1 + 3


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
    found = bytes_changed(before, (at, at + 5), faithful(lossy, encoding), encoding=encoding, has_bytes=True)
    assert found is not None
    assert found >= n
