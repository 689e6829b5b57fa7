"""`doc_edit` on a document that has changed since the session viewed it."""

from __future__ import annotations

from pathlib import Path

from editcore.host.documents.store import Documents
from editcore.host.tool import Context
from tests.editcore.host.doc_edit_calls import PATH, called, fails, tool_of


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
