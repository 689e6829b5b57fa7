"""rollback and cleanup: found again by a new host, asked for, and never over the work of others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from editcore.host.host import Host
from editcore.host.workspace import Workspace
from tests.editcore.host.conftest import Project
from tests.trees import texts


def edit(old: str, new: str, path: str = "a") -> dict[str, str]:
    return {"filePath": path, "oldString": old, "newString": new}


def again(project: Project) -> Project:
    """The project as a host in another process has it."""
    workspace = Workspace(project.root, lock_directory=project.root.parent / "locks", durable=False)
    return Project(project.root, Host(workspace, backups=True, outputs=project.host.outputs))


def test_they_are_offered_where_the_host_keeps_backups(project: Project, tmp_path: Path) -> None:
    assert not {"rollback", "cleanup"} & set(project.registry.tools(project.agent))
    for host in (replace(project.host, backups=True), Host(Workspace(tmp_path, backups=True))):
        backed = Project(project.root, host)
        assert {"rollback", "cleanup"} <= set(backed.registry.tools(backed.agent))
        backed.host.workspace.mode = "analyze"
        backed.registry.add("another", lambda *_: None)  # So that its tools are made anew.
        assert not {"rollback", "cleanup"} & set(backed.registry.tools(backed.agent))


def test_a_new_host_finds_the_backups(project: Project) -> None:
    project.lay("a", "1\n")
    project.lay("d/b", "1\n")
    backed = again(project)
    for path in ("a", "d/b"):
        backed.done("read", filePath=path)
        backed.done("edit", **edit("1", "2", path))
        backed.done("edit", **edit("2", "3", path))
    backed.done("write", filePath="new", content="n\n")
    later = again(project)
    result = later.done("rollback", path="d/b")
    assert (result.output, result.metadata["paths"]) == ("Restored, as before the first edit:\nd/b", ["d/b"])
    (asked,) = later.asked
    assert (asked.permission, asked.metadata["tool"]) == ("edit", "rollback")
    assert "-3\n+1\n" in asked.metadata["diff"]
    assert (project.root / "d/b").read_text() == "1\n"
    assert later.refused("rollback", "not_found", path="d/b") == "There is no backup of d/b."
    assert set(again(project).done("rollback").metadata["paths"]) == {"a", "new"}
    assert texts(project.root) == {"a": b"1\n", "d/b": b"1\n"}
    assert again(project).done("rollback").output == "There are no backups."


def test_without_permission_nothing_is_restored(project: Project) -> None:
    project.lay("a", "1\n")
    backed = again(project)
    backed.done("read", filePath="a")
    backed.done("edit", **edit("1", "2"))
    backed.answer = lambda _: False
    before = texts(project.root)
    for tool in ("rollback", "cleanup"):
        assert "permission edit was refused" in backed.refused(tool, "not_allowed")
    assert texts(project.root) == before
    backed.answer = lambda _: (project.root / "a").write_text("theirs\n") > 0
    assert "changed on the disk meanwhile" in backed.refused("rollback", "stale_read")
    assert (project.root / "a").read_text() == "theirs\n"
    backed.answer = lambda _: True
    assert "it is not rolled back" in backed.refused("rollback", "stale_read")
    assert backed.done("cleanup").output == "Backups removed, of:\na"
    assert texts(project.root) == {"a": b"theirs\n"}


def test_backups_are_not_listed_or_searched_and_other_files_of_such_names_are(project: Project) -> None:
    for path in ("a", "d/b", "mine.bak", "a.bak.2"):
        project.lay(path, "old\n")
    backed = again(project)
    for path in ("a", "d/b"):
        backed.done("read", filePath=path)
        backed.done("edit", **edit("old", "new", path))
    assert (project.root / "a.bak").exists()
    later = again(project)
    assert set(later.done("glob", pattern="*").output.split("\n")) == {"a", "d/b", "mine.bak", "a.bak.2"}
    assert later.done("glob", pattern="*", path="d").output == "d/b"
    assert {line for line in later.done("grep", pattern="old").output.split("\n") if line[0] != " "} == {
        "mine.bak:",
        "a.bak.2:",
    }
    listed = later.done("read", filePath=".").output.split("\n")
    assert listed[1:-2] == ["a", "a.bak.2", "d/", "mine.bak"]
    (project.root / "a.bak").write_text("theirs\n")
    assert "a.bak" in later.done("glob", pattern="a.*").output.split("\n")


def test_a_session_that_ends_leaves_no_backups_but_those_that_another_needs(project: Project) -> None:
    for path in ("a", "b"):
        project.lay(path, "1\n")
    backed = again(project)
    other = Project(project.root, backed.host, session="other")
    for session, path in ((backed, "a"), (backed, "b"), (other, "b")):
        session.done("read", filePath=path)
        old = (project.root / path).read_text().strip()
        session.done("edit", **edit(old, f"{old}1", path))
    backed.host.end("s")
    assert texts(project.root).keys() == {"a", "b", "b.bak"} | {one for one in texts(project.root) if "/" in one}
    other.done("rollback", path="b")
    other.done("read", filePath="b")
    other.done("edit", **edit("1", "2", "b"))
    backed.host.end("other")
    assert {one.name: one.read_text() for one in project.root.iterdir()} == {"a": "11\n", "b": "2\n"}


def test_an_index_that_somebody_made_up_leads_nowhere(project: Project, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("s\n")
    project.lay("a", "1\n")
    (project.root / ".bak-index").mkdir()
    (project.root / ".bak-index" / ("0" * 32 + ".json")).write_text(
        '{"path": "a", "backup": "../secret", "digest": null, "edited": [null]}'
    )
    message = again(project).refused("rollback", "not_allowed")
    assert "is not an entry of backups as it was written: nothing was changed; remove it" in message
    assert (project.root / "a").read_text() == "1\n"
