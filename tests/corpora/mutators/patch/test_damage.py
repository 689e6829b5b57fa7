"""The damage that each mutator does to one small patch, line by line: the tables in `damage/`, one per module."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from corpora.mutators import patch
from tests.corpora.mutators.patch_text import cases, described

TABLES = {
    path.stem: cases(path.read_text("utf-8")) for path in sorted((Path(__file__).parent / "damage").glob("*.txt"))
}


@pytest.mark.parametrize(
    ("module", "name", "degree", "which", "lines"),
    [(module, *case) for module, table in TABLES.items() for case in table],
)
def test_the_damage_is_this(module: str, name: str, degree: int, which: str, lines: list[str]) -> None:
    mutators = import_module(f"corpora.mutators.patch.{module}").MUTATORS
    assert described(mutators, name, degree, which) == lines


def test_every_module_has_a_table() -> None:
    # Edits by line number are tested in `test_line_numbers.py`.
    modules = {path.stem for path in Path(patch.__file__).parent.glob("[!_]*.py")}
    assert modules - {"line_numbers"} == TABLES.keys()
