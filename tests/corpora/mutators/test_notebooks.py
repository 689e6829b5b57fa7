"""The damage of each mutator to an edit in a notebook: `damage/notebooks.txt`. Right answers are readable notebooks."""

from __future__ import annotations

import pytest

from corpora.mutators.clean_edit import Damaged
from corpora.mutators.notebooks import NOTEBOOK_MUTATORS
from editcore.notebooks import Unreadable, cells, unreadable_after
from tests.corpora.mutators.small_edit import cases, compared, damage, damaged, edit, named_in

CLEAN = edit("import os\n«a = 1\nprint(a)»\n\nb = 2\n", 'a = "one"\nsay("a\\n")\nprint(a)', path="store.py")


def made(name: str, degree: int = 1) -> Damaged:
    return damaged(name, degree, clean=CLEAN)


def described(found: Damaged) -> list[str]:
    """The differences between new text and correct rows, and between search text and the file's rows."""
    (one,) = found.edits or ()
    (right,) = made("notebook_exact").edits or ()
    return [*compared("search", right.old_string, one.old_string), *compared("new", right.new_string, one.new_string)]


@pytest.mark.parametrize(("name", "degree", "lines"), cases("notebooks"))
def test_the_rows_are_these(name: str, degree: int, lines: list[str]) -> None:
    assert described(made(name, degree)) == lines


def test_every_mutator_is_in_the_table() -> None:
    wanted = {(one.name, degree) for one in NOTEBOOK_MUTATORS for degree in one.degrees}
    assert named_in("notebooks") == wanted


@pytest.mark.parametrize(("name", "degree", "lines"), cases("notebooks"))
def test_what_is_right_can_be_read_and_what_is_written_is_not(name: str, degree: int, lines: list[str]) -> None:
    found = made(name, degree)
    (before,), (target,), (one,) = found.before, found.target or (), found.edits or ()
    assert not isinstance(cells(before.content), Unreadable)
    assert not isinstance(cells(target.content), Unreadable)
    written = before.content.replace(one.old_string, one.new_string)
    if name == "notebook_exact":
        assert written == target.content
    elif written != before.content:  # A search text in plain code is nowhere.
        assert unreadable_after({before.path: before.content}, {before.path: written}) is not None, lines


def test_an_edit_of_a_part_of_a_line_or_of_no_text_makes_none() -> None:
    for clean in (edit("a = «one»\n", "1"), edit("«a = one»\nb\n", "")):
        assert [damage(one.name, clean=clean) for one in NOTEBOOK_MUTATORS] == ([None] * len(NOTEBOOK_MUTATORS))
    assert made("notebook_exact").before[0].path == "store.ipynb"
