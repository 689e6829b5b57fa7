"""The lines of the file that an answer names after an edit."""

from __future__ import annotations

import pytest

from editcore.host.where_applied import differed, is_exact, where_applied
from editcore.patches.codex import EQUALITIES
from editcore.replacers import REPLACERS
from editcore.tiers import TIERS
from editcore.types import Applied, Landing, Match

TEN = "".join(f"line {n}\n" for n in range(1, 11))


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (TEN.replace("line 3\n", "three\n"), "Edit applied successfully: line 3."),
        (TEN.replace("line 3\n", "a\nb\n"), "Edit applied successfully: lines 3-4."),
        (TEN.replace("line 3\n", ""), "Edit applied successfully: 1 line removed below line 2."),
        (TEN.replace("line 1\nline 2\n", ""), "Edit applied successfully: 2 lines removed at the start."),
        (TEN.replace("line 2", "a\nb").replace("line 9", "c"), "Edit applied successfully: lines 2-3, line 10."),
        (f"{TEN}end", "Edit applied successfully: line 11."),
    ],
)
def test_the_lines_are_those_of_the_file_now(after: str, told: str) -> None:
    assert where_applied(TEN, after, Applied(after)).answer == [told]


def test_several_places_are_counted_and_the_first_of_many_named() -> None:
    before = "a\nx\n" * 9
    matches = tuple(Match(4 * n, 4 * n + 1, "simple") for n in range(9))
    (told,) = where_applied(before, before.replace("a", "b"), Applied(None, matches, "simple")).answer
    assert told == (
        "Edit applied successfully in 9 places: line 1, line 3, line 5, line 7, line 9, line 11 and 3 more."
    )


def test_what_was_not_matched_exactly_is_said_with_the_lines_as_they_are() -> None:
    after = TEN.replace("line 3\nline 4", "three\n  four")
    assert where_applied(TEN, after, Applied(after, replacer="indentation")).answer == [
        "Edit applied successfully: lines 3-4.",
        "The match was not exact: the indentation differed. These lines are now:", "3: three", "4:   four",
    ]  # fmt: skip
    landing = Landing("a.py", 1, 3, "trimmed")
    _, why, *_ = where_applied(TEN, after, Applied(after, landings=(landing,))).answer
    assert why.startswith("The match was not exact: whitespace at the ends of lines, or the indentation differed.")


@pytest.mark.parametrize("name", [*REPLACERS, *TIERS, *EQUALITIES])
def test_what_a_replacer_ignores_is_said_in_words(name: str) -> None:
    assert is_exact(name) or not differed(name).endswith("ignores")


def test_lines_around_are_shown_and_the_middle_of_many_is_not() -> None:
    after = TEN.replace("line 3\n", "line 3\n" + "".join(f"new {n}\n" for n in range(9)))
    _, *shown = where_applied(TEN, after, Applied(after), around=2).answer
    assert shown == [
        "2: line 2", "3: line 3", "4: new 0", "5: new 1", "...", "11: new 7", "12: new 8", "13: line 4", "14: line 5",
    ]  # fmt: skip
