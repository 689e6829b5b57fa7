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
_HELD_BY = [row[1] for row in _ROWS]


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
    assert all(len(row) == 4 and row[1] and row[2] for row in _ROWS)
    assert "@" not in "".join(row[2] for row in _ROWS)
