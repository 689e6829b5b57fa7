"""The certain places of lines, and what alignments keep, against the plain table of a longest common subsequence."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from editcore.stale.alignment import Alignment
from editcore.stale.kept import Kept, says
from editcore.stale.places import Place

LINES = st.lists(st.sampled_from(["a", "b", "c", "}", "{", ""]), max_size=80)


def text(lines: list[str]) -> str:
    return "".join([f"{line}\n" for line in lines])


def in_common(old: list[str], new: list[str]) -> list[list[int]]:
    table = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, one in enumerate(old):
        for j, other in enumerate(new):
            pair = table[i][j] + says(one) if one == other else 0
            table[i + 1][j + 1] = max(table[i][j + 1], table[i + 1][j], pair)
    return table


@given(LINES, LINES, st.data())
def test_what_is_kept_is_the_longest_common_subsequence(old: list[str], new: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(old)))
    last = data.draw(st.integers(first, len(old)))
    kept, down, up = Kept(old, new), in_common(old, new), in_common(old[::-1], new[::-1])
    places = range(len(new) - (last - first) + 1)
    above = [down[first][at] for at in range(len(new) + 1)]
    below = [up[len(old) - last][len(new) - at] for at in range(len(new) + 1)]
    assert kept.around(first, last, places) == [above[at] + below[at + last - first] for at in places]
    both = list(map(int.__add__, above, below))
    assert kept.without(first, last) == max(both)
    assert kept.borders(first, last) == [at for at, n in enumerate(both) if n == max(both)]


@given(st.lists(st.sampled_from([f"line {n}" for n in range(30)]), min_size=6, max_size=20, unique=True), st.data())
def test_of_a_doubled_block_no_line_has_a_certain_place(lines: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(1, len(lines) - 3))
    last = data.draw(st.integers(first + 1, len(lines) - 1))
    between = data.draw(st.lists(st.sampled_from(["other", "}", ""]), max_size=3))
    block = lines[first:last]
    below = data.draw(st.sampled_from([lines[last:], ["changed", *lines[last + 1 :]]]))
    alignment = Alignment(text(lines), text([*lines[:last], *between, *block, *below]))
    assert [alignment.place_of(n, n + 1) for n in range(first, last)] == [Place(None, 2)] * len(block)


def test_a_line_has_a_place_in_the_text_of_now_though_it_has_a_copy_there() -> None:
    alignment = Alignment(text([*"abcdefg"]), text([*"xabcdebyg"]))
    assert [alignment.place_of(n, n + 1).at for n in range(7)] == [1, 2, 3, 4, 5, None, 8]


def test_a_text_without_lines_has_no_places() -> None:
    assert Alignment("", "a\n").place_of(0, 0) == Place(None, 0)
