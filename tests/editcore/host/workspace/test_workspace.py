"""Decisions and writes of a workspace in each mode, while others write, and under locks."""

from __future__ import annotations

import shutil
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from editcore.errors import WorkspaceError
from editcore.host.workspace.locks import N_STRIPES, Locks, stripe
from editcore.host.workspace.plan import MODES
from editcore.host.workspace.workspace import ChangeResult, Event, Workspace
from editcore.types import Applied, EditResult, Reason, Rejected
from tests.editcore.host.workspace.changes import becomes, refusal, write
from tests.trees import temporaries, texts, tree


def test_nothing_is_written_where_the_decision_is_no(workspace: Workspace, root: Path) -> None:
    no = Rejected(Reason.NO_MATCH, "no")
    assert workspace.change("test", {}, ["a"], lambda _: no) == ChangeResult(no)
    assert texts(root) == {}


def test_a_change_of_nothing_is_refused(workspace: Workspace, root: Path) -> None:
    (root / "a").write_text("x\n")
    assert refusal(write(workspace, {"a": "x\n"})).reason is Reason.IDENTICAL
    assert refusal(workspace.change("test", {}, ["b"], becomes({}))).reason is Reason.IDENTICAL


def test_a_decision_reaches_no_further_than_the_paths_it_was_made_for(workspace: Workspace, root: Path) -> None:
    outcome = workspace.change("test", {}, ["a"], becomes({"a": "x", "b": "y"}))
    assert refusal(outcome).reason is Reason.NOT_ALLOWED
    assert texts(root) == {}


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_path_is_not_a_file_and_a_directory_at_once(dry_run: bool, workspace: Workspace, root: Path) -> None:
    assert refusal(write(workspace, {"a": "x", "a/b/c": "y"}, dry_run=dry_run)).reason is Reason.NOT_ALLOWED
    assert tree(root) == {}


def test_added_modified_and_deleted_files_are_told_apart(workspace: Workspace, root: Path) -> None:
    (root / "m").write_text("x\n")
    (root / "d").write_text("x\n")
    outcome = workspace.change("test", {}, ["a/b/c", "m", "d"], becomes({"a/b/c": "", "m": "y\n"}))
    assert {(one.kind, one.path) for one in outcome.changes} == {("A", "a/b/c"), ("M", "m"), ("D", "d")}
    assert texts(root) == {"a/b/c": b"", "m": b"y\n"}


def test_a_dry_run_touches_nothing(workspace: Workspace, root: Path) -> None:
    (root / "m").write_text("x\n")
    before = tree(root)
    outcome = workspace.change("test", {}, ["n/a", "m"], becomes({"n/a": "1"}), dry_run=True)
    assert not outcome.is_written
    assert [one.kind for one in outcome.changes] == ["A", "D"] or [one.kind for one in outcome.changes] == ["D", "A"]
    assert tree(root) == before
    assert workspace.events[-1].changed_paths == ()


@pytest.mark.parametrize("mode", MODES)
def test_two_of_the_modes_write_nothing_and_say_what_they_would_have(mode: str, root: Path, tmp_path: Path) -> None:
    workspace = Workspace(root, mode=mode, lock_directory=tmp_path / "locks")  # type: ignore[arg-type]
    outcome = write(workspace, {f"{n}": "x\n" for n in range(7)})
    if mode not in ("research", "analyze"):
        assert outcome.is_written == (mode != "modify")
        return
    result = refusal(outcome)
    assert result.reason is Reason.NOT_ALLOWED
    assert f"Mode {mode} writes nothing: the change of 0, 1, 2, 3, 4, ..." in result.message
    assert result.proposed is not None
    assert result.proposed.files == {f"{n}": "x\n" for n in range(7)}
    assert len(outcome.changes) == 7
    assert texts(root) == {}
    assert workspace.events[-1].changed_paths == ()
    for undo in (workspace.rollback, workspace.cleanup):
        with pytest.raises(WorkspaceError, match="writes nothing"):
            undo()


