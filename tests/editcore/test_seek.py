"""Where a block of lines stands in a file, at each tier of likeness."""

from __future__ import annotations

import pytest

from editcore import Reason, apply_begin_patch
from editcore.errors import PatchError
from editcore.patches import seek
from editcore.patches.seek import TIERS, Seeker

LINES = ["a", "b", "a", "b ", "\ta", "b", "\u2018a\u2019"]


@pytest.mark.parametrize(
    ("block", "tier", "places"),
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
def test_a_block_is_found_at_every_place_of_a_tier(block: list[str], tier: str, places: list[int]) -> None:
    seeker = Seeker(LINES)
    assert list(seeker.places(block, tier)) == places
    assert [line for line in range(-1, 8) if seeker.stands_at(block, tier, line)] == places


def test_overlapping_places_are_all_found() -> None:
    assert list(Seeker(["x"] * 5).places(["x", "x"], "exact")) == [0, 1, 2, 3]
    assert list(Seeker(["x"] * 5).places(["x", "x"], "exact", start=2)) == [2, 3]


@pytest.mark.parametrize(
    ("line", "above", "below"), [(-9, None, 2), (0, None, 2), (2, 2, 5), (3, 2, 5), (5, 5, None), (99, 5, None)]
)
def test_the_nearest_places_are_at_or_above_a_line_and_below_it(line: int, above: int, below: int) -> None:
    assert Seeker(["a", "a", "b", "a", "a", "b", "c"]).nearest(["b"], "exact", line) == (above, below)


def test_nothing_is_near_a_block_that_is_nowhere() -> None:
    assert Seeker(["a"]).nearest(["b"], "exact", 0) == (None, None)


@pytest.mark.parametrize(
    ("tier", "line", "key"),
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
def test_a_tier_compares_so_much_of_a_line(tier: str, line: str, key: str) -> None:
    assert TIERS[tier](line) == key


def test_a_file_of_too_many_different_lines_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seek, "MAX_DISTINCT", 3)
    assert list(Seeker(["a", "b", "c", "a"]).places(["a"], "exact")) == [0, 3]
    with pytest.raises(PatchError, match="more than 3 different lines"):
        Seeker(["a", "b", "c", "d"]).stands_at(["a"], "exact", 0)
    patch = "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch\n"
    refused = apply_begin_patch({"f": "a\nb\nc\nd\n"}, patch)
    assert getattr(refused, "reason", None) is Reason.TOO_LARGE


def test_a_long_absent_block_in_a_file_of_equal_lines_is_only_looked_up() -> None:
    seeker = Seeker(["x"] * 20_000)
    assert list(seeker.places(["x"] * 5_000 + ["y"], "exact")) == []
    assert len(list(seeker.places(["x"] * 5_000, "exact"))) == 15_001
