"""Accepting a document over what its user has saved since: three texts, a merge, and every version to be had back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.errors import BaseMovedError, DocumentError, ErrorCode, WorkspaceError
from editcore.host.documents.store import Documents, Suggestion
from editcore.host.documents.suggestions import document_path, folder_path, folders_above
from editcore.host.documents.tables import text_versions
from tests.editcore.host.documents.test_store import PATH, created, refused, rows


def moved(documents: Documents, user: str = "ONE\ntwo\nthree\n") -> None:
    """A session that changed the third line, and a user who saved since it began."""
    documents.save(PATH, "one\ntwo\nthree\n")
    documents.record(Suggestion("test", PATH), lambda text: text.replace("three", "3"))
    documents.save(PATH, user)


def test_a_session_is_not_accepted_over_what_its_user_saved_since(documents: Documents) -> None:
    moved(documents)
    with pytest.raises(BaseMovedError) as caught:
        documents.accept(PATH)
    error = caught.value
    assert error.code == "CONFLICT"
    assert error.message == (
        "/characters/hero.md was saved since its session began, so accepting it would drop that text: accept it with "
        "merge to keep both, or with force to replace the text; the text that is replaced stays one of its versions."
    )
    assert (error.base, error.user, error.suggested, error.merged) == (
        "one\ntwo\nthree\n", "ONE\ntwo\nthree\n", "one\ntwo\n3\n", None,
    )  # fmt: skip
    assert documents.text(PATH) == "ONE\ntwo\nthree\n"
    assert rows(documents)[0][0] == "active"
    assert documents.versions(PATH) == ()


def test_both_are_kept_by_a_merge(documents: Documents) -> None:
    moved(documents)
    assert documents.accept(PATH, merge=True).status == "accepted"
    assert documents.text(PATH) == "ONE\ntwo\n3\n"
    assert [(one.kind, one.text) for one in documents.versions(PATH)] == [
        ("text", "ONE\ntwo\nthree\n"), ("suggested", "one\ntwo\n3\n"),
    ]  # fmt: skip


@pytest.mark.parametrize("user", ["one\ntwo\nTHREE\n", "one\nTWO\nthree\n", "", "one\r\ntwo\r\nthree\r\n"])
def test_a_merge_of_what_overlaps_is_refused_with_markers(user: str, documents: Documents) -> None:
    moved(documents, user)
    with pytest.raises(
        BaseMovedError, match="both changed the same lines: merge them and give the result to resolve"
    ) as e:
        documents.accept(PATH, merge=True)
    assert e.value.merged is not None
    assert all(mark in e.value.merged for mark in ("<<<<<<< user", "||||||| base", ">>>>>>> suggested"))
    assert documents.text(PATH) == user
    assert rows(documents)[0][0] == "active"


def test_what_force_replaces_can_be_had_back(documents: Documents) -> None:
    moved(documents)
    documents.accept(PATH, force=True)
    assert documents.text(PATH) == "one\ntwo\n3\n"
    lost, suggested = documents.versions(PATH)
    assert (lost.kind, lost.text, lost.ended_by) == ("text", "ONE\ntwo\nthree\n", "accepted")
    documents.restore(PATH, lost.id)
    assert documents.text(PATH) == lost.text
    assert documents.versions(PATH)[-1].text == "one\ntwo\n3\n"
    documents.restore(PATH, suggested.id)
    assert documents.text(PATH) == suggested.text
    refused(ErrorCode.DOC_NOT_FOUND, "has no version nine", documents.restore, PATH, "nine")
    refused(ErrorCode.DOC_NOT_FOUND, "has no version", documents.restore, "/another.md", lost.id)


def test_a_rejected_document_can_be_had_back(documents: Documents) -> None:
    created(documents, "new\n")
    documents.reject(PATH)
    (version,) = documents.versions(PATH)
    documents.restore(PATH, version.id)
    assert documents.text(PATH) == "new\n"


def test_a_user_who_typed_the_suggestion_in_has_nothing_to_lose(documents: Documents) -> None:
    moved(documents, "one\ntwo\n3\n")
    assert documents.accept(PATH).status == "accepted"


def test_a_database_of_before_gets_the_table_of_versions(opened: Callable[..., Documents]) -> None:
    documents = opened()
    moved(documents)
    documents._database.write(lambda connection: text_versions.drop(connection))
    documents.close()
    again = opened()
    again.accept(PATH, force=True)
    assert len(again.versions(PATH)) == 2


def test_a_merge_without_git_says_so_and_changes_nothing(documents: Documents, monkeypatch: pytest.MonkeyPatch) -> None:
    moved(documents)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(WorkspaceError, match="git merge-file failed"):
        documents.accept(PATH, merge=True)
    assert documents.text(PATH) == "ONE\ntwo\nthree\n"


# Paths of documents as models write them.


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("/characters/protagonist.md", "/characters/protagonist.md"),
        ("characters/protagonist.md", "/characters/protagonist.md"),
        ("  /a.md\n", "/a.md"),
        ("/ a / b .md ", "/a/b .md"),
        ("Ä und 日本.md", "/Ä und 日本.md"),
        ("/.hidden/..md", "/.hidden/..md"),
        ("/" + "a" * 1020 + ".md", "/" + "a" * 1020 + ".md"),
    ],
)
def test_a_document_has_one_spelling(written: str, path: str) -> None:
    assert document_path(written) == path
    assert document_path(path) == path


@pytest.mark.parametrize(
    ("written", "path"), [("/", "/"), ("", "/"), (" / ", "/"), ("/a/b/", "/a/b/"), ("a", "/a/"), ("/a /b/ ", "/a/b/")]
)
def test_a_folder_has_one_spelling(written: str, path: str) -> None:
    assert folder_path(written) == path
    assert folder_path(path) == path


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", "it is empty: give the path of a document"),
        ("   ", "it is empty"),
        ("/", "names a folder"),
        ("/a.md/", "names a folder: remove the / at its end"),
        ("/a", "its name must end in .md"),
        ("/a.txt", "to view a folder, end its path in /"),
        ("/a.MD", "must end in .md"),
        ("/.md", "must end in .md"),
        ("/a/../b.md", r"contains \. or \.\.: give the whole path"),
        ("../b.md", r"\. or \.\."),
        ("./b.md", r"\. or \.\."),
        ("/a//b.md", "empty folder name"),
        ("//b.md", "empty folder name"),
        ("/ /b.md", "empty folder name"),
        ("/a\0.md", r"'/a\\x00.md' contains a control character"),
        ("/a\nb.md", "control character"),
        ("/a\x1b[2Jb.md", "control character"),
        ("/a\u2028b.md", "control character"),
        ("/a\ud800.md", "control character"),
        ("a\\b.md", "backslash: use / between"),
        ("/a.md/b.md", "uses a.md as a folder"),
        ("/" + "a" * 1021 + ".md", "longer than 1,024 bytes"),
        ("/" + "é" * 511 + ".md", "longer than 1,024 bytes"),
        ("/" * 1_000_000 + ".md", "longer than 1,024 bytes"),
    ],
)
def test_what_is_no_path_of_a_document_is_refused_with_what_to_do(path: str, words: str) -> None:
    with pytest.raises(DocumentError, match=words) as error:
        document_path(path)
    assert error.value.code is ErrorCode.INVALID_INPUT
    assert error.value.message.isprintable()
    assert len(error.value.message) < 500


@pytest.mark.parametrize("path", ["//", "/a//", "/../", "/a.md/", "/a.md/b/", "/a\t/b/", "a" * 1025])
def test_what_is_no_folder_is_refused(path: str) -> None:
    with pytest.raises(DocumentError):
        folder_path(path)


def test_the_folders_above_are_those_it_leads_through() -> None:
    assert folders_above("/a.md") == []
    assert folders_above("/a/b/c.md") == ["/a/", "/a/b/"]


@pytest.mark.parametrize("spelled", [document_path, folder_path])
@given(path=st.text(st.sampled_from("a./ \\\0\n\ud800é~:md"), max_size=20) | st.text(max_size=30))
def test_any_text_has_one_spelling_or_is_refused(spelled: Callable[[str], str], path: str) -> None:
    with suppress(DocumentError):
        found = spelled(path)
        assert spelled(found) == found
        assert found.startswith("/")
        assert not {"..", "."} & set(found.split("/"))
        assert "//" not in found