def test_each_mode_makes_the_changes_that_it_is_for(root: Path, tmp_path: Path) -> None:
    (root / "a").write_text("x\n")
    (root / "d").write_text("x\n")
    generate, modify, execute = (
        Workspace(root, mode=mode, lock_directory=tmp_path / "locks") for mode in ("generate", "modify", "execute")
    )  # type: ignore[arg-type]
    before = tree(root)
    exist = "Mode generate makes new files only, and these exist: {}. Nothing was changed."
    for after, moved, path in (({"a": "1", "n": "1"}, {}, "a"), ({"n": "1"}, {}, "a"), ({"n": "x\n"}, {"n": "a"}, "a")):
        outcome = generate.change("t", {}, ["a", "n"], becomes(after), moved=moved)
        assert refusal(outcome).message == exist.format(path)
    none = "Mode modify changes existing files only, and these do not exist: n. Nothing was changed."
    assert refusal(modify.change("t", {}, ["a", "n"], becomes({"a": "1", "n": "1"}))).message == none
    assert refusal(modify.change("t", {}, ["n"], becomes({"n": "1"}), dry_run=True)).message == none
    assert tree(root) == before
    assert write(generate, {"n": "1"}).is_written
    assert modify.change("t", {}, ["a", "d", "m"], becomes({"m": "2"}), moved={"m": "a"}).is_written
    assert execute.change("t", {}, ["m", "o"], becomes({"m": "3", "o": "3"})).is_written
    assert texts(root) == {"n": b"1", "m": b"3", "o": b"3"}


def test_a_workspace_needs_a_directory_and_a_mode(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="is not a directory"):
        Workspace(tmp_path / "none")
    with pytest.raises(WorkspaceError, match="choose from research, generate"):
        Workspace(tmp_path, mode="destroy")  # type: ignore[arg-type]


def test_a_root_that_goes_away_is_told(workspace: Workspace, root: Path) -> None:
    root.rmdir()
    with pytest.raises(WorkspaceError, match="The root of the workspace could not be opened"):
        write(workspace, {"a": "x"})
    event = workspace.events[-1]
    assert isinstance(event.result, WorkspaceError)


def test_every_call_is_an_event(root: Path, tmp_path: Path) -> None:
    heard: list[Event] = []
    workspace = Workspace(root, lock_directory=tmp_path / "locks", on_event=heard.append)
    done = workspace.change("tool", {"path": "a"}, ["a"], becomes({"a": "x"}))
    refused = workspace.change("tool", {"path": "../a"}, ["../a"], becomes({}))
    assert list(workspace.events) == heard
    assert heard == [
        Event("tool", {"path": "a"}, done.result, ("a",)),
        Event("tool", {"path": "../a"}, refused.result, ()),
    ]


# Somebody else at work


def test_a_file_that_changed_meanwhile_is_left_as_it_is(workspace: Workspace, root: Path) -> None:
    (root / "a").write_text("x\n")
    (root / "b").write_text("x\n")

    def decide(_: Mapping[str, str]) -> EditResult:
        (root / "b").write_text("theirs\n")
        return Applied(files={"a": "mine\n", "b": "mine\n"})

    result = refusal(workspace.change("test", {}, ["a", "b"], decide))
    assert result.reason is Reason.STALE_READ
    assert texts(root) == {"a": b"x\n", "b": b"theirs\n"}


def test_a_file_that_appeared_meanwhile_is_left_as_it_is(workspace: Workspace, root: Path) -> None:
    def decide(_: Mapping[str, str]) -> EditResult:
        (root / "b").write_text("theirs\n")
        return Applied(files={"a/a": "mine\n", "b": "mine\n"})

    assert refusal(workspace.change("test", {}, ["a/a", "b"], decide)).reason is Reason.STALE_READ
    assert list(tree(root)) == ["b"]
    assert texts(root) == {"b": b"theirs\n"}


