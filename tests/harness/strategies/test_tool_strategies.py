"""The tools as strategies: what is scored is what a call of the tool leaves."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import pytest

from corpora.sample import Sample
from editcore.errors import UsageError
from editcore.types import Applied, Edit, File, Reason, Rejected
from harness.strategies.registry import matching_names, select, strategies, strategy
from harness.strategies.tool_strategies import tool_strategies
from tests.samples import sample

TEXT = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
SPACED = "def f():\n  return 1"


def one(before: str = TEXT, old: str = "return 1", new: str = "return 3", **fields: Any) -> Sample:
    return sample(before=before, old=old, new=new, **fields)


def several(*edits: Edit) -> Sample:
    return replace(one(), edits=edits)


def text_of(name: str, one: Sample) -> str:
    """The text that a strategy leaves of the only file."""
    result = strategy(name).apply(one, None)
    assert isinstance(result, Applied)
    return result.content if result.files is None else result.files["a.py"]  # type: ignore[return-value]


def refusal(name: str, one: Sample) -> Reason:
    result = strategy(name).apply(one, None)
    assert isinstance(result, Rejected)
    assert result.message
    assert "\n" not in result.message
    return result.reason


EDITS = ("tool/edit", "tool/edit@exact", "tool/edit@simple+line_trimmed", "tool/doc_edit")


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_made_and_the_text_is_the_one_that_is_left(name: str) -> None:
    assert text_of(name, one()) == TEXT.replace("return 1", "return 3")


@pytest.mark.parametrize("name", EDITS)
def test_several_edits_are_made_one_after_the_other(name: str) -> None:
    edits = Edit("return 1", "return 3"), Edit("return 3", "return 4"), Edit("def g", "def h")
    expected = TEXT.replace("return 1", "return 4").replace("def g", "def h")
    assert text_of(name, several(*edits)) == expected


@pytest.mark.parametrize("name", EDITS)
def test_what_can_not_be_made_is_refused_with_its_reason(name: str) -> None:
    assert refusal(name, one(old="x = 1")) is Reason.NO_MATCH
    assert refusal(name, one(old="return ")) is Reason.AMBIGUOUS
    assert refusal(name, one(old="return 1", new="return 1")) is Reason.IDENTICAL
    assert refusal(name, one(old="", new="x")) is Reason.EMPTY
    assert refusal(name, several(Edit("return 1", "return 3"), Edit("x = 1", "y"))) is Reason.NO_MATCH


def test_the_cascade_is_the_one_of_the_name() -> None:
    spaced = one(old=SPACED, new="def f():\n    return 3")
    expected = TEXT.replace("return 1", "return 3")
    assert text_of("tool/edit", spaced) == text_of("tool/edit@simple+line_trimmed", spaced) == expected
    assert text_of("tool/edit@line_trimmed", spaced) == expected
    for name in ("tool/edit@exact", "tool/edit@simple", "tool/edit@block_anchor@similarity=1", "tool/doc_edit"):
        assert refusal(name, spaced) is Reason.NO_MATCH


@pytest.mark.parametrize("name", ["tool/edit", "tool/edit@exact"])
def test_the_tool_fits_line_endings_to_the_file_and_keeps_its_byte_order_mark(name: str) -> None:
    crlf = "\ufeff" + TEXT.replace("\n", "\r\n")
    edited = one(crlf, "def f():\n    return 1", "def f():\n    return 3")
    assert text_of(name, edited) == crlf.replace("return 1", "return 3")
    # Which is what the layer adds: the cascade alone sees no line of the find.
    assert isinstance(strategy("cascade/exact").apply(edited, None), Rejected)


def test_the_tool_replaces_every_occurrence_and_a_documents_has_no_word_for_it() -> None:
    everywhere = several(Edit("return", "yield", replace_all=True))
    assert text_of("tool/edit", everywhere) == TEXT.replace("return", "yield")
    assert refusal("tool/doc_edit", everywhere) is Reason.NOT_ALLOWED


def test_a_text_that_no_document_can_have_is_refused() -> None:
    assert refusal("tool/doc_edit", one("a\0b", "a", "c")) is Reason.MALFORMED
    assert refusal("tool/doc_edit", one(new="a\0b")) is Reason.MALFORMED


def test_a_file_that_can_not_be_read_is_refused_before_the_edit() -> None:
    assert refusal("tool/edit", one("a\0b", "a", "c")) is Reason.NOT_ALLOWED
    assert refusal("tool/edit", replace(one(), before=(File(".git/config", TEXT),))) is Reason.NOT_ALLOWED


def test_the_tools_stand_in_the_table_and_those_with_a_cascade_are_made_by_name() -> None:
    assert {"tool/edit", "tool/doc_edit"} <= strategies().keys()
    made = strategy("tool/edit@exact")
    assert (made.name, made.spec, made.summary) == (
        made.spec,
        "tool/edit@exact",
        "The edit tool with the cascade exact.",
    )
    assert [one.name for one in select(["tool/edit@exact", "cascade/exact"])] == ["cascade/exact", "tool/edit@exact"]
    assert not strategies()["tool/doc_edit"].takes(replace(one(), format="search_replace", patch="x"))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("tool/edit@waterfall", "There is no cascade 'waterfall'"),
        ("tool/edit@", "There is no cascade ''"),
        ("tool/edit@simple+simple", "tool/edit@simple+simple names a replacer twice"),
        ("tool/doc_edit@exact", "There is no strategy 'tool/doc_edit@exact'"),
    ],
)
def test_a_name_of_no_cascade_is_the_users_mistake(spec: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        strategy(spec)
    assert caught.value.message == message


def test_doc_edit_is_a_strategy_only_where_its_database_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "tool/doc_edit" in {one.name for one in tool_strategies()}
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    names = [one.name for one in tool_strategies()]
    assert names == ["tool/edit", "tool/edit_file", "tool/patch_file", "tool/insert_at", "tool/edit_patch"]
    with pytest.raises(UsageError, match="tool/doc_edit needs sqlalchemy, which is not installed") as caught:
        matching_names(names, ["tool/doc_edit"])
    assert caught.value.tip == "Install it: pip install 'editgauge[tools]'."
