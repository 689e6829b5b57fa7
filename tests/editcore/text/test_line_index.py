"""Where a block of lines stands in a file, by each equality of lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore import Reason, apply_begin_patch
from editcore.errors import PatchError
from editcore.text import line_index
from editcore.text.line_index import EQUALITIES, LineIndex

LINES = ["a", "b", "a", "b ", "\ta", "b", "\u2018a\u2019"]


@pytest.mark.parametrize(
    ("block", "equality", "places"),
    [
        (["a", "b"], "exact", [0]),
        (["a", "b"], "right_trimmed", [0, 2]),
        (["a", "b"], "trimmed", [0, 2, 4]),
        (["'a'"], "trimmed", []),
        (["'a'"], "folded", [6]),
        (["a", "c"], "folded", []),
        (["b"], "exact", [1, 5]),
    ],
)
def test_a_block_is_found_at_every_place_by_an_equality(block: list[str], equality: str, places: list[int]) -> None:
    seeker = LineIndex(LINES)
    assert list(seeker.places(block, equality)) == places
    assert [line for line in range(-1, 8) if seeker.matches_at(block, equality, line)] == places
    assert [line for line in range(-1, 8) if LineIndex(LINES).matches_at(block, equality, line)] == places


def test_overlapping_places_are_all_found() -> None:
    assert list(LineIndex(["x"] * 5).places(["x", "x"], "exact")) == [0, 1, 2, 3]
    assert list(LineIndex(["x"] * 5).places(["x", "x"], "exact", start=2)) == [2, 3]


def test_the_first_places_are_found_once_for_equal_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    seeker = LineIndex(["x", "y"] * 50)
    assert seeker.row("trimmed")
    first = seeker.first_places(["x", "y"], "trimmed", 3)
    assert list(first) == [0, 2, 4]
    assert seeker.first_places(["x", "y"], "trimmed", 3) is first
    assert list(seeker.first_places(["x", "y"], "trimmed", 4)) == [0, 2, 4, 6]
    assert list(seeker.first_places(["z"], "trimmed", 3)) == []
    assert list(seeker.first_places([], "trimmed", 3)) == [0, 1, 2]
    monkeypatch.setattr(line_index, "_MAX_REMEMBERED", 0)
    assert list(seeker.first_places(["y"], "trimmed", 2)) == [1, 3]
    assert seeker.first_places(["x", "y"], "trimmed", 3) is not first


@pytest.mark.parametrize(
    ("line", "floor", "places"),
    [
        (-9, 0, [2, 5]),
        (0, 0, [2, 5]),
        (2, 0, [2, 5]),
        (2, 3, [5]),
        (3, 0, [2, 5]),
        (4, 0, [5, 2]),
        (4, 5, [5]),
        (99, 0, [5, 2]),
        (99, 6, []),
    ],
)
def test_places_are_told_from_a_line_outward(line: int, floor: int, places: list[int]) -> None:
    seeker = LineIndex(["a", "a", "b", "a", "a", "b", "c"])
    assert list(seeker.outward(["b"], "exact", line, floor=floor)) == places


def test_of_two_places_equally_near_the_lower_one_comes_first() -> None:
    assert list(LineIndex(["b", "a", "b"]).outward(["b"], "exact", 1)) == [2, 0]


def test_nothing_is_near_a_block_that_is_nowhere() -> None:
    assert list(LineIndex(["a"]).outward(["b"], "exact", 0)) == []
    assert list(LineIndex(["a"]).outward([], "exact", 0)) == []


@given(st.lists(st.sampled_from("ab"), max_size=30), st.lists(st.sampled_from("ab"), min_size=1), st.integers(-3, 40))
def test_the_places_are_the_same_once_many_blocks_were_sought(lines: list[str], block: list[str], line: int) -> None:
    first, later = LineIndex(lines), LineIndex(lines)
    for _ in range(40):
        list(later.places(block, "exact"))
    places = [n for n in range(len(lines)) if lines[n : n + len(block)] == block]
    for seeker in (first, later):
        assert list(seeker.places(block, "exact")) == places
        assert list(seeker.places(block, "exact", start=5)) == [place for place in places if place >= 5]
        near = max(line, 0)
        assert list(seeker.outward(block, "exact", line)) == sorted(places, key=lambda n: (abs(n - near), -n))


@pytest.mark.parametrize(
    ("equality", "line", "key"),
    [
        ("exact", " a \r", " a \r"),
        ("line_endings", " a \r", " a "),
        ("line_endings", " a \r\r", " a \r"),
        ("right_trimmed", " a\xa0\t\r", " a"),
        ("trimmed", "\u3000a ", "a"),
        ("folded", "\u201ca\u201d\u00a0\u2014\u202fb\u2212c", '"a" - b-c'),
        # Not folded: an ellipsis, guillemets, and a byte order mark, which is no blank here.
        ("folded", "\ufeff\u00aba\u00bb\u2026", "\ufeff\u00aba\u00bb\u2026"),
        ("trimmed", "\x1ca", "\x1ca"),
    ],
)
def test_an_equality_compares_so_much_of_a_line(equality: str, line: str, key: str) -> None:
    assert EQUALITIES[equality](line) == key


def test_a_file_of_too_many_different_lines_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_index, "MAX_DISTINCT", 3)
    assert list(LineIndex(["a", "b", "c", "a"]).places(["a"], "exact")) == [0, 3]
    with pytest.raises(PatchError, match="more than 3 different lines"):
        LineIndex(["a", "b", "c", "d"]).matches_at(["a"], "exact", 0)
    patch = "*** Begin Patch\n*** Update File: f\n@@\n-a \n+b\n*** End Patch\n"
    refused = apply_begin_patch({"f": "a\nb\nc\nd\n"}, patch)
    assert getattr(refused, "reason", None) is Reason.TOO_LARGE


def test_a_long_absent_block_in_a_file_of_equal_lines_is_only_looked_up() -> None:
    seeker = LineIndex(["x"] * 20_000)
    assert list(seeker.places(["x"] * 5_000 + ["y"], "exact")) == []
    assert len(list(seeker.places(["x"] * 5_000, "exact"))) == 15_001
