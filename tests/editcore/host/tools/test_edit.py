"""`edit`, `multi_edit` and `write`: their checks, the file on the disk, and the answer."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.host.host import DiagnosticError, diagnose, python
from editcore.host.tools.edit import apply_edit
from editcore.types import Applied, Edit
from tests.editcore.host.conftest import Project
from tests.trees import texts


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
    assert result.output.startswith("the file was changed since you read it"), "although it has the same time"
    file.write_text("x\n1\n")
    file.touch()
    project.done("edit", **edit("1", "y"))


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
