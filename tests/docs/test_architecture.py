"""docs/architecture.md holds: its tree is the tree, folders are small, and no import goes round in a circle."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

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


def _imports(path: Path) -> Iterator[str]:
    """What a module imports anywhere in it, also inside functions and for types only."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def circle(root: Path) -> list[str] | None:
    """The modules of one import circle, or None."""
    modules = _modules(root)

    def module_of(name: str) -> str | None:
        while name and name not in modules:
            name = name.rpartition(".")[0]
        return name or None

    graph = {
        module: {found for name in _imports(path) if (found := module_of(name)) and found != module}
        for module, path in modules.items()
    }
    try:
        TopologicalSorter(graph).prepare()
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
    assert circle(ROOT) is None


def test_a_circle_would_be_seen(tmp_path: Path) -> None:
    for package in PACKAGES:
        (tmp_path / package).mkdir()
    (tmp_path / "corpora" / "a.py").write_text("def f():\n    from corpora import b\n")
    (tmp_path / "corpora" / "b.py").write_text("import corpora.a\n")
    assert set(circle(tmp_path) or ()) == {"corpora.a", "corpora.b"}


def test_the_glossary_is_short_and_says_everything_once() -> None:
    rows = _PAGE.partition("## Glossary")[2].strip().splitlines()
    assert len(rows) <= 40
    words = [word for row in rows[2:] for word in re.split("[;,] ", row.split("|")[1].strip())]
    assert len(words) == len(set(words))
