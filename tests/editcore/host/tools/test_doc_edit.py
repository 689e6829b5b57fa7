"""`doc_edit` as a model calls it, on both databases."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from editcore.cascade import REFERENCE, Cascade, Guards
from editcore.host.documents.commands import COMMANDS, Command, record_edit
from editcore.host.documents.store import Documents, Suggestion
from editcore.host.documents.suggestions import check_text, document_path
from editcore.host.host import Agent, Host
from editcore.host.registry import Registry
from editcore.host.tool import Context, Result
from editcore.host.tools import TOOLS
from editcore.host.tools.doc_edit import DOC_EDIT
from editcore.host.workspace import Workspace
from editcore.replacers.size_guard import SizeGuard
from editcore.text.document import Document
from tests.editcore.host.doc_edit_calls import PATH, Call, called, fails, tool_of


def test_str_replace_finds_what_the_cascade_of_the_documents_finds(
    opened: Callable[..., Documents], tmp_path: Path
) -> None:
    documents = opened(cascade=REFERENCE)
    tool = tool_of(documents, tmp_path)
    documents.save(PATH, "if a:\n    b()\n")
    params = {"command": "str_replace", "path": PATH, "old_str": "if a:\nb()", "new_str": "c()"}
    assert called(tool, Context(), params)["success"]
    assert documents.version(PATH) == "c()\n"


def test_with_the_cascade_exact_only_the_exact_text_is_found_and_the_description_says_so(
    opened: Callable[..., Documents], tmp_path: Path
) -> None:
    told = {}
    for cascade in ("exact", "recommended"):
        tool = tool_of(documents := opened(cascade=cascade), tmp_path)
        documents.save(PATH, "if a:\n    b()\n")
        params = {"command": "str_replace", "path": PATH, "old_str": "if a:\n  b()", "new_str": "if a:\n  c()"}
        told[cascade] = called(tool, Context(), params)["success"], tool.description
    assert [is_made for is_made, _ in told.values()] == [False, True]
    assert "does not occur exactly is not found" in told["exact"][1]
    assert "by the rule recommended" in told["recommended"][1]


def test_a_refusal_of_another_cascade_has_a_code_too(opened: Callable[..., Documents], tmp_path: Path) -> None:
    def blank(_: Document, __: str) -> Iterator[str]:
        yield ""

    def everything(document: Document, _: str) -> Iterator[str]:
        yield document.text

    refusals = {
        "AMBIGUOUS_MATCH": Cascade("blank", (blank,)),
        "NO_MATCH": Cascade("everything", (everything,), guards=Guards(size_guard=SizeGuard())),
    }
    for code, cascade in refusals.items():
        documents = opened(cascade=cascade)
        documents.save(PATH, "a\nb\nc\nd\ne\n")
        params = {"command": "str_replace", "path": PATH, "old_str": "a", "new_str": "b"}
        fails(called(tool_of(documents, tmp_path), Context(), params), code, "")


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"command": "str_replace", "new_str": "x"}, "old_str: it is required for str_replace"),
        ({"command": "str_replace", "old_str": "x"}, "new_str: it is required for str_replace"),
        ({"command": "str_replace", "old_str": "", "new_str": "x"}, "old_str: it is empty"),
        ({"command": "str_replace", "old_str": "x", "new_str": "x"}, "old_str and new_str are identical"),
        ({"command": "str_replace", "old_str": "x\0", "new_str": "x"}, "old_str: it contains a NUL"),
        ({"command": "str_replace", "old_str": "x", "new_str": "\udc80"}, "new_str: '\\udc80' is a lone surrogate"),
        ({"command": "insert", "new_str": "x"}, "insert_line: it is required for insert"),
        ({"command": "insert", "insert_line": 0}, "new_str: it is required for insert"),
        ({"command": "insert", "insert_line": 0, "new_str": ""}, "new_str: it is empty"),
        ({"command": "append"}, "new_str: it is required for append"),
        ({"command": "append", "new_str": ""}, "new_str: it is empty"),
        ({"command": "append", "new_str": "x" * 10_000_001}, "new_str: it has 10,000,001 bytes"),
        ({"command": "create"}, "file_text: it is required for create"),
        ({"command": "create", "file_text": "\0"}, "file_text: it contains a NUL"),
        *(({"command": name, "path": "/a.txt"}, "path: /a.txt is not the path of a document") for name in COMMANDS),
        *(({"command": name, "path": "/a.md/"}, "path: ") for name in COMMANDS),
    ],
)
def test_a_call_that_makes_no_sense_is_refused_by_the_name_of_the_field(
    documents: Documents, call: Call, params: dict[str, Any], words: str
) -> None:
    documents.save(PATH, "x")
    fails(call(**params), "INVALID_INPUT", words)
    assert documents.sessions(PATH) == ()


def test_no_edit_makes_a_document_longer_than_the_most(documents: Documents, call: Call) -> None:
    documents.save(PATH, "x" * 9_999_999)
    words = "the document after this edit: it has 10,000,001 bytes"
    fails(call("append", new_str="x"), "INVALID_INPUT", words)
    assert call("str_replace", old_str="x" * 9_999_999, new_str="y")["success"]


def test_a_session_knows_the_chat_and_the_turn_of_its_first_edit(documents: Documents, tmp_path: Path) -> None:
    tool = tool_of(documents, tmp_path)
    documents.save(PATH, "")
    for n in (1, 2):
        context = Context(extra={"chat_id": f"chat {n}", "turn_id": n})
        assert called(tool, context, {"command": "append", "path": PATH, "new_str": "x"})["success"]
    session = documents.session(PATH)
    assert session is not None
    assert (session.chat_id, session.turn_id) == ("chat 1", "1")


@pytest.mark.parametrize("name", COMMANDS)
def test_applying_an_edit_to_a_text_does_the_same_each_time(name: str) -> None:
    suggestion = Suggestion(name, PATH, "b", "x", 1)
    apply = COMMANDS[name].apply_to_version
    after = apply("a\nb\n", suggestion, REFERENCE)
    assert after == apply("a\nb\n", suggestion, REFERENCE)
    expected = {"view": "a\nb\n", "str_replace": "a\nx\n", "insert": "a\nx\nb\n", "append": "a\nb\nx", "create": "x"}
    assert after == expected[name]


def test_a_database_that_fails_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "documents.db").write_bytes(b"# Not a database\n" * 500)
    with closing(Documents(url=f"sqlite:///{tmp_path}/documents.db")) as documents:
        for command in ({"command": "view"}, {"command": "append", "new_str": "x"}):
            result = tool_of(documents, tmp_path).execute(Context(), {**command, "path": PATH})
            assert result.is_error
            assert json.loads(result.output) == {
                "success": False,
                "message": "The documents' database failed (DatabaseError): its file is damaged or not a database: "
                "replace it with a backup.",
            }


def test_there_is_no_tool_where_there_are_no_documents(tmp_path: Path) -> None:
    assert DOC_EDIT(Host(Workspace(tmp_path)), Agent()) is None


def test_the_schema_names_all_commands_and_asks_for_a_path(documents: Documents, tmp_path: Path) -> None:
    schema = tool_of(documents, tmp_path).declaration["input_schema"]
    assert schema["properties"]["command"]["enum"] == sorted(COMMANDS)
    assert schema["required"] == ["command", "path"]
    assert all(one["description"] for one in schema["properties"].values())


@pytest.fixture
def execute(documents: Documents, tmp_path: Path) -> Callable[[object], Result]:
    tool = tool_of(documents, tmp_path)
    return lambda params: tool.execute(Context(), params)


odd = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.lists(st.integers(), max_size=3)
)
texts = st.text(st.sampled_from("ab\n\r\0\ud800é"), max_size=6) | odd
paths = st.sampled_from([PATH, "/", "/characters/", "a.md", "/../a.md", "/a\0.md", ""]) | st.text(max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    params=st.fixed_dictionaries(
        {"command": st.sampled_from([*COMMANDS, *COMMANDS, "undo"]), "path": paths},
        optional={
            "old_str": texts,
            "new_str": texts,
            "file_text": texts,
            "insert_line": st.integers(-3, 6) | odd,
            "view_range": st.lists(st.integers(-2, 6), min_size=2, max_size=2) | odd,
        },
    )
    | odd
)
def test_whatever_a_model_sends_it_gets_an_answer(execute: Callable[[object], Result], params: object) -> None:
    answer = json.loads(execute(params).output)
    assert answer["success"] is not ("error_code" in answer)


# Further commands of a host


def upper(version: str, _: Suggestion, __: Cascade) -> str:
    return version.upper()


UPPER = Command(
    "upper",
    lambda params: check_text("path", document_path(params.path)),
    lambda documents, turn, params: record_edit(
        documents, turn, Suggestion("upper", document_path(params.path)), upper
    ),
    upper,
)


def test_a_host_adds_commands_and_the_schema_follows(documents: Documents, tmp_path: Path) -> None:
    documents.save(PATH, "one\n")
    registry = Registry(Host(Workspace(tmp_path), documents=documents, commands={"upper": UPPER}), TOOLS)
    enum = registry.tools(Agent())["doc_edit"].declaration["input_schema"]["properties"]["command"]["enum"]
    assert enum == sorted([*COMMANDS, "upper"])
    for params in (
        {"command": "upper", "path": PATH}, {"command": "append", "path": PATH, "new_str": "two"},
    ):  # fmt: skip
        assert not registry.call(Agent(), "doc_edit", Context(), params).is_error
    assert documents.version(PATH) == "ONE\ntwo"
    answer = registry.call(Agent(), "doc_edit", Context(), {"command": "lower", "path": PATH})
    fails(answer.metadata, "INVALID_INPUT", "command")
    plain = Registry(Host(Workspace(tmp_path), documents=documents), TOOLS)
    fails(
        plain.call(Agent(), "doc_edit", Context(), {"command": "upper", "path": PATH}).metadata,
        "INVALID_INPUT",
        "upper",
    )


@pytest.mark.parametrize("name", ["view", "", "a b", "A", "1", "x" * 65])
def test_a_command_needs_a_name_of_its_own(name: str, documents: Documents, tmp_path: Path) -> None:
    host = Host(Workspace(tmp_path), documents=documents, commands={name: UPPER})
    answer = Registry(host, TOOLS).call(Agent(), "doc_edit", Context(), {"command": "view", "path": PATH})
    assert "can't be the name of a further command of doc_edit" in answer.output


def test_an_edit_says_where_it_went_and_view_shows_it(documents: Documents, call: Call) -> None:
    documents.save(PATH, "one\ntwo\n")
    answer = call("str_replace", "characters/hero.md", old_str="two", new_str="zwei")
    session = documents.session(PATH)
    assert session is not None
    (edit,) = documents.edits(session.id)
    assert answer == {
        "success": True, "session_id": session.id, "edit_id": edit.id, "path": PATH,
        "message": "The edit is suggested to the user: line 2.",
    }  # fmt: skip
    assert documents.text(PATH) == "one\ntwo\n"
    assert call("view") == {
        "success": True, "path": PATH, "content": "1: one\n2: zwei", "line_count": 2, "view_range": [1, 2],
    }  # fmt: skip


def test_every_edit_is_kept_as_it_was_asked_for(documents: Documents, call: Call) -> None:
    call("create", file_text="one\n")
    assert documents.text(PATH) == ""
    call("str_replace", old_str="one", new_str="")
    call("insert", insert_line=-1, new_str="two")
    call("append", new_str="three")
    edits = documents.edits(documents.sessions(PATH)[0].id)
    assert [
        (one.command, one.path, one.old_str, one.new_str, one.insert_line) for one in (e.suggestion for e in edits)
    ] == [
        ("create", PATH, None, "one\n", None),
        ("str_replace", PATH, "one", "", None),
        ("insert", PATH, None, "two", -1),
        ("append", PATH, None, "three", None),
    ]


def test_the_version_is_what_the_edits_make_of_the_base_one_by_one(documents: Documents, call: Call) -> None:
    documents.save(PATH, "one\ntwo\n")
    for params in (
        {"command": "insert", "insert_line": 1, "new_str": "between"},
        {"command": "str_replace", "old_str": "two", "new_str": "zwei"},
        {"command": "append", "new_str": "end"},
    ):
        assert call(**params)["success"]
    session = documents.session(PATH)
    assert session is not None
    edits = [one.suggestion for one in documents.edits(session.id)]
    assert session.ai_version == reduce(
        lambda version, edit: COMMANDS[edit.command].apply_to_version(version, edit, documents.cascade),
        edits,
        session.base_snapshot,
    )
    assert session.ai_version == "one\nbetween\nzwei\nend"
