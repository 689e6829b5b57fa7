"""Paths of documents as models write them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.errors import DocumentError, ErrorCode
from editcore.host.documents.suggestions import document_path, folder_path, folders_above


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
