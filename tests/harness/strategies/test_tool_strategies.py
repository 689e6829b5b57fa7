"""The tools as strategies: what is scored is what a call of the tool leaves."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from corpora.sample import Sample, SeenLines
from editcore.errors import UsageError, WorkspaceError
from editcore.types import Applied, Edit, File, Reason, Rejected
from harness.strategies.registry import matching_names, select, strategies, strategy
from harness.strategies.strategy import write_files
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


EDITS = ("tool/edit", "tool/edit@exact", "tool/edit@simple+line_trimmed", "documents/str_replace")


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


def test_the_cascade_is_the_one_of_the_name() -> None:
    spaced = one(old=SPACED, new="def f():\n    return 3")
    expected = TEXT.replace("return 1", "return 3")
    assert text_of("tool/edit@reference", spaced) == text_of("tool/edit@simple+line_trimmed", spaced) == expected
    assert (
        text_of("tool/edit", spaced)
        == text_of("documents/str_replace", spaced)
        == text_of("cascade/recommended", spaced)
    )
    assert text_of("tool/edit@line_trimmed", spaced) == expected
    for name in ("tool/edit@exact", "tool/edit@simple", "tool/edit@block_anchor@similarity=1"):
        assert refusal(name, spaced) is Reason.NO_MATCH


@pytest.mark.parametrize("name", ["tool/edit", "tool/edit@exact"])
def test_the_tool_fits_line_endings_to_the_file_and_keeps_its_byte_order_mark(name: str) -> None:
    crlf = "\ufeff" + TEXT.replace("\n", "\r\n")
    edited = one(crlf, "def f():\n    return 1", "def f():\n    return 3")
    assert text_of(name, edited) == crlf.replace("return 1", "return 3")
    # A cascade that rebuilds a program to the letter sees the carriage returns, and no line of the search text.
    assert refusal("tool/edit@simple", edited) is Reason.NO_MATCH


def test_the_tool_replaces_every_occurrence_and_a_documents_has_no_word_for_it() -> None:
    everywhere = several(Edit("return", "yield", replace_all=True))
    assert text_of("tool/edit", everywhere) == TEXT.replace("return", "yield")
    assert refusal("documents/str_replace", everywhere) is Reason.NOT_ALLOWED


def test_a_text_that_no_document_can_have_is_refused() -> None:
    assert refusal("documents/str_replace", one("a\0b", "a", "c")) is Reason.MALFORMED
    assert refusal("documents/str_replace", one(new="a\0b")) is Reason.MALFORMED


def test_a_file_that_can_not_be_read_is_refused_before_the_edit() -> None:
    assert refusal("tool/edit", one("a\0b", "a", "c")) is Reason.NOT_ALLOWED
    assert refusal("tool/edit", replace(one(), before=(File(".git/config", TEXT),))) is Reason.NOT_ALLOWED


def test_the_tools_stand_in_the_table_and_those_with_a_cascade_are_made_by_name() -> None:
    assert {"tool/edit", "documents/str_replace"} <= strategies().keys()
    made = strategy("tool/edit@exact")
    assert (made.name, made.spec, made.summary) == (
        made.spec,
        "tool/edit@exact",
        "The edit tool, multi_edit for several edits, edit_file for one occurrence, on a file that was read. "
        "With the cascade exact.",
    )
    assert [one.name for one in select(["tool/edit@exact", "cascade/exact"])] == ["cascade/exact", "tool/edit@exact"]
    assert not strategies()["documents/str_replace"].takes(replace(one(), format="search_replace", patch="x"))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("tool/edit@waterfall", "There is no cascade 'waterfall'"),
        ("tool/edit@", "There is no cascade ''"),
        ("tool/edit@simple+simple", "tool/edit@simple+simple names a replacer twice"),
        ("documents/str_replace@waterfall", "There is no cascade 'waterfall'"),
        ("tool/edit_file@exact", "There is no strategy 'tool/edit_file@exact'"),
    ],
)
def test_a_name_of_no_cascade_is_the_users_mistake(spec: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        strategy(spec)
    assert caught.value.message == message


def test_doc_edit_is_a_strategy_only_where_its_database_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "documents/str_replace" in {one.name for one in tool_strategies()}
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    names = [one.name for one in tool_strategies()]
    assert names == [
        "tool/edit",
        "tool/edit@reference",
        "tool/multi_edit",
        "tool/edit_file",
        "tool/patch_file",
        "tool/insert_at",
        "tool/edit_patch",
    ]
    with pytest.raises(UsageError, match="documents/str_replace needs sqlalchemy, which is not installed") as caught:
        matching_names(names, ["documents/str_replace"])
    assert caught.value.tip == "Install it: pip install 'editgauge[tools]'."


HOSTILE = ("x\ud800", "x\0", "../x", "/x", "", ".", "x/../y", ".git/config", "x" * 300, "x/" * 250 + "y", "x" * 250)
ON_DISK = (
    "tool/edit", "tool/multi_edit", "documents/str_replace", "tool/edit_file", "tool/patch_file", "tool/insert_at",
    "tool/edit_patch"
)  # fmt: skip


def _hostile(format: str, path: str, text: str, new: str) -> Sample:
    diff = f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{text}\n+{new}\n"
    patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-{text}\n+{new}\n*** End Patch\n"
    return replace(
        one(text, text, new), format=format, before=(File(path, text),),
        patch={"begin_patch": patch, "unified_diff": diff}.get(format, new), line=0,
    )  # fmt: skip


@pytest.mark.parametrize("name", ON_DISK)
def test_whatever_a_sample_holds_is_a_result_and_not_a_crash(name: str) -> None:
    texts = (("x", "y"), ("x\ud800", "y"), ("x", "y\ud800"), ("x\0", "y"))
    for format, path, (text, new) in product(strategy(name).formats, ["a", *HOSTILE], texts):
        result = strategy(name).apply(_hostile(format, path, text, new), None)
        if "\ud800" in text + new or ("\0" in text and name != "documents/str_replace"):
            assert isinstance(result, Rejected)
        assert isinstance(result, Applied) or (result.message.isprintable() and result.reason)


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ((File("a", "x"), File("a/b", "x")), Reason.NOT_ALLOWED),
        ((File("a", "x"), File("../b", "x")), Reason.OUTSIDE_WORKSPACE),
        ((File("a", "x"), File("b", "\ud800")), Reason.MALFORMED),
        ((File("a", "x"), File(".git/hooks/x", "x")), Reason.NOT_ALLOWED),
    ],
)
def test_nothing_is_written_where_one_file_of_a_sample_can_not_be(
    tmp_path: Path, files: tuple[File, ...], reason: Reason
) -> None:
    with pytest.raises(WorkspaceError) as caught:
        write_files(tmp_path, replace(one(), before=files))
    assert caught.value.reason is reason
    assert not list(tmp_path.iterdir())


SEEN = "start()\na = 1\ngo()\n"
NOW = "a = 1\nwait()\nstart()\na = 1\ngo()\n"
MEANT = "a = 1\nwait()\nstart()\na = 3\ngo()\n"
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-a = 1\n+a = 3\n*** End Patch\n"


def seen(**changed: object) -> Sample:
    """A change of the line that the model saw, of which another hand has put a copy above it since."""
    stale = replace(one(NOW, "a = 1", "a = 3"), seen=(File("a.py", SEEN),))
    return replace(stale, **changed)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["tool/edit", "tool/multi_edit", "tool/edit_file"])
def test_the_tools_have_read_what_the_model_saw(name: str) -> None:
    assert text_of(name, seen()) == MEANT
    assert text_of(name, seen(seen_lines=(SeenLines("a.py", 1, 3),))) == MEANT


def test_the_tools_of_other_formats_have_read_it_too() -> None:
    assert text_of("tool/edit_patch", seen(format="begin_patch", edits=None, patch=PATCH)) == MEANT
    diff = "@@ -2,2 +2,2 @@\n-a = 1\n+a = 3\n go()\n"
    assert text_of("tool/patch_file", seen(format="unified_diff", edits=None, patch=diff)) == MEANT
    inserted = seen(format="insert", edits=None, patch="c = 3", line=3)
    assert text_of("tool/insert_at", inserted) == f"{NOW}c = 3\n"


def test_the_session_of_a_document_has_viewed_it_too() -> None:
    moved = replace(one("b = 2\na = 1\nc = 3\n", "a = 1", "a = 3"), seen=(File("a.py", "a = 1\nb = 2\nc = 3\n"),))
    quoted = replace(one("say('a = 1')\nc = 3\n", "a = 1", "a = 3"), seen=(File("a.py", "a = 1\nc = 3\n"),))
    for stale in (moved, quoted):
        assert refusal("documents/str_replace", stale) is Reason.STALE_READ
    same = replace(one("x = 0\na = 1\nc = 3\n", "a = 1", "a = 3"), seen=(File("a.py", "a = 1\nc = 3\n"),))
    assert text_of("documents/str_replace", same) == "x = 0\na = 3\nc = 3\n"


def test_a_file_that_was_removed_since_it_was_seen_is_not_there() -> None:
    gone = seen(seen=(File("a.py", SEEN), File("b.py", "x\n")))
    result = strategy("tool/edit").apply(gone, None)
    assert isinstance(result, Applied)
    assert result.files == {"a.py": MEANT}


@pytest.mark.parametrize("name", ["tool/edit", "tool/multi_edit"])
def test_a_list_of_which_one_edit_fails_is_not_made_by_a_tool_that_takes_lists(name: str) -> None:
    edits = Edit("return 1", "return 3"), Edit("nowhere", "x"), Edit("def g", "def h")
    assert refusal(name, several(*edits)) is Reason.NO_MATCH


@pytest.mark.parametrize("name", ["tool/edit_file", "documents/str_replace"])
def test_a_tool_that_is_called_for_each_edit_leaves_those_before_the_refused_one(name: str) -> None:
    edits = Edit("return 1", "return 3"), Edit("nowhere", "x"), Edit("def g", "def h")
    assert text_of(name, several(*edits)) == TEXT.replace("return 1", "return 3")
    assert refusal(name, several(*edits[1:])) is Reason.NO_MATCH
