"""Documents, the sessions on them and the edits in those, on both databases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, event

from editcore.errors import DocumentError, ErrorCode, UsageError
from editcore.host.documents.store import Documents, RecordedEdit, Suggestion
from tests.editcore.conftest import of_project

PATH = "/characters/hero.md"


def added(documents: Documents, text: str, *, path: str = PATH, chat_id: str | None = None) -> RecordedEdit:
    """An edit that adds a text at the end."""
    return documents.record(Suggestion("append", path, new_str=text), lambda version: version + text, chat_id=chat_id)


def created(documents: Documents, text: str = "new\n", path: str = PATH) -> RecordedEdit:
    return documents.create(Suggestion("create", path, new_str=text))


def refused(code: ErrorCode, words: str, call: Callable[..., object], *args: object) -> None:
    """Assert that the call is refused with that code, in one line with these words."""
    with pytest.raises(DocumentError, match=words) as error:
        call(*args)
    assert error.value.code is code
    assert len(error.value.message.splitlines()) == 1


def rows(documents: Documents) -> list[tuple[str, str, str, list[int]]]:
    """Status, base, version and orders of all sessions on the path."""
    return [
        (one.status, one.base_snapshot, one.ai_version, [edit.edit_order for edit in documents.edits(one.id)])
        for one in documents.sessions(PATH)
    ]


def test_the_first_edit_opens_a_session_that_starts_as_the_document_and_later_ones_go_to_it(
    documents: Documents,
) -> None:
    documents.save(PATH, "one\n")
    first, second = added(documents, "two\n"), added(documents, "three\n")
    assert first.session_id == second.session_id
    assert [first.edit_order, second.edit_order] == [1, 2]
    assert rows(documents) == [("active", "one\n", "one\ntwo\nthree\n", [1, 2])]
    assert documents.edits(first.session_id) == (first, second)


def test_a_document_keeps_its_id(documents: Documents) -> None:
    refused(ErrorCode.DOC_NOT_FOUND, "There is no document", documents.id, PATH)
    documents.save(PATH, "one\n")
    id = documents.id("characters/hero.md")
    added(documents, "two\n")
    documents.accept(PATH)
    documents.save("/other.md", "")
    assert documents.id(PATH) == id != documents.id("/other.md")


def test_the_document_stays_as_its_user_has_it_and_the_version_is_with_the_edits(documents: Documents) -> None:
    documents.save(PATH, "one\n")
    assert documents.version(PATH) == "one\n"
    assert documents.session(PATH) is None
    added(documents, "two\n")
    assert documents.text(PATH) == "one\n"
    assert documents.version(PATH) == "one\ntwo\n"


def test_what_the_user_saves_meanwhile_changes_nothing_in_the_session(documents: Documents) -> None:
    documents.save(PATH, "one\n")
    added(documents, "two\n")
    documents.save(PATH, "user\n")
    added(documents, "three\n")
    assert documents.text(PATH) == "user\n"
    assert rows(documents) == [("active", "one\n", "one\ntwo\nthree\n", [1, 2])]


def test_the_difference_is_the_one_to_the_text_that_the_user_has_now(documents: Documents) -> None:
    documents.save(PATH, "one\n")
    added(documents, "two\n")
    hunk = "@@ -1 +1,2 @@\n one\n+two\n"
    assert documents.diff(PATH, "one\n") == f"--- a/characters/hero.md\n+++ b/characters/hero.md\n{hunk}"
    assert "-uno\n+one\n+two\n" in documents.diff(PATH, "uno\n")
    assert documents.diff(PATH, "one\ntwo\n") == ""


@pytest.mark.parametrize(
    ("answer", "status", "text"),
    [
        (lambda documents: documents.accept(PATH, force=True), "accepted", "one\ntwo\n"),
        (lambda documents: documents.reject(PATH), "rejected", "user\n"),
        (lambda documents: documents.resolve(PATH, "one\n2\n"), "resolved", "one\n2\n"),
    ],
    ids=["accept", "reject", "resolve"],
)
def test_an_answer_closes_the_session_and_the_next_edit_opens_another(
    documents: Documents, answer: Callable[[Documents], object], status: str, text: str
) -> None:
    documents.save(PATH, "one\n")
    added(documents, "two\n")
    documents.save(PATH, "user\n")
    answer(documents)
    assert documents.text(PATH) == documents.version(PATH) == text
    assert documents.session(PATH) is None
    assert rows(documents) == [(status, "one\n", "one\ntwo\n", [1])]
    added(documents, "more\n")
    assert rows(documents)[1] == ("active", text, text + "more\n", [1])


def test_a_closed_session_says_when_and_how(documents: Documents) -> None:
    documents.save(PATH, "one\n")
    added(documents, "two\n", chat_id="chat 7")
    before = documents.session(PATH)
    assert before is not None
    assert before.closed_at is None
    assert abs(datetime.now(UTC) - before.created_at) < timedelta(minutes=1)
    after = documents.accept(PATH)
    assert after.closed_at is not None
    assert after == replace(before, status="accepted", updated_at=after.updated_at, closed_at=after.closed_at)
    assert before.updated_at <= after.updated_at
    assert (after.chat_id, after.turn_id) == ("chat 7", None)
    assert documents.sessions(PATH) == (after,)


def test_a_created_document_is_empty_until_it_is_accepted(documents: Documents) -> None:
    created(documents, "new\n")
    assert documents.text(PATH) == ""
    assert rows(documents) == [("active", "", "new\n", [1])]
    assert documents.names("/") == ("characters/",)
    assert documents.names("/characters/") == ("hero.md",)
    documents.accept(PATH)
    assert documents.text(PATH) == "new\n"


def test_a_created_document_that_is_rejected_is_gone_and_its_edits_are_kept(documents: Documents) -> None:
    first = created(documents)
    added(documents, "more\n")
    documents.reject(PATH)
    refused(ErrorCode.DOC_NOT_FOUND, "no document /characters/hero.md", documents.text, PATH)
    assert documents.names("/characters/") == ()
    assert len(documents.edits(first.session_id)) == 2
    again = created(documents, "another\n")
    assert documents.edits(again.session_id) == (again,)
    assert rows(documents) == [("rejected", "", "new\nmore\n", [1, 2]), ("active", "", "another\n", [1])]


@pytest.mark.parametrize("is_accepted_first", [True, False])
def test_a_created_document_with_something_of_the_users_outlives_a_rejection(
    documents: Documents, is_accepted_first: bool
) -> None:
    created(documents, "")
    if is_accepted_first:
        documents.accept(PATH)
        added(documents, "more\n")
    else:
        documents.save(PATH, "mine\n")
    documents.reject(PATH)
    assert documents.text(PATH) == ("" if is_accepted_first else "mine\n")


def test_what_exists_is_not_created(documents: Documents) -> None:
    documents.save(PATH, "one\n")
    refused(ErrorCode.INVALID_INPUT, "exists already: change it with str_replace", created, documents)
    assert rows(documents) == []


def test_a_refused_edit_leaves_nothing_and_no_gap(documents: Documents) -> None:
    def no(_: str) -> str:
        raise DocumentError("no", code=ErrorCode.NO_MATCH)

    documents.save(PATH, "one\n")
    refused(ErrorCode.NO_MATCH, "no", documents.record, Suggestion("append", PATH), no)
    assert rows(documents) == []
    added(documents, "two\n")
    refused(ErrorCode.NO_MATCH, "no", documents.record, Suggestion("append", PATH), no)
    added(documents, "three\n")
    assert rows(documents) == [("active", "one\n", "one\ntwo\nthree\n", [1, 2])]


def test_what_is_not_there_is_said_so(documents: Documents) -> None:
    for call in (documents.text, documents.version, documents.session, documents.accept, documents.reject):
        refused(ErrorCode.DOC_NOT_FOUND, "no document /a.md", call, "/a.md")
    refused(ErrorCode.DOC_NOT_FOUND, "no document /a.md", lambda: added(documents, "x", path="/a.md"))
    refused(ErrorCode.DOC_NOT_FOUND, "no folder /a/: view the folder above", documents.names, "/a/")
    refused(ErrorCode.SESSION_NOT_FOUND, "no session nine", documents.edits, "nine")
    documents.save("/a.md", "")
    for call in (documents.accept, documents.reject, lambda path: documents.diff(path, "")):
        refused(ErrorCode.SESSION_NOT_FOUND, "/a.md has no active session: an edit opens one", call, "/a.md")
    refused(ErrorCode.SESSION_NOT_FOUND, "no active session", documents.resolve, "/a.md", "")


def test_all_spellings_of_a_path_mean_one_document(documents: Documents) -> None:
    documents.save(" characters/ hero.md", "one\n")
    assert documents.text(PATH) == "one\n"
    added(documents, "two\n")
    assert documents.accept("characters/hero.md").ai_version == "one\ntwo\n"
    assert documents.names("characters") == ("hero.md",)


@pytest.mark.parametrize(
    ("text", "words"),
    [("a\0", "text: it contains a NUL"), ("\ud800", "a lone surrogate"), ("é" * 5_000_001, "bytes; the limit is 10")],
)
def test_a_text_that_no_database_can_hold_is_refused_everywhere(documents: Documents, text: str, words: str) -> None:
    documents.save(PATH, "one\n")
    refused(ErrorCode.INVALID_INPUT, words, documents.save, PATH, text)
    refused(ErrorCode.INVALID_INPUT, words, documents.resolve, PATH, text)
    refused(ErrorCode.INVALID_INPUT, words.removeprefix("text: "), added, documents, text)
    assert documents.text(PATH) == "one\n"


def test_a_folder_lists_folders_and_then_documents_by_name(documents: Documents) -> None:
    assert documents.names("/") == ()
    for path in ("/b.md", "/a.md", "/z/1.md", "/c/2.md", "/c/d/e/3.md"):
        documents.save(path, "")
    assert documents.names("/") == ("c/", "z/", "a.md", "b.md")
    assert documents.names("/c/") == ("d/", "2.md")
    assert documents.names("/c/d/") == ("e/",)


def test_projects_see_nothing_of_each_other(documents: Documents) -> None:
    documents.save(PATH, "one\n")
    edit = added(documents, "two\n")
    other = of_project(documents, f"not {documents.project}")
    refused(ErrorCode.DOC_NOT_FOUND, "no document", other.text, PATH)
    refused(ErrorCode.SESSION_NOT_FOUND, "no session", other.edits, edit.session_id)
    assert other.names("/") == ()
    other.save(PATH, "theirs\n")
    assert documents.text(PATH) == "one\n"


def test_documents_are_there_when_they_are_opened_again(documents: Documents, opened: Callable[..., Documents]) -> None:
    documents.save(PATH, "ä\r\n\U0001f600")
    added(documents, "\n")
    documents.close()
    assert opened().version(PATH) == "ä\r\n\U0001f600\n"
    assert documents.text(PATH) == "ä\r\n\U0001f600"


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 201])
def test_a_project_has_a_name(name: str) -> None:
    with pytest.raises(UsageError, match="is not a project name"):
        Documents(project=name)


def test_threads_that_edit_one_document_lose_nothing(documents: Documents, opened: Callable[..., Documents]) -> None:
    documents.save(PATH, "")
    stores = [documents, opened()]
    with ThreadPoolExecutor(6) as pool:
        edits = list(pool.map(lambda n: added(stores[n % 2], f"{n}\n"), range(36)))
    assert sorted(edit.edit_order for edit in edits) == list(range(1, 37))
    in_order = sorted(edits, key=lambda edit: edit.edit_order)
    assert documents.version(PATH) == "".join(edit.suggestion.new_str or "" for edit in in_order)
    assert len({edit.session_id for edit in edits}) == 1


def test_of_those_who_race_to_create_a_document_one_does(
    documents: Documents, opened: Callable[..., Documents]
) -> None:
    stores = [documents, opened()]

    def create(n: int) -> RecordedEdit | ErrorCode:
        try:
            return created(stores[n % 2], f"{n}")
        except DocumentError as error:
            return error.code

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(create, range(6)))
    assert answers.count(ErrorCode.INVALID_INPUT) == 5
    (done,) = (one for one in answers if isinstance(one, RecordedEdit))
    assert rows(documents) == [("active", "", done.suggestion.new_str, [1])]


class Crash(Exception):
    """The end of a process, as far as the database is concerned."""


@contextmanager
def crash_before(start: str) -> Iterator[None]:
    def crash(_: object, __: object, statement: str, *___: object) -> None:
        if statement.startswith(start):
            raise Crash

    event.listen(Engine, "before_cursor_execute", crash)
    try:
        with pytest.raises(Crash):
            yield
    finally:
        event.remove(Engine, "before_cursor_execute", crash)


@pytest.mark.parametrize("start", ["INSERT INTO ai_sessions", "UPDATE ai_sessions", "INSERT INTO ai_edits"])
def test_a_crash_between_two_statements_leaves_a_session_whole(documents: Documents, start: str) -> None:
    documents.save(PATH, "one\n")
    if start != "UPDATE ai_sessions":
        with crash_before(start):
            added(documents, "lost\n")
        assert rows(documents) == []
    added(documents, "two\n")
    if start != "INSERT INTO ai_sessions":
        with crash_before(start):
            added(documents, "lost\n")
    added(documents, "three\n")
    assert rows(documents) == [("active", "one\n", "one\ntwo\nthree\n", [1, 2])]


@pytest.mark.parametrize("start", ["UPDATE documents", "UPDATE ai_sessions"])
def test_a_crash_in_an_answer_leaves_the_question_open(documents: Documents, start: str) -> None:
    documents.save(PATH, "one\n")
    added(documents, "two\n")
    with crash_before(start):
        documents.accept(PATH)
    assert documents.text(PATH) == "one\n"
    assert rows(documents) == [("active", "one\n", "one\ntwo\n", [1])]


@pytest.mark.parametrize("start", ["INSERT INTO folders", "INSERT INTO documents", "INSERT INTO ai_edits"])
def test_a_crash_while_a_document_is_created_leaves_none(documents: Documents, start: str) -> None:
    with crash_before(start):
        created(documents)
    assert documents.names("/") == ()
    created(documents)
    assert rows(documents) == [("active", "", "new\n", [1])]
