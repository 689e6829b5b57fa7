"""The line that a block states, and blocks that were applied before."""

from __future__ import annotations

import pytest

from editcore import Applied, Reason, Rejected, apply_search_replace
from tests.results import applied, files_after, refused


def _at_line(stated: str, search: str = "x = 1\n", new: str = "x = 2\n") -> str:
    return f"<<<<<<< SEARCH\n{stated}{search}=======\n{new}>>>>>>> REPLACE\n"


TWICE = "a\nx = 1\nb\nc\nd\nx = 1\ne\n"


@pytest.mark.parametrize("cascade", ["recommended", "exact", "reference"])
@pytest.mark.parametrize(
    ("stated", "line"),
    [
        (":start_line:6\n-------\n", 6),
        (":start_line: 6\n:end_line:6\n-------\n", 6),
        (":start_line:2\n", 2),
        (":start_line:5\n-------\n", None),  # No place is at that line.
        (":start_line:0\n-------\n", None),
        (":start_line:99\n-------\n", None),
        ("", None),
    ],
)
def test_the_line_below_a_marker_decides_between_equal_places(stated: str, line: int | None, cascade: str) -> None:
    result = apply_search_replace({"f.py": TWICE}, _at_line(stated), cascade=cascade)
    if line is None:
        assert isinstance(result, Rejected)
        assert result.reason is Reason.AMBIGUOUS
    else:
        assert isinstance(result, Applied)
        assert (result.files or {})["f.py"] == "".join(
            f"{text}\n" if n != line else "x = 2\n" for n, text in enumerate(TWICE.split("\n")[:-1], 1)
        )


def test_the_line_below_a_marker_says_nothing_of_places_close_together() -> None:
    result = refused(apply_search_replace({"f.py": "x = 1\ny\nx = 1\n"}, _at_line(":start_line:3\n-------\n")))
    assert result.reason is Reason.AMBIGUOUS


def test_the_line_below_a_marker_is_of_the_file_before_the_blocks_above() -> None:
    blocks = _at_line(":start_line:1\n-------\n", "a\n", "a\na\na\n") + _at_line(":start_line:6\n-------\n")
    assert files_after(apply_search_replace({"f.py": TWICE}, blocks))["f.py"] == "a\na\na\nx = 1\nb\nc\nd\nx = 2\ne\n"


def test_a_wrong_line_below_a_marker_is_no_obstacle_where_the_text_is_unique() -> None:
    result = applied(apply_search_replace({"f.py": "x = 1\n"}, _at_line(":start_line:44\n:end_line:45\n-------\n")))
    assert (result.files or {})["f.py"] == "x = 2\n"


@pytest.mark.parametrize(
    ("before", "search", "new"),
    [
        ("if a:\n  b\nelse:\n", "else:\n", "else:\n  c\n"),
        ("import os\n", "import os\n", "import sys\nimport os\n"),
        ("x = 1\ny = 2\n", "x = 1\n", "x = 1\nz = 3\n"),
    ],
)
def test_a_block_that_was_applied_already_is_refused_as_replace_does(before: str, search: str, new: str) -> None:
    block = _at_line("", search, new)
    once = applied(apply_search_replace({"f.py": before}, block))
    assert refused(apply_search_replace(once.files or {}, block)).reason is Reason.IDENTICAL
