"""The lists of edits that are made of one small edit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from corpora.mutators.clean_edit import Damaged
from corpora.mutators.lists import LIST_MUTATORS, text_after
from tests.corpora.mutators.small_edit import CLEAN, cases, compared, damage, damaged, edit, named_in


def described(found: Damaged) -> Iterator[str]:
    """The lines that each edit removes and adds, and the lines that the right answer removes and adds."""
    assert found.edits is not None
    (before,) = found.before
    for number, one in enumerate(found.edits, 1):
        yield from (f"{number} {line}" for line in (f"-{one.old_string}\n+{one.new_string}").split("\n"))
    if found.target is None:
        yield f"refused: {found.reason}"
    else:
        yield from compared("right", before.content, found.target[0].content)


@pytest.mark.parametrize(("name", "degree", "lines"), cases("lists"))
def test_the_edits_are_these(name: str, degree: int, lines: list[str]) -> None:
    assert list(described(damaged(name, degree))) == lines


def test_every_list_is_in_the_table() -> None:
    assert named_in("lists") == {(one.name, degree) for one in LIST_MUTATORS for degree in one.degrees}


def test_the_twin_of_a_refusal_is_a_text_to_which_all_edits_apply() -> None:
    for name in ("second_fails", "order_swapped", "conflicting_edits"):
        refused = damaged(name)
        assert refused.twin is not None
        (before,), (after,) = refused.twin
        assert text_after(before.content, refused.edits or ()) == after.content


def test_a_part_of_a_line_makes_no_list() -> None:
    part = edit("a = «one»\nb = two_of_them\n", "1")
    assert [damage(one.name, clean=part) for one in LIST_MUTATORS if one.name != "same_edit_twice"] == (
        [None] * (len(LIST_MUTATORS) - 1)
    )
    assert CLEAN.whole_lines
