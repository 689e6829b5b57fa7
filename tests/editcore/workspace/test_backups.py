"""Backups: written with the first edit, rolled back or cleaned up, and never over the work of others."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path

import pytest

from editcore.errors import WorkspaceError
from editcore.types import Applied, EditResult, Reason
from editcore.workspace.workspace import Event, Workspace
from tests.editcore.workspace.changes import becomes, refusal, write
from tests.trees import texts, tree


@pytest.fixture
def backed(root: Path, tmp_path: Path) -> Workspace:
    return Workspace(root, backups=True, lock_directory=tmp_path / "locks")


def test_a_backup_is_the_file_before_its_first_edit(backed: Workspace, root: Path) -> None:
    (root / "a").write_bytes(b"\xef\xbb\xbfx\r\n")
    (root / "a").chmod(0o755)
    assert write(backed, {"a": "1"}).is_written
    assert write(backed, {"a": "2"}).is_written
    assert texts(root) == {"a": b"\xef\xbb\xbf2", "a.bak": b"\xef\xbb\xbfx\r\n"}
    assert stat.S_IMODE((root / "a.bak").stat().st_mode) == 0o755
    assert backed.rollback("a") == ("a",)
    assert backed.events[-1] == Event("rollback", {"path": "a"}, Applied(), ("a", "a.bak"))
    assert texts(root) == {"a": b"\xef\xbb\xbfx\r\n"}
    assert stat.S_IMODE((root / "a").stat().st_mode) == 0o755
    with pytest.raises(WorkspaceError, match="no backup of a"):
        backed.rollback("a")


def test_a_whole_change_is_rolled_back(backed: Workspace, root: Path) -> None:
    for name in ("m", "d", "old"):
        (root / name).write_text(f"{name}\n")
    before = texts(root)
    backed.change(
        "test",
        {},
        ["m", "d", "old", "new", "added"],
        becomes({"m": "1", "new": "old\n", "added": "2"}),
        moved={"new": "old"},
    )
    backed.change("test", {}, ["added"], becomes({}))
    assert set(texts(root)) == {"m", "new", "m.bak", "d.bak", "old.bak"}
    assert set(backed.rollback()) == {"m", "d", "old", "new", "added"}
    assert texts(root) == before
    assert backed.rollback() == ()


def test_cleaning_up_removes_the_backups(backed: Workspace, root: Path) -> None:
    (root / "a").write_text("x\n")
    (root / "b").write_text("x\n")
    assert write(backed, {"a": "1", "b": "1", "c": "1"}).is_written
    assert backed.cleanup("a") == ("a",)
    assert set(texts(root)) == {"a", "b", "b.bak", "c"}
    (root / "b.bak").write_text("a user's now")
    assert set(backed.cleanup()) == {"b", "c"}
    assert texts(root) == {"a": b"1", "b": b"1", "b.bak": b"a user's now", "c": b"1"}


def test_the_backup_of_a_user_is_never_written(backed: Workspace, root: Path, tmp_path: Path) -> None:
    (root / "a").write_text("x\n")
    (root / "a.bak").write_text("the user's\n")
    (root / "a.bak.1").symlink_to(tmp_path / "outside")
    assert write(backed, {"a": "1"}).is_written
    assert texts(root) == {"a": b"1", "a.bak": b"the user's\n", "a.bak.2": b"x\n"}
    backed.rollback()
    assert texts(root) == {"a": b"x\n", "a.bak": b"the user's\n"}
    assert not (tmp_path / "outside").exists()


def test_a_backup_does_not_take_a_name_of_the_same_change(backed: Workspace, root: Path) -> None:
    (root / "a").write_text("x\n")
    assert write(backed, {"a": "1", "a.bak": "2"}).is_written
    assert texts(root) == {"a": b"1", "a.bak": b"2", "a.bak.1": b"x\n"}


@pytest.mark.parametrize("name", ["a", "a.bak"])
def test_a_rollback_loses_nobodys_work(name: str, backed: Workspace, root: Path) -> None:
    for other in ("a", "b"):
        (root / other).write_text("x\n")
    assert write(backed, {"a": "1", "b": "1"}).is_written
    (root / name).write_text("the user's\n")
    before = tree(root)
    with pytest.raises(WorkspaceError, match="not rolled back"):
        backed.rollback()
    assert tree(root) == before


def test_no_backup_is_left_of_an_edit_that_failed(backed: Workspace, root: Path) -> None:
    (root / "a").write_text("x\n")

    def decide(_: Mapping[str, str]) -> EditResult:
        (root / "a").write_text("theirs\n")
        return Applied(files={"a": "mine\n"})

    assert refusal(backed.change("test", {}, ["a"], decide)).reason is Reason.STALE_READ
    assert texts(root) == {"a": b"theirs\n"}
    with pytest.raises(WorkspaceError, match="no backup"):
        backed.rollback("a")


def test_a_name_too_long_for_a_backup_is_refused_before_anything_happens(backed: Workspace, root: Path) -> None:
    name = "x" * 253
    (root / name).write_text("x\n")
    assert refusal(write(backed, {name: "1"}, dry_run=True)).reason is Reason.NOT_ALLOWED
    assert refusal(write(backed, {name: "1"})).reason is Reason.NOT_ALLOWED
    assert list(tree(root)) == [name]
