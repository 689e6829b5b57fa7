"""The lists that are made of one small edit: the tables in `damage/`, one per module."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from corpora.mutators.lists import LIST_MUTATORS
from corpora.mutators.lists.edit_list import text_after
from corpora.mutators.mutator import Damaged
from tests.corpora.mutators.search_text import CLEAN, cases, compared, damage, edit

TABLES = {
    path.stem: cases(path.read_text("utf-8")) for path in sorted((Path(__file__).parent / "damage").glob("*.txt"))
}


def described(damaged: Damaged | None) -> Iterator[str]:
    """The lines that each edit removes and adds, and those of the right answer."""
    assert damaged is not None
    assert damaged.edits is not None
    (before,) = damaged.before
    for number, one in enumerate(damaged.edits, 1):
        yield from (f"{number} {line}" for line in (f"-{one.old_string}\n+{one.new_string}").split("\n"))
    if damaged.target is None:
        yield f"refused: {damaged.reason}"
    else:
        yield from compared("right", before.content, damaged.target[0].content)


@pytest.mark.parametrize(
    ("module", "name", "degree", "lines"), [(module, *case) for module, table in TABLES.items() for case in table]
)
def test_the_edits_are_these(module: str, name: str, degree: int, lines: list[str]) -> None:
    mutators = import_module(f"corpora.mutators.lists.{module}").MUTATORS
    assert list(described(damage(mutators, name, degree))) == lines


def test_every_list_is_in_a_table() -> None:
    found = {(name, degree) for table in TABLES.values() for name, degree, _ in table}
    assert found == {(one.name, degree) for one in LIST_MUTATORS for degree in one.degrees}


def test_the_twin_of_a_refusal_is_a_text_to_which_all_edits_apply() -> None:
    for name in ("second_fails", "order_swapped", "conflicting_edits"):
        damaged = damage(LIST_MUTATORS, name)
        assert damaged is not None
        assert damaged.twin is not None
        (before,), (after,) = damaged.twin
        assert text_after(before.content, damaged.edits or ()) == after.content


def test_a_part_of_a_line_makes_no_list() -> None:
    part = edit("a = «one»\nb = two_of_them\n", "1")
    assert [damage(LIST_MUTATORS, one.name, clean=part) for one in LIST_MUTATORS if one.name != "same_edit_twice"] == (
        [None] * (len(LIST_MUTATORS) - 1)
    )
    assert CLEAN.whole_lines