@pytest.mark.parametrize("after", [{}, {"a": "mine\n"}])
def test_a_file_that_went_meanwhile_does_not_come_back(after: dict[str, str], workspace: Workspace, root: Path) -> None:
    (root / "a").write_text("x\n")

    def decide(_: Mapping[str, str]) -> EditResult:
        (root / "a").unlink()
        return Applied(files=after)

    assert refusal(workspace.change("test", {}, ["a"], decide)).reason is Reason.STALE_READ
    assert tree(root) == {}


def test_what_killed_processes_left_is_swept_unless_its_lock_is_held(
    workspace: Workspace, root: Path, tmp_path: Path
) -> None:
    (root / "a").write_text("x\n")
    mine, dead, alive = stripe(f"{root}/a"), 0x123, 0x124
    for number in (mine, dead, alive):
        (root / f".editgauge-{number:03x}-0123456789abcdef.tmp").write_text("half")
    (root / ".editgauge-mine").write_text("a user's")
    with Locks(tmp_path / "locks").holding([alive]):
        assert write(workspace, {"a": "y\n"}).is_written
    assert sorted(temporaries(root)) == [".editgauge-124-0123456789abcdef.tmp", ".editgauge-mine"]


# Locks on files: waited for, in a private directory, never more than the stripes.


def test_a_locked_file_is_waited_for_and_then_given_up(root: Path, tmp_path: Path) -> None:
    workspace = Workspace(root, lock_directory=tmp_path / "locks", lock_timeout=0.02)
    done: list[object] = []

    def other() -> None:
        try:
            done.append(write(workspace, {"a": "x\n"}))
        except WorkspaceError as error:
            done.append(error)

    from threading import Thread

    with Locks(tmp_path / "locks").holding([stripe(f"{root}/a")]):
        thread = Thread(target=other)
        thread.start()
        thread.join()
    assert isinstance(done[0], WorkspaceError)
    assert "locked for 0.02 s" in done[0].message
    assert write(workspace, {"a": "x\n"}).is_written


def test_there_are_never_more_lock_files_than_stripes(root: Path, tmp_path: Path) -> None:
    found = {stripe(f"/w/{n}") for n in range(20_000)}
    assert found == set(range(N_STRIPES))
    assert stripe("/w/É") == stripe("/w/e\u0301")
    workspace = Workspace(root, lock_directory=tmp_path / "locks")
    assert write(workspace, {f"{n}": "x" for n in range(100)}).is_written
    assert len(list((tmp_path / "locks").iterdir())) <= 100


def test_locks_lie_outside_of_the_tree_in_a_private_directory(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert write(Workspace(root), {"a": "x\n"}).is_written
    assert set(tree(root)) == {"a"}
    (locks,) = tmp_path.glob("editgauge-locks-*")
    assert stat.S_IMODE(locks.stat().st_mode) == 0o700
    locks.chmod(0o777)
    with pytest.raises(WorkspaceError, match="is not private to this user"):
        write(Workspace(root), {"a": "y\n"})
    shutil.rmtree(locks)
    (tmp_path / "elsewhere").mkdir()
    locks.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WorkspaceError, match="is not private to this user"):
        write(Workspace(root), {"a": "y\n"})
    assert texts(root) == {"a": b"x\n"}


def test_a_lock_directory_that_cannot_be_is_told(root: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkspaceError, match="lock directory can't be created"):
        write(Workspace(root, lock_directory=tmp_path / "file" / "locks"), {"a": "x\n"})
    locks = tmp_path / "locks"
    (locks / f"{stripe(f'{root}/a'):03x}.lock").mkdir(parents=True)
    with pytest.raises(WorkspaceError, match="lock directory can't be used"):
        write(Workspace(root, lock_directory=locks), {"a": "x\n"})
    assert texts(root) == {}
