"""Stretches of lines, and where they are after changes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from editcore.text.diff import changed_ranges
from editcore.text.lines import joined, lines_in, moved_stretches, put_in

TEXTS = st.lists(st.sampled_from("abc"), max_size=8).map(lambda lines: "".join(f"{line}\n" for line in lines))


def test_stretches_that_touch_are_one_and_empty_ones_none() -> None:
    assert joined([(5, 6), (1, 2), (3, 3), (9, 8), (6, 7)]) == ((1, 3), (5, 7))
    assert list(lines_in([(1, 2), (4, 4)])) == [1, 2, 4]


@given(TEXTS, TEXTS, st.sets(st.integers(1, 8)))
def test_lines_are_found_again_where_the_change_has_left_them(before: str, after: str, some: set[int]) -> None:
    old, new, changes = before.splitlines(), after.splitlines(), changed_ranges(before, after)
    stay = list(lines_in(moved_stretches(joined((n, n) for n in some if n <= len(old)), changes)))
    mine = list(lines_in(put_in(changes)))
    assert not {*stay} & {*mine}
    every = moved_stretches(((1, len(old)),), changes)
    assert sorted([*lines_in(every), *mine]) == list(range(1, len(new) + 1))
    gone = {n for first, last, _ in changes for n in range(first, last + 1)}
    kept = sorted(n for n in some if n <= len(old) and n not in gone)
    assert [new[n - 1] for n in stay] == [old[n - 1] for n in kept]
