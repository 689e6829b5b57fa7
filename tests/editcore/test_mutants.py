"""The mutants that `tests/mutants.txt` explains are mutants of lines that are there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.mutants import EXPLAINED, explained

ROOT = Path(__file__).parents[2]
SURVIVORS = explained(EXPLAINED.read_text("utf-8"))


def functions(node: ast.AST, source: str, prefix: str = "") -> Iterator[tuple[str, str]]:
    """The dotted name and the source of every function and method."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            yield prefix + child.name, ast.get_source_segment(source, child) or ""
            yield from functions(child, source, f"{prefix}{child.name}.")


@cache
def functions_of(file: str) -> dict[str, str]:
    source = (ROOT / file).read_text("utf-8")
    return {name: " ".join(text.split()) for name, text in functions(ast.parse(source), source)}


@pytest.mark.parametrize("function", sorted({survivor.function for survivor in SURVIVORS}))
def test_an_explained_mutant_quotes_a_line_of_its_function(function: str) -> None:
    file, name = function.split(" ")
    source = functions_of(file)[name]
    # A call that is broken into lines is quoted as one.
    joined = source.replace("( ", "(").replace(", )", ")").replace(" )", ")")
    lines = [" ".join(survivor.old.split()) for survivor in SURVIVORS if survivor.function == function]
    assert [line for line in lines if line not in source and line not in joined] == []
