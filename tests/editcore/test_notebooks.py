"""Notebooks as text: where their cells stand, and what cannot be read as one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.notebooks import Unreadable, cells, unreadable_after
from editcore.types import Reason


def notebook(*sources: Any, indent: int | None = 1, kind: str = "code") -> str:
    found = [{"cell_type": kind, "metadata": {}, "outputs": [{"text": ["]\n"]}], "source": one} for one in sources]
    return json.dumps({"metadata": {"cells": [1]}, "cells": found, "nbformat": 4}, indent=indent) + "\n"


GOOD = notebook(["x = 1\n", "y = '\\\\n'"], "z = 3")


def test_cells_stand_where_they_stand() -> None:
    found = cells(GOOD)
    assert not isinstance(found, Unreadable)
    lines = GOOD.split("\n")
    assert [(lines[one.first_line - 1], lines[one.last_line - 1]) for one in found] == [("  {", "  },"), ("  {", "  }")]
    assert [lines[one.source_lines[0] - 1 : one.source_lines[1]] for one in found] == [
        ['   "source": [', '    "x = 1\\n",', "    \"y = '\\\\\\\\n'\"", "   ]"],
        ['   "source": "z = 3"'],
    ]


@given(
    st.lists(st.text(max_size=9) | st.lists(st.text(max_size=9), max_size=4), max_size=4),
    st.sampled_from([None, 0, 1, 4]),
    st.sampled_from(["", "\ufeff"]),
)
def test_whatever_is_a_notebook_can_be_read(sources: list[Any], indent: int | None, mark: str) -> None:
    found = cells(mark + notebook(*sources, indent=indent))
    assert not isinstance(found, Unreadable)
    assert len(found) == len(sources)
    wanted = [[one for one in source[:-1] if not one.endswith("\n")] for source in sources if isinstance(source, list)]
    assert sum(map(len, wanted)) == sum(len(one.joined_lines) for one in found)


@pytest.mark.parametrize(
    ("old", "new", "there", "why"),
    [
        ('"z = 3"', '"z = 3",', "  }", "there is a comma before the closing }"),
        ("    \"y = '\\\\\\\\n'\"", "    \"y = '\\\\\\\\n'\",", "   ]", "there is a comma before the closing ]"),
        ('"x = 1\\n",', "x = 1", "    x = 1", "expecting value"),
        ('"x = 1\\n",', '"x = "1"\\n",', '    "x = "1"\\n",', "expecting ',' delimiter"),
        ('"x = 1\\n",', '"x = 1\\n"', "    \"y = '\\\\\\\\n'\"", "expecting ',' delimiter"),
        ('"x = 1\\n",', '"x = 1\\d",', '    "x = 1\\d",', "invalid \\escape"),
        ('"x = 1\\n",', '"x = 1\n",', '    "x = 1', "invalid control character at"),
        ('"x = 1\\n",', "1,", "    1,", "the source of cell 1 has a value that is no text"),
        ('"z = 3"', "3", "  {", 'cell 2 has no "source" that is a text or a list of texts'),
        ('"cell_type": "code",\n', "", "  {", 'cell 1 has no "cell_type" of code, markdown, raw'),
        (' "cells": [\n  {', ' "sells": [\n  {', "{", 'it has no list of "cells"'),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(old: str, new: str, there: str, why: str) -> None:
    changed = GOOD.replace(old, new, 1)
    found = cells(changed)
    assert isinstance(found, Unreadable)
    assert (found.why.startswith(why), changed.split("\n")[found.line - 1]) == (True, there)
    refused = unreadable_after({"a.ipynb": GOOD}, {"a.ipynb": changed})
    assert refused is not None
    assert refused.reason is Reason.MALFORMED
    assert f"a.ipynb could not be read as a notebook: line {found.line} of the result: {why}" in refused.message
    assert "\n" not in refused.message


def test_lines_that_run_into_each_other_are_refused() -> None:
    joined = GOOD.replace("1\\n", "1")
    assert not isinstance(cells(joined), Unreadable)
    refused = unreadable_after({"a.IPYNB": GOOD}, {"a.IPYNB": joined})
    assert refused is not None
    assert r"it lacks its \n, so that the next line would run into it" in refused.message


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "{" * 100_000, '{"cells": [' + "1" * 5_000 + "]}", "[]", "\0", "NaN", "1"]
)
def test_hostile_texts_are_unreadable_and_no_more(text: str) -> None:
    assert isinstance(cells(text), Unreadable)
    assert unreadable_after({}, {"a.ipynb": text}) is not None


def test_what_was_no_notebook_before_may_become_anything_and_other_files_too() -> None:
    assert unreadable_after({"a.ipynb": "{"}, {"a.ipynb": "{{"}) is None
    assert unreadable_after({"a.ipynb": GOOD}, {"a.ipynb": GOOD}) is None
    assert unreadable_after({"a.ipynb": GOOD}, {"a.ipynb": ""}) is None
    assert unreadable_after({"a.json": GOOD}, {"a.json": "{"}) is None
    assert unreadable_after({}, {"a.ipynb": "{"}) is not None
    assert unreadable_after({"a.ipynb": " "}, {"a.ipynb": "{"}) is not None
