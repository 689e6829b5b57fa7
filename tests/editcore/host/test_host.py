"""The host: the file that a path means, the permissions asked before, and the session's knowledge afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from editcore.host.tool import Context, PermissionRequest
from editcore.host.workspace.ledger import Ledger
from editcore.types import Reason
from tests.editcore.host.conftest import Project, replacing


@pytest.mark.parametrize("spelling", ["d/a", "./d/a", "d/../d/a", "{root}/d/a", "{root}/d/../d//a", "{link}/d/a"])
def test_a_file_of_the_project_has_many_spellings(spelling: str, project: Project, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(project.root)
    project.lay("d/a", "x\n")
    path = spelling.format(root=project.root, link=tmp_path / "link")
    place = project.host.file(project.context, path)
    assert (place.path, place.name, place.absolute) == ("d/a", "d/a", str(project.root / "d/a"))
    assert project.asked == []


@pytest.mark.parametrize("spelling", ["../out/a", "{tmp}/out/a", "{root}-sibling/a", "{root}/../out/a"])
def test_what_lies_outside_is_asked_for_by_its_directory(spelling: str, project: Project, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "project-sibling").mkdir()
    path = spelling.format(root=project.root, tmp=tmp_path)
    absolute = Path(path if path.startswith("/") else project.root / path).resolve()
    result = project.done("edit", filePath=path, oldString="", newString="new\n")
    assert absolute.read_text() == "new\n"
    assert [(one.permission, one.patterns, one.always) for one in project.asked] == [
        ("external_directory", (f"{absolute.parent}/*",), (f"{absolute.parent}/*",)),
        ("edit", (str(absolute),), ("*",)),
    ]
    assert result.title == str(absolute)
    project.answer = lambda request: request.permission != "external_directory"
    message = project.refused("edit", "not_allowed", filePath=path, oldString="new", newString="newer")
    assert message.startswith(f"The permission external_directory was refused for {absolute.parent}/*: nothing")
    assert absolute.read_text() == "new\n"
    project.extra["bypass_external_directory"] = True
    project.done("edit", filePath=path, oldString="new", newString="newer")
    assert absolute.read_text() == "newer\n"


def test_a_directory_outside_is_asked_for_itself(project: Project, tmp_path: Path) -> None:
    place = project.host.directory(project.context, str(tmp_path))
    assert (place.path, place.absolute, place.workspace.root) == ("", str(tmp_path), str(tmp_path))
    assert [one.patterns for one in project.asked] == [(f"{tmp_path}/*",)]
    inside = project.host.directory(project.context, "")
    assert (inside.path, inside.name, inside.workspace.root) == ("", ".", str(project.root))


def test_an_output_that_was_cut_may_be_read_without_asking(project: Project) -> None:
    shortened = project.host.outputs.shortened("line\n" * 3_000)
    project.answer = lambda request: request.permission != "external_directory"
    assert "2999: line" in project.done("read", filePath=str(shortened.path), offset=2_990).output


PATHS = (
    ".", "", "/", "~", "~/a", "a\ud800", "a\nb", "x" * 300, "a/" * 300 + "b", "\0", "..", "//a", "f/", "f/b",
    "\x1b[2J", "é" * 2000,
)  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_whatever_path_is_sent_it_gets_an_answer_in_one_line_or_an_output(path: str, project: Project) -> None:
    project.lay("f", "x\n")
    project.answer = lambda request: request.permission != "external_directory"
    calls: dict[str, dict[str, object]] = {
        "read": {"filePath": path},
        "glob": {"path": path, "pattern": "*"},
        "grep": {"path": path, "pattern": "x"},
        "bash": {"workdir": path, "command": "true"},
        "edit": {"filePath": path, "oldString": "no", "newString": "such"},
        "insert_at": {"path": path, "line": 9, "content": "x"},
        "write": {"filePath": path, "content": "y"},
    }
    for tool, params in calls.items():
        result = project.call(tool, **params)
        assert not result.is_error or len(result.output.splitlines()) == 1, (tool, result.output)
        assert not result.is_error or len(result.output) < 700, tool
    assert {one.name for one in project.root.parent.iterdir()} <= {"project", "locks", "outputs"}


def test_what_lies_outside_is_named_by_its_absolute_path(project: Project, tmp_path: Path) -> None:
    (there := tmp_path / "there").mkdir()
    file = there / "a.py"
    file.write_text("x\n1\n")
    path = str(file)
    project.done("read", filePath=path)
    for tool, params in (
        ("edit", {"filePath": path, "oldString": "x", "newString": "("}),
        ("multi_edit", {"filePath": path, "edits": [{"oldString": "(", "newString": "["}]}),
        ("edit_file", {"path": path, "old_content": "[", "new_content": "("}),
        ("patch_file", {"path": path, "patch": "@@ -1,2 +1,2 @@\n-(\n+[\n 1\n"}),
        ("insert_at", {"path": path, "line": 1, "content": "["}),
        ("write", {"filePath": path, "content": "(\n"}),
    ):
        project.asked.clear()
        found = project.done(tool, **params).metadata
        assert (found["changed_paths"], list(found["diagnostics"])) == ([path], [path]), tool
        assert [one["file"] for one in found["filediffs"]] == [path]
        outside, asked = project.asked
        assert outside.metadata == {"filepath": path, "parentDir": str(there)}
        assert (asked.patterns, asked.metadata["filepath"]) == ((path,), path)
        assert asked.metadata["diff"] == found["diff"]
        assert f"--- a/{path}\n+++ b/{path}\n" in found["diff"]
        assert project.host.workspace.events[-1].changed_paths == (path,)


@pytest.mark.parametrize("swapped", ["link", "real", "real/a"])
def test_what_is_swapped_for_a_link_while_permission_is_asked_is_not_gone_through(
    swapped: str, project: Project, tmp_path: Path
) -> None:
    project.lay("real/a", "x\n")
    (project.root / "link").symlink_to("real/a")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a").write_text("x\n")

    def swap(request: PermissionRequest) -> bool:
        if request.permission == "edit":
            (project.root / swapped).rename(project.root / "aside")
            (project.root / swapped).symlink_to(tmp_path / "outside" / ("" if swapped == "real" else "a"))
        return True

    project.answer = swap
    result = project.call("edit", filePath="link", oldString="x", newString="y")
    assert (tmp_path / "outside" / "a").read_text() == "x\n"
    # The link was resolved before: the edit is of the file that it stood for.
    assert result.is_error is (swapped != "link")
    assert swapped != "link" or (project.root / "real/a").read_text() == "y\n"


def test_the_permission_to_edit_is_asked_with_the_diff_and_nothing_is_locked_meanwhile(project: Project) -> None:
    file = project.lay("a", "x\n")

    def other(request: PermissionRequest) -> bool:
        """Somebody else edits the same file while the user thinks."""
        if request.metadata["tool"] == "edit":
            assert request.metadata["diff"] == "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n"
            project.done("patch_file", path="a", patch="@@ -1 +1,2 @@\n x\n+z\n")
        return True

    project.answer = other
    project.done("edit", filePath="a", oldString="x", newString="y")
    assert file.read_text() == "y\nz\n", "what was approved is made of what is there now"
    assert [one.metadata["tool"] for one in project.asked] == ["edit", "patch_file"], "and is not asked about again"


def test_a_change_that_is_another_one_by_the_time_it_is_approved_is_asked_about_again(project: Project) -> None:
    file = project.lay("a", "x\n")
    contents = iter(["x x\n", "x x x\n"])

    def other(_: PermissionRequest) -> bool:
        if (more := next(contents, None)) is not None:
            file.write_text(more)
        return True

    project.answer = other
    project.done("edit_file", path="a", old_content="x", new_content="y", occurrence=0)
    assert file.read_text() == "y y y\n"
    assert [one.metadata["diff"].split("\n")[-2] for one in project.asked] == ["+y", "+y y", "+y y y"]


def test_a_file_that_changes_at_every_question_is_refused_in_the_end(project: Project) -> None:
    file = project.lay("a", "x\n")

    def other(_: PermissionRequest) -> bool:
        file.write_text(f"{file.read_text()}x\n")
        return True

    project.answer = other
    message = project.refused("edit_file", "stale_read", path="a", old_content="x", new_content="y", occurrence=0)
    assert message.startswith("a changed on the disk each time that the change was approved: read it again")
    assert "y" not in file.read_text()


def test_a_refused_permission_changes_nothing_and_is_an_event(project: Project) -> None:
    file = project.lay("a", "x\n")
    project.answer = lambda _: False
    calls = {**replacing("a", "x", "y"), "insert_at": {"path": "a", "line": 0, "content": "y"}}
    for tool, params in calls.items():
        assert "permission edit was refused for a" in project.refused(tool, "not_allowed", **params)
        assert project.host.workspace.events[-1].changed_paths == ()
    assert file.read_text() == "x\n"
    assert len(project.asked) == len(project.host.workspace.events) == 6


def test_a_session_is_remembered_by_what_it_saw_not_by_time(tmp_path: Path) -> None:
    ledger, file = Ledger(), tmp_path / "a"
    file.write_text("x")
    assert not ledger.has_read("s", str(file))
    unread = ledger.refusal("s", str(file), "x", name="a")
    assert unread
    assert unread.reason is Reason.UNREAD
    ledger.record_read("s", str(file), "x")
    file.touch()
    assert ledger.refusal("s", str(file), "x", name="a") is None
    assert ledger.refusal("other", str(file), "x", name="a") == unread
    stale = ledger.refusal("s", str(file), "y", name="a")
    assert stale
    assert stale.reason is Reason.STALE_READ
    assert "is no longer as it was read (it was written to since)" in stale.message
    ledger.record_read("s", f"{file}-gone", "x")
    gone = ledger.refusal("s", f"{file}-gone", "\ud800", name="a")
    assert gone
    assert "is no longer as it was read:" in gone.message
    ledger.forget("s")
    assert not ledger.has_read("s", str(file))


def test_a_ledger_forgets_what_was_seen_longest_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editcore.host.workspace.ledger._MAX_FILES", 3)
    ledger = Ledger()
    for path in "abcab":
        ledger.record_read("s", path, "x")
    ledger.record_read("s", "d", "x")
    assert [path for path in "abcd" if ledger.has_read("s", path)] == ["a", "b", "d"]


def test_a_context_needs_nothing(project: Project) -> None:
    place = project.host.file(Context(), "a")
    assert place.workspace.change("t", {}, ["a"], lambda _: _made()).is_written


def _made() -> object:
    from editcore.types import Applied

    return Applied(files={"a": "x\n"})
