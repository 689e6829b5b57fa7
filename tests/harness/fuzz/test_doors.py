"""Every door gives the same text for an edit, or refuses it for the same reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.load import load
from editcore.apply import replace
from editcore.cascade import CASCADES
from editcore.types import Applied
from harness.fuzz.generators import GENERATORS
from harness.fuzz.inputs import FORMS
from harness.fuzz.targets.doors import differences, doors_agree

FILE = "def f():\n    a = 1\n    b = 2\n    c = 3\n    return a\n"


@given(st.randoms(use_true_random=False))
def test_all_doors_agree_on_edits_that_are_drawn(rng) -> None:  # type: ignore[no-untyped-def]
    fields = GENERATORS["str_replace"](rng)
    assert doors_agree(fields, False) == (), fields


def test_all_doors_agree_on_the_smallest_corpus() -> None:
    samples = [one for one in load("smoke") if one.format == "str_replace" and len(one.edits or ()) == 1]
    assert len(samples) > 20
    assert [(one.id, *found) for one in samples for name in CASCADES for found in differences(one, name)] == []


@pytest.mark.parametrize("content", ["", "\ufeff", "\n", "a\n"])
@pytest.mark.parametrize("old", ["", "\ufeff", "\n"])
@pytest.mark.parametrize("new", ["x\n", "\n", ""])
def test_all_doors_agree_on_empty_texts(content: str, old: str, new: str) -> None:
    assert doors_agree((content, old, new), False) == ()


def test_an_elision_in_both_texts_is_merged_at_every_door() -> None:
    """The tools removed the lines that the comment stood for, and left the comment in the file."""
    comment = "    # ... existing code ...\n"
    old, new = f"def f():\n{comment}    return a\n", f"def f():\n{comment}    return b\n"
    result = replace(FILE, old, new)
    assert isinstance(result, Applied)
    assert result.content == FILE.replace("return a", "return b")
    assert doors_agree((FILE, old, new), False) == ()


def test_a_search_text_indented_otherwise_is_written_with_the_indentation_of_the_file_at_every_door() -> None:
    old, new = "def f():\n  a = 1\n  b = 2\n", "def f():\n  a = 1\n  b = 4\n"
    result = replace(FILE, old, new)
    assert isinstance(result, Applied)
    assert result.content == FILE.replace("b = 2", "b = 4")
    assert doors_agree((FILE, old, new), False) == ()


def test_a_door_that_pastes_is_found(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    sample = FORMS["str_replace"].sample((FILE, "def f():\n  a = 1\n", "def f():\n  a = 5\n"))
    assert sample is not None
    pasted = FILE.replace("def f():\n    a = 1\n", "def f():\n  a = 5\n")
    monkeypatch.setattr("editcore.host.tools.edit.apply_edit", lambda *_, **__: Applied(pasted, (), "x"))
    assert {door for door, *_ in differences(sample, "recommended")} == {
        "tool/edit@recommended",
        "tool/multi_edit@recommended",
    }
