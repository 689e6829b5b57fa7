"""The damage that each mutator does to one small edit, line by line: the tables in `damage/`, one per module."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from corpora.mutators import text
from tests.corpora.mutators.search_text import cases, damage, described

TABLES = {
    path.stem: cases(path.read_text("utf-8")) for path in sorted((Path(__file__).parent / "damage").glob("*.txt"))
}


@pytest.mark.parametrize(
    ("module", "name", "degree", "lines"), [(module, *case) for module, table in TABLES.items() for case in table]
)
def test_the_damage_is_this(module: str, name: str, degree: int, lines: list[str]) -> None:
    mutators = import_module(f"corpora.mutators.text.{module}").MUTATORS
    assert described(damage(mutators, name, degree)) == lines


def test_every_module_has_a_table() -> None:
    assert list(TABLES) == sorted(path.stem for path in Path(text.__file__).parent.glob("[!_]*.py"))
