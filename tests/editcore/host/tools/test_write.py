"""`write`: which files are made or overwritten, and what must have been read before."""

from __future__ import annotations

import pytest

from editcore.host.tools.edit import WRITE
from editcore.host.tools.read import READ
from tests.editcore.host.conftest import Project
from tests.trees import texts, tree


@pytest.fixture(autouse=True)
def _offered(project: Project) -> None:
    project.registry.add(READ.id, READ)
    project.registry.add(WRITE.id, WRITE)


def test_a_file_is_made_with_the_directories_it_lies_in(project: Project) -> None:
    result = project.done("write", filePath="a/b/c.txt", content="x\r\né\n")
    assert (result.title, result.output) == ("a/b/c.txt", "Created the file.")
    assert texts(project.root) == {"a/b/c.txt": "x\r\né\n".encode()}
    assert result.metadata["filediffs"] == [
        {"file": "a/b/c.txt", "before": "", "after": "x\r\né\n", "additions": 2, "deletions": 0}
    ]
    assert [(one.permission, one.patterns) for one in project.asked] == [("edit", ("a/b/c.txt",))]
    (event,) = project.host.workspace.events
    assert (event.tool, event.params) == ("write", {"filePath": "a/b/c.txt", "content": "x\r\né\n"})


def test_an_empty_file_is_made(project: Project) -> None:
    project.done("write", filePath="empty", content="")
    assert texts(project.root) == {"empty": b""}


def test_the_session_knows_what_it_wrote(project: Project) -> None:
    for text in ("1\n", "2\n", "3\n"):
        project.done("write", filePath="a", content=text)
    project.done("edit", filePath="a", oldString="3", newString="4")
    assert texts(project.root) == {"a": b"4\n"}


def test_a_file_that_exists_must_have_been_read_and_be_unchanged_since(project: Project) -> None:
    file = project.lay("a", "x\n1\n", known=False)
    assert "read it first" in project.refused("write", "unread", filePath="a", content="y\n")
    project.done("read", filePath="a")
    file.write_text("x\n2\n")
    assert "read it again" in project.refused("write", "stale_read", filePath="a", content="y\n1\n")
    assert file.read_text() == "x\n2\n"
    project.done("read", filePath="a")
    result = project.done("write", filePath="a", content="y\n")
    assert result.output == "Edit applied successfully: line 1."
    assert file.read_text() == "y\n"
    project.session = "another"
    project.refused("write", "unread", filePath="a", content="x\n")


def test_the_same_text_is_refused(project: Project) -> None:
    project.lay("a", "x\n")
    project.refused("write", "identical", filePath="a", content="x\n")


def test_a_byte_order_mark_stays_and_is_not_doubled(project: Project) -> None:
    file = project.lay("a", "\ufeffx\n")
    project.done("write", filePath="a", content="\ufeffy\n")
    assert file.read_bytes() == b"\xef\xbb\xbfy\n"
    project.done("write", filePath="a", content="z\n")
    assert file.read_bytes() == b"\xef\xbb\xbfz\n"


def test_mistakes_in_a_program_are_told(project: Project) -> None:
    result = project.done("write", filePath="a.py", content="def f(:\n")
    assert "The file has errors now" in result.output
    assert list(result.metadata["diagnostics"]) == ["a.py"]


def test_where_nothing_may_be_written_nothing_is(project: Project) -> None:
    (project.root / "d").mkdir()
    project.lay("f", "x")
    project.lay("binary", b"caf\0", known=False)
    (project.root / "link").symlink_to(project.root.parent / "elsewhere")
    before = tree(project.root.parent)
    project.refused("write", "not_allowed", filePath="d", content="x")
    project.refused("write", "not_allowed", filePath="f/g", content="x")
    project.refused("write", "not_allowed", filePath=".git/config", content="x")
    project.refused("write", "not_allowed", filePath="binary", content="x")
    project.refused("write", "outside_workspace", filePath="link", content="x")
    project.refused("write", "malformed", filePath="half", content="\ud800")
    project.answer = lambda request: request.permission != "external_directory"
    project.refused("write", "not_allowed", filePath="../outside", content="x")
    project.answer = lambda request: request.permission != "edit"
    project.refused("write", "not_allowed", filePath="refused", content="x")
    kept = {path: state for path, state in tree(project.root.parent).items() if not path.startswith("locks")}
    assert kept == {path: state for path, state in before.items() if not path.startswith("locks")}


def test_what_lies_outside_is_asked_for(project: Project) -> None:
    project.done("write", filePath="../outside.txt", content="x\n")
    assert (project.root.parent / "outside.txt").read_text() == "x\n"
    assert [one.permission for one in project.asked] == ["external_directory", "edit"]


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        (b"a\r\nb\r\n", "a\nc\n", b"a\r\nc\r\n"),
        (b"a\r\nb\r\nx\n", "a\nc\n", b"a\r\nc\r\n"),
        (b"a\r\nb\nx\n", "a\nc\n", b"a\nc\n"),
        (b"a\nb\n", "a\r\nc\r\n", b"a\r\nc\r\n"),
        (b"a\r\nb\r\n", "a\r\nc\n", b"a\r\nc\n"),
        (b"", "a\n", b"a\n"),
    ],
)
def test_a_file_keeps_its_line_endings_unless_the_text_has_some_of_its_own(
    project: Project, before: bytes, content: str, after: bytes
) -> None:
    (project.root / "a").write_bytes(before)
    project.done("read", filePath="a")
    project.done("write", filePath="a", content=content)
    assert texts(project.root) == {"a": after}
