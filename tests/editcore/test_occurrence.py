"""Edits that name one of several places by its number: the same at every door."""

from __future__ import annotations

from pathlib import Path

import pytest

from editcore import Applied, Reason, Rejected, replace
from editcore.host.tools.edit_file import edit_file
from editcore.host.workspace import Workspace

TEXT = "a = 1\nb\na = 1\r\nc\na = 1\n"


@pytest.mark.parametrize("cascade", ["recommended", "exact", "edit_file"])
@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (1, "a = 2\nb\na = 1\r\nc\na = 1\n"),
        (2, "a = 1\nb\na = 2\r\nc\na = 1\n"),
        (-1, "a = 1\nb\na = 1\r\nc\na = 2\n"),
    ],
)
def test_the_place_of_that_number_is_edited(cascade: str, number: int, expected: str, tmp_path: Path) -> None:
    if cascade == "edit_file":
        (tmp_path / "f").write_bytes(TEXT.encode())
        result = edit_file(Workspace(tmp_path), "f", "a = 1\n", "a = 2\n", occurrence=number)
        assert (tmp_path / "f").read_bytes() == expected.encode()
    else:
        result = replace(TEXT, "a = 1\n", "a = 2\n", occurrence=number, cascade=cascade)
    assert isinstance(result, Applied)
    assert result.content == expected


@pytest.mark.parametrize("cascade", ["recommended", "exact"])
@pytest.mark.parametrize("number", [0, 4, -2])
def test_a_place_that_there_is_not_is_refused(cascade: str, number: int) -> None:
    result = replace(TEXT, "a = 1\n", "a = 2\n", occurrence=number, cascade=cascade)
    assert isinstance(result, Rejected)
    assert (result.reason, "stands 3 times" in result.message) == (Reason.NO_MATCH, True)


def test_places_do_not_overlap() -> None:
    result = replace("aaaa", "aa", "b", occurrence=2)
    assert isinstance(result, Applied)
    assert result.content == "aab"


def test_the_first_place_is_the_only_one_that_a_tier_knows_and_there_is_no_second() -> None:
    text, old, new = "def f():\n    a = 1\n    b = 2\n", "a = 1\nb = 2\n", "a = 3\nb = 2\n"
    first, second = (replace(text, old, new, occurrence=number) for number in (1, 2))
    assert isinstance(first, Applied)
    assert first.content == "def f():\n    a = 3\n    b = 2\n"
    assert isinstance(second, Rejected)


def test_places_are_counted_in_the_text_that_was_seen() -> None:
    result = replace("a = 1\nz\na = 1\nb\na = 1\n", "a = 1\n", "a = 2\n", occurrence=2, seen="a = 1\nb\na = 1\n")
    assert isinstance(result, Applied)
    assert result.content == "a = 1\nz\na = 1\nb\na = 2\n"


def test_programs_that_are_rebuilt_heed_no_number() -> None:
    assert isinstance(replace("a\nb\na\n", "a", "c", occurrence=2, cascade="reference"), Rejected)
