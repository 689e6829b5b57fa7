"""docs/reliability.md names tests, drills, properties and fuzz targets that exist, and every drill."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

import pytest

from harness.fuzz.drills import DRILLS
from harness.fuzz.properties import PROPERTIES
from harness.fuzz.targets import targets
from tests.harness.program import ROOT

_PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
_ROWS = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in _PAGE.splitlines() if row.startswith("| **")]
_SECTIONS = re.split(r"^### (.+)\n", _PAGE.partition("\n## Evidence\n")[2], flags=re.MULTILINE)[1:]
_EVIDENCE = dict(zip(_SECTIONS[::2], _SECTIONS[1::2], strict=True))
"""Promise -> its section."""
_HELD_BY = ["; ".join(" ".join(one.split()) for one in re.findall(r"^- ((?:.|\n  )+)", section, re.MULTILINE))
            for section in _EVIDENCE.values()]  # fmt: skip
_WORDS = 40
"""The most words of a cell of the table."""


def _named(kind: str) -> set[str]:
    """The names that follow a word such as `drill` or `properties`."""
    found = (part for cell in _HELD_BY for part in cell.split("; ") if re.match(rf"{kind}s? `", part))
    return {name for part in found for name in re.findall(r"`([^`]+)`", part)}


@pytest.mark.parametrize("name", sorted({name for cell in _HELD_BY for name in re.findall(r"`(tests/[^`]+)`", cell)}))
def test_every_test_that_the_page_names_exists(name: str) -> None:
    path, _, function = name.partition("::")
    assert re.search(rf"^def {function}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)


def test_the_page_names_every_drill() -> None:
    assert _named("drill") == set(DRILLS)


def test_every_property_and_target_that_the_page_names_exists() -> None:
    known = {one.name for one in PROPERTIES}
    properties = {name for cell in _HELD_BY for part in cell.split("; ") if part.startswith("propert")
                  for name in re.findall(r"`([^`]+)`", part)}  # fmt: skip
    assert properties
    assert properties <= known
    patterns = _named("fuzz target")
    assert len(patterns) > 5
    assert all(any(fnmatchcase(name, pattern) for name in targets()) for pattern in patterns)


def test_every_promise_has_what_holds_it_and_figures() -> None:
    assert len(_ROWS) > 10
    names = [re.findall(r"\[(.+?)\]", row[0])[0] for row in _ROWS]
    assert names == list(_EVIDENCE)
    assert all(_HELD_BY)
    assert all("\nFigures: " in section for section in _EVIDENCE.values())
    assert "@" not in "".join(row[2] for row in _ROWS)


def test_a_cell_is_a_sentence() -> None:
    assert [cell for row in _ROWS for cell in row if len(cell.split()) > _WORDS or ". " in cell] == []
