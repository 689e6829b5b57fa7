"""docs/architecture.md holds: its tree is the tree, folders are small, and no import goes round in a circle."""

from __future__ import annotations

import re
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

from tests.harness.program import ROOT

PACKAGES = ("editcore", "corpora", "reports", "harness")
_PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def _modules(root: Path) -> Mapping[str, Path]:
    """Name -> file of every module of the packages below a folder."""
    found = {}
    for package in PACKAGES:
        for path in (root / package).rglob("*.py"):
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def circle(*packages: str) -> list[str] | None:
    """The modules of one import circle in some packages, or None; imports in functions and for types only count."""
    graph = grimp.build_graph(*packages, cache_dir=None)
    try:
        TopologicalSorter({name: graph.find_modules_directly_imported_by(name) for name in graph.modules}).prepare()
    except CycleError as error:
        return list(error.args[1])
    return None


def _folders_drawn() -> set[str]:
    """The folders that the tree names, each by its whole path."""
    block = next(part for part in re.findall(r"((?:^    .*\n|^\n)+)", _PAGE, re.MULTILINE) if "editcore/  " in part)
    above: list[tuple[int, str]] = []
    drawn = set()
    for line in filter(str.strip, block.splitlines()):
        indentation = len(line) - len(line.lstrip())
        names = re.match(r"((?:[\w]+/ )*[\w]+/)(?: |$)", line.strip())
        assert names, line
        above = [one for one in above if one[0] < indentation]
        for name in names[1].split():
            drawn.add("/".join([*(folder for _, folder in above), name.rstrip("/")]))
        above.append((indentation, names[1].split()[0].rstrip("/")))
    return drawn


def test_the_tree_of_the_page_is_the_tree() -> None:
    there = {str(path.parent.relative_to(ROOT)) for path in _modules(ROOT).values()}
    assert _folders_drawn() == there


@pytest.mark.parametrize("folder", sorted(_folders_drawn()))
def test_a_folder_holds_at_most_twenty_modules(folder: str) -> None:
    assert 0 < len(list((ROOT / folder).glob("*.py"))) <= 21  # With its __init__.py.


def test_no_import_goes_round_in_a_circle() -> None:
    assert circle(*PACKAGES) is None


def test_a_circle_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    for package in ("one_way", "and_back"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
    (tmp_path / "one_way" / "a.py").write_text("def f():\n    from and_back import b\n")
    (tmp_path / "and_back" / "b.py").write_text(
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import one_way.a\n"
    )
    assert set(circle("one_way", "and_back") or ()) == {"one_way.a", "and_back.b"}


def test_the_glossary_is_short_and_says_everything_once() -> None:
    rows = _PAGE.partition("## Glossary")[2].strip().splitlines()
    assert len(rows) - 2 <= 30
    words = [word for row in rows[2:] for word in re.split("[;,] ", row.split("|")[1].strip())]
    assert len(words) == len(set(words))
