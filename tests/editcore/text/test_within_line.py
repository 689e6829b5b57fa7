"""Two changes of one line, in one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.text.three_way import merged_line, rewritten

LINE = st.text("ab (,)'\u00a0\u2013\t", max_size=12)


@pytest.mark.parametrize(
    ("base", "mine", "theirs", "merged"),
    [
        ("say('10 km', first)", "say('10 km', last)", "say('10\u00a0km', first)", "say('10\u00a0km', last)"),
        ("f( a,b )", "f( a,c )", "f(a, b)", "f(a, c)"),
        ('x = "q"', "x = 2", "x = \u201cq\u201d", "x = 2"),
        ("a - b", "a + b", "a \u2013 b", "a + b"),
        ("one two", "something else", "one\u00a0two", "something else"),
        ("f('a b', 'c')", "f('a b', 'd')", "f('a  b', 'c')", "f('a  b', 'd')"),
    ],
)
def test_each_change_stays(base: str, mine: str, theirs: str, merged: str) -> None:
    assert merged_line(base, mine, theirs) == merged


@given(LINE, LINE)
def test_where_only_one_side_changes_that_side_is_written(base: str, other: str) -> None:
    assert merged_line(base, base, other) == other
    assert merged_line(base, other, base) == other
    assert merged_line(base, other, other) == other


@given(st.lists(LINE, max_size=6), st.lists(LINE, max_size=6))
def test_lines_are_paired_in_order_and_once(old: list[str], new: list[str]) -> None:
    pairs = rewritten(old, new)
    for side in (0, 1):
        numbers = [pair[side] for pair in pairs]
        assert numbers == sorted(set(numbers))


def test_a_line_that_became_another_is_found_among_new_ones() -> None:
    assert rewritten(["x = first(1)"], ["import os", "x = first(2)"]) == [(0, 1)]
    assert rewritten(["x" * 30] * 30, ["y" * 30] * 30) == []


@pytest.mark.parametrize("sign", ["\x0b", "\f", "\x1c", "\x85", "\u2028", "\u2029"])
def test_what_ends_a_line_elsewhere_is_a_sign_within_one(sign: str) -> None:
    base, theirs = f"a {sign} say('10 km', first)", f"a {sign} say('10\u00a0km', first)"
    assert merged_line(base, "say('10 km', last)", theirs) == "say('10\u00a0km', last)"
