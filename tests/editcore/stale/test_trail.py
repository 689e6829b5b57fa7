"""Lines and spans carried from a text that was shown to the current one, through recorded changes."""

from __future__ import annotations

import pytest

from editcore import Applied, Match
from editcore.stale.trail import Change, Trail, counted_as_seen, runs_through, spans_of
from editcore.types import Rejected


def text(letters: str) -> str:
    return "".join([f"line {letter}\n" for letter in letters])


@pytest.mark.parametrize(
    ("shown", "spans", "after", "line", "now"),
    [
        ("abcd", ((7, 14, 14),), "aXYcd", 3, 4),
        ("abcd", ((7, 14, 14),), "aXYcd", 1, 1),
        ("abcd", ((7, 14, 14),), "aXYcd", 2, None),
        ("abcd", ((7, 7, 7),), "aXbcd", 2, 3),
        ("abcd", ((7, 21, 21),), "abXcd", 3, 4),
        ("abcd", ((7, 14, 0), (21, 28, 7)), "acX", 3, 2),
        ("abab", ((0, 7, 0),), "bab", 3, 2),
    ],
)
def test_a_line_is_carried_by_counting_through_an_own_edit(
    shown: str, spans: tuple[tuple[int, int, int], ...], after: str, line: int, now: int | None
) -> None:
    trail = Trail(text(shown), [Change(text(shown), text(after), spans)], text(after))
    assert trail.lines(line, line) == (None if now is None else (now, now))


def test_lines_go_below_what_a_line_has_become_by_an_own_edit() -> None:
    trail = Trail(text("abc"), [Change(text("abc"), text("aXYc"), ((7, 14, 14),))], text("aXYc"))
    assert [trail.border(line) for line in (1, 2, 3)] == [1, 3, 4]
    other = Trail(text("abc"), [Change(text("abc"), text("aXYc"), ((7, 14, 14),), is_own=False)], text("aXYc"))
    assert other.border(2) is None


def test_an_occurrence_within_a_line_is_carried_past_an_edit_of_the_line() -> None:
    before, after = "f(a, a)\n", "f(bb, a)\n"
    trail = Trail(before, [Change(before, after, ((2, 3, 2),))], after)
    assert (trail.span(5, 6), trail.span(2, 3)) == ((6, 7), None)


def test_a_change_that_nobody_recorded_is_compared() -> None:
    trail = Trail(text("abcdef"), (), text("xabcDef"))
    assert (trail.lines(2, 3), trail.lines(4, 4)) == ((3, 4), None)
    assert trail.around(4, 4) == (5, 5)


def test_what_was_replaced_is_told_by_matches_or_runs_or_by_nothing() -> None:
    before, after = text("aba"), text("cbc")
    both = Applied(after, (Match(0, 7, "exact"), Match(14, 21, "exact")))
    assert spans_of(before, after, both, "a") == ((0, 7, 7), (14, 21, 7))
    assert spans_of(before, after, Applied(after, runs=((1, 1, 1), (3, 1, 1))), "a") == ((0, 7, 7), (14, 21, 7))
    assert spans_of(before, after, Applied(after, runs=((9, 1, 1),)), "a") is None
    steps = [(before, text("Xba"), Applied(text("Xba"), (Match(0, 7, "exact"),)))]
    steps.append((text("Xba"), text("XbYZ"), Applied(text("XbYZ"), (Match(14, 21, "exact"),))))
    assert runs_through(steps) == ((1, 1, 1), (3, 1, 2))


def test_numbers_that_were_seen_are_those_of_now_or_refused() -> None:
    assert counted_as_seen(text("abc"), text("xabc"), 2, 3) == (3, 4)
    assert counted_as_seen(text("abc"), text("xabc"), 3, 3, is_below=True) == (4, 4)
    for first, last in ((2, 2), (3, 9)):
        assert isinstance(counted_as_seen(text("abc"), text("aBc"), first, last), Rejected)
