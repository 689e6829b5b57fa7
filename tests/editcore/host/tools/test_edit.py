"""`edit`, `multi_edit` and `write`: their checks, the file on the disk, and the answer."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.cascade import CASCADES
from editcore.host.host import DiagnosticError, diagnose, python
from editcore.host.tools.edit import apply_edit
from editcore.types import Applied, Edit
from tests.editcore.host.conftest import Project
from tests.trees import texts, tree


def edit(old: str, new: str, *, path: str = "a", replaceAll: bool = False) -> dict[str, Any]:
    return {"filePath": path, "oldString": old, "newString": new, "replaceAll": replaceAll}


def test_an_edit_is_on_the_disk_and_told_in_full(project: Project) -> None:
    file = project.lay("d/a.py", "x = 1\ny = 2\n")
    file.chmod(0o751)
    result = project.done("edit", filePath="d/a.py", oldString="x = 1", newString="x = 3")
    assert file.read_text() == "x = 3\ny = 2\n"
    assert file.stat().st_mode & 0o777 == 0o751
    assert (result.title, result.output) == ("d/a.py", "Edit applied successfully: line 1.")
    diff = "--- a/d/a.py\n+++ b/d/a.py\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 3\n y = 2\n"
    assert result.metadata == {
        "diff": diff,
        "filediffs": [
            {"file": "d/a.py", "before": "x = 1\ny = 2\n", "after": "x = 3\ny = 2\n", "additions": 1, "deletions": 1}
        ],
        "changed_paths": ["d/a.py"],
        "diagnostics": {},
        "replacer": "exact",
        "notes": [],
        "truncated": False,
    }
    assert [(one.permission, one.patterns, one.metadata) for one in project.asked] == [
        ("edit", ("d/a.py",), {"filepath": str(file), "tool": "edit", "diff": diff})
    ]
    assert [(event.tool, event.changed_paths) for event in project.host.workspace.events] == [("edit", ("d/a.py",))]


def test_an_edit_renews_what_the_session_knows(project: Project) -> None:
    project.lay("a", "1\n")
    for n in range(1, 4):
        project.done("edit", **edit(str(n), str(n + 1)))


def test_a_file_has_to_be_read_in_this_session_and_be_unchanged_since(project: Project) -> None:
    file = project.lay("a", "x\n1\n", known=False)
    assert project.refused("edit", "unread", **edit("x", "y")).startswith("a was not read in this session")
    project.lay("a", "x\n1\n")
    project.session = "another"
    project.refused("edit", "unread", **edit("x", "y"))
    project.session = "s"
    stamp = file.stat()
    file.write_text("x\n2\n")
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    result = project.call("edit", **edit("1", "y"))
    assert result.metadata["reason"] == "stale_read"
    assert result.output.startswith("a is no longer as it was read: the edit overlaps"), "although it has the same time"
    file.write_text("x\n1\n")
    file.touch()
    project.done("edit", **edit("1", "y"))


@pytest.mark.parametrize(
    ("params", "reason", "message"),
    [
        ({"oldString": "x", "newString": "x"}, "identical", "oldString and newString are the same: nothing"),
        ({"oldString": "nope", "newString": "x"}, "no_match", ""),
        ({"oldString": "l", "newString": "x"}, "ambiguous", ""),
        ({"oldString": "", "newString": "x"}, "empty", "oldString is empty, but a exists: give the text"),
        ({"filePath": "b", "oldString": "x", "newString": "y"}, "not_found", "There is no file b: give the path"),
        ({"filePath": "d", "oldString": "x", "newString": "y"}, "not_allowed", "d is a directory"),
        ({"filePath": ".git/a", "oldString": "", "newString": "y"}, "not_allowed", ".git/a belongs to git"),
    ],
)  # fmt: skip
def test_a_refused_edit_says_why_and_leaves_the_file(
    params: dict[str, Any], reason: str, message: str, project: Project
) -> None:
    file = project.lay("a", "l 1\nl 2\n")
    project.lay("d/inner", "")
    assert project.refused("edit", reason, **{"filePath": "a", **params}).startswith(message)
    assert file.read_text() == "l 1\nl 2\n"
    assert project.asked == []


def test_an_empty_old_string_makes_a_file_with_its_directories(project: Project) -> None:
    result = project.done("edit", **edit("", "\ufeffx\n", path="new/deep/a"))
    assert (project.root / "new/deep/a").read_bytes() == b"\xef\xbb\xbfx\n"
    assert result.output == "Created the file."
    assert result.metadata["filediffs"][0]["additions"] == 1
    project.done("edit", **edit("x", "y", path="new/deep/a"))
    assert (project.root / "new/deep/a").read_bytes() == b"\xef\xbb\xbfy\n"


def test_by_the_older_rule_an_empty_old_string_replaces_the_file(project: Project) -> None:
    file = project.lay("a", "all of it\n", known=False)
    project.with_host(empty_overwrites=True).done("edit", **edit("", "new\n"))
    assert file.read_text() == "new\n"


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("a\r\nb\r\nc\r\n", "a\nb", "x\ny", "x\r\ny\r\nc\r\n"),
        ("a\r\nb\r\nc\r\n", "a\r\nb", "x\ny", "x\r\ny\r\nc\r\n"),
        ("a\nb\nc\n", "a\r\nb", "x\r\ny", "x\ny\nc\n"),
        ("a\r\nb\nc\nd\n", "b\nc", "x\ny", "a\r\nx\ny\nd\n"),
        ("a\r\nb\r\nc\nd\n", "a\nb", "x\ny", "x\r\ny\r\nc\nd\n"),
        ("a\r\nb\nc\r\nb\r\nc\n", "b\nc\r\n", "x\r\ny\n", None),
        ("a\r\nb\nc\r\n", "b\nc\r\n", "x\r\ny\n", "a\r\nx\ny\r\n"),
        ("a\r\nb\nc\r\nd\n", "b\nc\nd", "b\nx\ny\nd", "a\r\nb\nx\r\ny\r\nd\n"),
        ("a\r\nfoo\r\nb\r\n", "\nfoo", "\nbar\nbaz", "a\r\nbar\r\nbaz\r\nb\r\n"),
        ("a\r\nfoo\r\nb\r\n", "\nfoo", "", "a\r\nb\r\n"),
        ("a\r\nfoo\r\nb\r\n", "foo", "bar\r", "a\r\nbar\r\nb\r\n"),
        ("a\r\nb\nc\n", "a\nb\n c", "x", None),
        ("a\r\nb\r\nc\nd", "d", "x\ny", "a\r\nb\r\nc\nx\r\ny"),
        ("a\rb\n", "a\rb", "x\r", "x\n"),
        ("a\n", "\ufeffa", "\ufeffb", "b\n"),
        ("\ufeffa\n", "\ufeffa", "\ufeffb", "\ufeffb\n"),
    ],
)
@pytest.mark.parametrize("cascade", ["exact", "recommended"])
def test_lines_end_as_those_they_come_to_stand_among(
    cascade: str, text: str, old: str, new: str, after: str | None
) -> None:
    result = apply_edit(text, Edit(old, new), cascade)
    assert (result.content if isinstance(result, Applied) else None) == after


@given(
    st.lists(st.sampled_from(["a", "b", "", "  c"]), min_size=1, max_size=6),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["exact", "recommended"]),
)
def test_a_file_of_one_kind_of_line_endings_stays_so(lines: list[str], ending: str, cascade: str) -> None:
    text = ending.join(["first", *lines, ""])
    result = apply_edit(text, Edit("first\n", "second\nthird\r\n"), cascade)
    assert isinstance(result, Applied)
    assert result.content == ending.join(["second", "third", *lines, ""])


def test_a_byte_order_mark_and_the_other_bytes_stay(project: Project) -> None:
    file = project.lay("a", b"\xef\xbb\xbfx\r\n\x0cy\r\n")
    project.done("edit", **edit("x\n", "z\n"))
    assert file.read_bytes() == b"\xef\xbb\xbfz\r\n\x0cy\r\n"


@pytest.mark.parametrize(("name", "is_error"), [("exact", True), ("reference", False), ("opencode_1_17", False)])
def test_any_cascade_finds_the_text(name: str, is_error: bool, project: Project) -> None:
    one = project.with_host(cascade=CASCADES[name])
    one.lay("a", "def f():\n    return 1\n")
    result = one.call("edit", **edit("def f():\n  return 1", "def f():\n    return 2"))
    assert result.is_error is is_error
    if not is_error:
        assert result.metadata["replacer"] == "line_trimmed"


def test_errors_in_the_file_are_told_with_line_and_column(project: Project) -> None:
    project.lay("a.py", "x = 1\n")
    result = project.done("edit", **edit("x = 1", "x = (", path="a.py"))
    assert result.metadata["diagnostics"] == {"a.py": [{"line": 1, "column": 5, "message": "'(' was never closed"}]}
    assert result.output.splitlines() == [
        "Edit applied successfully: line 1.",
        "The file has errors now: please fix them.",
        '<diagnostics file="a.py">',
        "ERROR [1:5] '(' was never closed",
        "</diagnostics>",
    ]


def test_a_checker_of_ones_own_is_asked_and_what_it_says_is_capped(project: Project) -> None:
    def checker(path: str, text: str) -> list[DiagnosticError]:
        return [DiagnosticError(n, 1, f"{path}: {text.strip()}") for n in range(1, 24)]

    one = project.with_host(checkers={".js": checker})
    one.lay("a.JS", "x\n")
    result = one.done("edit", **edit("x", "y", path="a.JS"))
    lines = result.output.splitlines()
    assert lines[3] == "ERROR [1:1] a.JS: y"
    assert lines[-2:] == ["... and 3 more", "</diagnostics>"]
    assert len(result.metadata["diagnostics"]["a.JS"]) == 23


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x = 1\n", []),
        ("'\\d'\n", []),
        ("x = = 1\n", [DiagnosticError(1, 5, "invalid syntax")]),
        ("return 1\n", [DiagnosticError(1, 1, "'return' outside function")]),
        ("x = '\0'", [DiagnosticError(1, 1, "source code string cannot contain null bytes")]),
    ],
)
def test_python_is_checked_by_its_own_compiler(text: str, found: list[DiagnosticError]) -> None:
    assert python("a.py", text) == found


def test_what_is_nested_without_end_is_told_and_what_is_huge_is_not_checked() -> None:
    assert diagnose("a.py", "(" * 100_000, {".py": python})
    assert diagnose("a.py", "(" * 1_000_001, {".py": python}) == []
    assert diagnose("a.txt", "(", {".py": python}) == []


def test_several_edits_are_made_in_order_all_or_none(project: Project) -> None:
    file = project.lay("a", "one\r\ntwo\r\ntwo\r\n")
    edits = [
        {"oldString": "one", "newString": "1"},
        {"oldString": "1\ntwo", "newString": "1\n2"},
        {"oldString": "two", "newString": "2", "replaceAll": True},
    ]
    message = project.refused(
        "multi_edit", "no_match", filePath="a", edits=[*edits, {"oldString": "9", "newString": ""}]
    )
    assert message.startswith("No edit was made, because of edit 4 of 4: ")
    assert file.read_bytes() == b"one\r\ntwo\r\ntwo\r\n"
    result = project.done("multi_edit", filePath="a", edits=edits)
    assert file.read_bytes() == b"1\r\n2\r\n2\r\n"
    assert result.metadata["filediffs"][0]["additions"] == 3
    assert len(project.asked) == 1
    alone = project.refused("multi_edit", "no_match", filePath="a", edits=[{"oldString": "9", "newString": ""}])
    assert not alone.startswith("Edit")
    project.refused("multi_edit", "malformed", filePath="a", edits=[])
    project.refused("multi_edit", "malformed", filePath="a", edits=[{"oldString": ""}])
    project.refused("multi_edit", "empty", filePath="a", edits=[{"oldString": "", "newString": "x"}])
    project.refused("multi_edit", "not_found", filePath="b", edits=edits)
    project.lay("c", "one", known=False)
    project.refused("multi_edit", "unread", filePath="c", edits=edits)


def test_the_patch_tools_do_in_a_host_what_they_do_alone(project: Project) -> None:
    file = project.lay("a.py", "x\ny\nx\n")
    project.done("edit_file", path="a.py", old_content="x", new_content="z", occurrence=-1)
    project.done("insert_at", path=str(project.root / "a.py"), line=0, content="w")
    project.done("patch_file", path="./a.py", patch="@@ -2 +2 @@\n-x\n+v\n")
    sections = ["*** Update File: a.py", "@@", "-y", "+(", "*** Add File: b", "+b", "*** Delete File: gone"]
    patch = "\n".join(["*** Begin Patch", *sections, "*** End Patch"])
    project.lay("gone", "g\n")
    result = project.done("edit_patch", patch=patch, allow_delete=True)
    assert file.read_text() == "w\nv\n(\nz\n"
    assert result.title == "A 1, M 1, D 1, R 0"
    assert [one["file"] for one in result.metadata["filediffs"]] == ["a.py", "b", "gone"]
    assert list(result.metadata["diagnostics"]) == ["a.py"]
    project.refused("edit_patch", "malformed", patch="*** Begin Patch\n")
    project.refused("edit_file", "no_match", path="a.py", old_content="nope", new_content="z")


def test_the_answer_to_a_wrong_name_is_one_line(project: Project) -> None:
    assert project.call("invalid", tool="x", error="no\nsuch").output == "Invalid call of x: no such."


# `write`: which files are made or overwritten, and what must have been read before.


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
