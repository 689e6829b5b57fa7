"""`view` of `doc_edit`, on both databases."""

from __future__ import annotations

from pathlib import Path

import pytest

from editcore.host.documents.store import Documents
from editcore.host.tool import Context
from tests.editcore.host.doc_edit_calls import PATH, Call, called, fails, tool_of


@pytest.mark.parametrize(
    ("view_range", "content"),
    [
        ([1, 3], "1: a\n2: b\n3: c"),
        ([2, 2], "2: b"),
        ([2, -1], "2: b\n3: c"),
        ([3, 3], "3: c"),
        (None, "1: a\n2: b\n3: c"),
    ],
)
def test_view_shows_the_lines_of_a_range(
    documents: Documents, call: Call, view_range: list[int] | None, content: str
) -> None:
    documents.save(PATH, "a\nb\nc\n")
    answer = call("view", view_range=view_range)
    assert answer["content"] == content
    assert answer["line_count"] == 3
    assert answer["view_range"] == [int(content[0]), int(content.splitlines()[-1][0])]


@pytest.mark.parametrize(
    ("view_range", "words"),
    [
        ([3, 2], "[3, 2] is not a range of its lines, there are 3 lines"),
        ([0, 2], "there are 3 lines"),
        ([-1, -1], "there are 3 lines"),
        ([1, 4], "there are 3 lines"),
        ([4, -1], "there are 3 lines"),
        ([1, -2], "there are 3 lines"),
        ([10**30, -1], "there are 3 lines"),
        ([1], "give two numbers"),
        ([], "give two numbers"),
        ([1, 2, 3], "give two numbers"),
    ],
)
def test_view_refuses_a_range_that_is_none(documents: Documents, call: Call, view_range: list[int], words: str) -> None:
    documents.save(PATH, "a\nb\nc")
    fails(call("view", view_range=view_range), "INVALID_INPUT", words)


@pytest.mark.parametrize(
    ("text", "content", "line_count"),
    [
        ("", "", 0),
        ("\n", "1: ", 1),
        ("a", "1: a", 1),
        ("a\n\n", "1: a\n2: ", 2),
        ("a\r\nb\x0c\u2028", "1: a\r\n2: b\x0c\u2028", 2),
    ],
)
def test_view_counts_lines_as_insert_does(
    documents: Documents, call: Call, text: str, content: str, line_count: int
) -> None:
    documents.save(PATH, text)
    answer = call("view", view_range=[1, -1])
    assert (answer["content"], answer["line_count"]) == (content, line_count)
    assert answer["view_range"] == [1, line_count]
    fails(call("insert", insert_line=line_count + 1, new_str="x"), "INVALID_INPUT", f"{line_count} line")
    if line_count == 1:
        fails(call("view", view_range=[2, 2]), "INVALID_INPUT", "there is 1 line:")
    assert call("insert", insert_line=line_count, new_str="x")["success"]
    assert call("view", view_range=[line_count + 1, -1])["content"] == f"{line_count + 1}: x"


def test_view_shows_no_more_than_a_model_gets_in_one_piece(documents: Documents, call: Call) -> None:
    text = "".join(f'"{n}" says "é\\"\n' for n in range(4_000))
    documents.save(PATH, text)
    shown: list[str] = []
    first = 1
    while True:
        answer = call("view", view_range=[first, -1])
        shown += answer["content"].split("\n")
        last = answer["view_range"][1]
        if last == 4_000:
            break
        rest = f"Lines {first} to {last} are shown: view with view_range [{last + 1}, 4000] to continue."
        assert answer["message"] == rest
        first = last + 1
    assert first > 1
    assert [line.partition(": ")[2] for line in shown] == text.splitlines()
    documents.save(PATH, "é" * 100_000 + "\nend\n")
    answer = call("view")
    assert answer["content"] == f"1: {'é' * 4_997}... (cut: the line has 100,003 characters)"
    assert answer["view_range"] == [1, 1]


def test_view_of_a_folder_lists_it(documents: Documents, call: Call) -> None:
    assert call("view", "/") == {"success": True, "path": "/", "content": "", "line_count": 0, "view_range": [1, 0]}
    documents.save(PATH, "")
    documents.save("/plot.md", "")
    assert call("view", "/")["content"] == "characters/\nplot.md"
    assert call("view", " characters/ ")["content"] == "hero.md"
    assert call("view", "/", view_range=[2, -1])["content"] == "plot.md"
    fails(call("view", "/places/"), "DOC_NOT_FOUND", "There is no folder /places/: view the folder above it")
    fails(call("view", "/characters"), "INVALID_INPUT", "to view a folder, end its path in /")


# `doc_edit` on a document that has changed since the session viewed it.


def test_insert_by_number_needs_the_version_that_was_viewed(documents: Documents, tmp_path: Path) -> None:
    documents.save(PATH, "one\ntwo\n")
    tool = tool_of(documents, tmp_path)
    first, second = Context("first"), Context("second")
    insert = {"command": "insert", "path": PATH, "insert_line": 1, "new_str": "mine"}
    called(tool, first, {"command": "view", "path": PATH})
    assert called(tool, second, {**insert, "insert_line": 0, "new_str": "top"})["success"]
    fails(called(tool, first, insert), "CONFLICT", "has changed since you viewed it")
    assert called(tool, first, {"command": "str_replace", "path": PATH, "old_str": "two", "new_str": "2"})["success"]
    fails(called(tool, first, insert), "CONFLICT", "has changed since you viewed it")
    assert called(tool, first, {**insert, "insert_line": -1})["success"], "the end is the end"
    called(tool, first, {"command": "view", "path": PATH})
    assert called(tool, first, {**insert, "insert_line": 2})["success"]
    assert called(tool, first, {**insert, "insert_line": 3})["success"], "its own edits are known to it"
    assert documents.version(PATH) == "top\none\nmine\nmine\n2\nmine\n"


def test_a_text_that_stands_elsewhere_than_where_it_was_viewed_is_not_replaced(
    documents: Documents, tmp_path: Path
) -> None:
    documents.save(PATH, "## Ann\ntall\n\n## Bob\nold\n")
    tool, first, second = tool_of(documents, tmp_path), Context("first"), Context("second")
    edit = {"command": "str_replace", "path": PATH, "old_str": "tall", "new_str": "small"}
    other = {**edit, "old_str": "tall\n\n## Bob\nold", "new_str": "short\n\n## Bob\ntall"}
    called(tool, first, {"command": "view", "path": PATH})
    assert called(tool, second, other)["success"]
    fails(called(tool, first, edit), "CONFLICT", "has changed since you viewed it")
    assert called(tool, first, {**edit, "old_str": "## Ann", "new_str": "## Anna"})["success"], "that is elsewhere"
    called(tool, first, {"command": "view", "path": PATH})
    assert called(tool, first, edit)["success"], "what was viewed is what is there"
    assert documents.version(PATH) == "## Anna\nshort\n\n## Bob\nsmall\n"
