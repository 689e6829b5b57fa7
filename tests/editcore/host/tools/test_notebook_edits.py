"""Notebooks through the tools: every notebook stays readable, and `read` shows its cells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editcore.host.tools import TOOLS, Agent, Context, Host, Registry
from editcore.host.workspace import Workspace
from tests.editcore.host.conftest import replacing

NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Title\n", "words"]},
        {"cell_type": "code", "metadata": {}, "outputs": [{"text": ["7\n"]}], "source": ["x = 1\n", "print(x)"]},
    ],
    "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
}  # fmt: skip
TEXT = json.dumps(NOTEBOOK, indent=1) + "\n"
OLD, BAD, GOOD = '"x = 1\\n",', '"x = 2"', '"x = 2\\n",'
PATH = {"filePath": "a.ipynb"}
CALLS: dict[str, dict[str, Any]] = {
    **replacing("a.ipynb", f"    {OLD}", f"    {BAD}", line=22),
    "write": {**PATH, "content": TEXT.replace(OLD, BAD)},
    "insert_at": {"path": "a.ipynb", "line": 7, "content": "    print(x)"},
}


def registry(folder: Path, **options: Any) -> Registry:
    (folder / "a.ipynb").write_text(TEXT)
    workspace = Workspace(folder, durable=False, lock_directory=folder.parent / "locks", **options)
    made = Registry(Host(workspace), TOOLS)
    assert not made.call(Agent(), "read", Context(), PATH).is_error
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.mark.parametrize("tool", CALLS)
def test_no_tool_leaves_a_notebook_that_cannot_be_read(tool: str, folder: Path) -> None:
    result = registry(folder).call(Agent(), tool, Context(), CALLS[tool])
    assert result.is_error
    assert "could not be read as a notebook: line " in result.output
    assert (folder / "a.ipynb").read_text() == TEXT


def test_a_sound_edit_is_made_and_any_is_where_that_is_allowed(folder: Path) -> None:
    call = {**PATH, "oldString": OLD, "newString": GOOD}
    assert not registry(folder).call(Agent(), "edit", Context(), call).is_error
    assert (folder / "a.ipynb").read_text() == TEXT.replace(OLD, GOOD)
    assert not registry(folder, any_notebook=True).call(Agent(), "edit", Context(), CALLS["edit"]).is_error
    assert (folder / "a.ipynb").read_text() == TEXT.replace(OLD, BAD)


def test_a_read_shows_the_sources_of_cells_with_the_lines_of_the_file(folder: Path) -> None:
    made = registry(folder)
    whole = made.call(Agent(), "read", Context(), PATH).output.split("\n")
    assert whole[1:6] == [
        "[cell 1: markdown]",
        '6:    "source": [',
        '7:     "# Title\\n",',
        '8:     "words"',
        "9:    ]",
    ]
    assert whole[6] == "[cell 2: code]"
    assert (
        whole[-1] == f"(The sources of 2 cells, of {TEXT.count(chr(10))} lines; read the others with offset and limit.)"
    )
    some = made.call(Agent(), "read", Context(), {**PATH, "offset": 2, "limit": 2}).output.split("\n")
    assert some[1:3] == ['2:  "cells": [', "3:   {"]


def test_what_is_no_notebook_is_read_line_by_line(folder: Path) -> None:
    made = registry(folder)
    (folder / "a.ipynb").write_text("{\n")
    assert made.call(Agent(), "read", Context(), PATH).output == (
        "<content>\n1: {\n</content>\n(End of file - total 1 lines)"
    )
