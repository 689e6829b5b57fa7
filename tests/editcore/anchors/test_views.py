"""Views, hashes and written calls: vectors of the programs, equal hashes, and calls that make their change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore import Applied
from editcore.anchors import READINGS, VIEWS, apply_anchored, show
from editcore.anchors.views import changes_between, ended_lines, h2_hash, h2_loose_hash, h4_tag, shown_lines, write_call
from editcore.errors import UsageError

TEXT = "def area(w, h):\n    return w * h\n\nprint(area(2, 3))\n"
"""Its hashes below were made by the programs that the formats are from."""


@pytest.mark.parametrize(
    ("view", "hashes"),
    [
        ("hashline_h2", ["1#XB|def area(w, h):", "2#ZV|    return w * h", "3#HW|", "4#VQ|print(area(2, 3))", "5#BT|"]),
        ("hashline_h2_oh_my_pi", ["1#XB:def area(w, h):", "2#ZV:    return w * h", "3#HW:", "4#VQ:print(area(2, 3))",
                                  "5#BT:"]),
        ("hashline_h4", ["[greet.py#C8E4]", "1:def area(w, h):", "2:    return w * h", "3:", "4:print(area(2, 3))"]),
        ("hashline_h4_gptme", ["[greet.py#328DDA3B]", "   1\tdef area(w, h):", "   2\t    return w * h", "   3\t",
                               "   4\tprint(area(2, 3))"]),
    ],
)  # fmt: skip
def test_views_are_those_of_the_programs(view: str, hashes: list[str]) -> None:
    assert show(TEXT, view, path="greet.py").split("\n") == hashes


def test_what_says_nothing_is_told_apart_by_its_number_in_h2() -> None:
    assert (h2_hash("}", 7), h2_hash("}", 9)) == ("ST", "MR")
    assert h2_hash("  x", 7) == h2_hash("  x \r", 9) != h2_hash("x", 7)
    assert h2_loose_hash("  x  y", 7) == h2_hash("xy", 7)


def test_a_tag_ignores_the_mark_line_endings_and_whitespace_at_the_end_of_lines() -> None:
    assert h4_tag("\ufeffa \t\r\nb\n") == h4_tag("a\nb\n") != h4_tag(" a\nb\n")


def test_lines_shown_in_part_keep_their_numbers() -> None:
    assert show(TEXT, "hashline_h2", first=2, last=3) == "2#ZV|    return w * h\n3#HW|"
    assert show(TEXT, "hashline_h4", path="p", first=4, last=99) == "[p#C8E4]\n4:print(area(2, 3))"
    assert show("a\n" * 10, "exhash", first=9).startswith(" 9|")


def test_a_view_that_does_not_exist_is_a_mistake() -> None:
    with pytest.raises(UsageError, match="no view"):
        show(TEXT, "hashline_h9")


@given(st.text(), st.sampled_from(VIEWS))
def test_any_text_can_be_shown(text: str, view: str) -> None:
    rows = show(text, view).split("\n")
    n_shown = len(rows) - view.startswith("hashline_h4")
    assert n_shown in (len(shown_lines(text, view)), max(len(ended_lines(text)), 1 - view.startswith("hashline_h4")))


LINES = st.lists(st.sampled_from(["a", "b", "", "  c", "}", "+x", "-y", "1:a"]), max_size=6)


@given(LINES, LINES)
def test_a_call_that_is_written_makes_the_change_exactly(old: list[str], new: list[str]) -> None:
    before, after = ("".join(f"{line}\n" for line in lines) for lines in (old, new))
    for format in READINGS:
        call = write_call(format, before, changes_between(before, after), path="p")
        result = apply_anchored({"p": before}, call, format, rule="strict")
        if before == after:
            assert not isinstance(result, Applied)
        else:
            assert isinstance(result, Applied), result
            assert result.content == after
