"""Backups: written with the first edit, rolled back or cleaned up, and never over the work of others."""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from editcore.errors import WorkspaceError
from editcore.host.workspace.backups import entry_path
from editcore.host.workspace.boundary import INDEX
from editcore.host.workspace.workspace import Event, Workspace
from editcore.types import Applied, EditResult, Reason
from tests.editcore.host.workspace.changes import becomes, refusal, write
from tests.trees import texts as all_texts
from tests.trees import tree


def texts(root: Path) -> dict[str, bytes]:
    """The files without the index."""
    return {path: data for path, data in all_texts(root).items() if not path.startswith(INDEX)}


def index(root: Path) -> list[str]:
    return [path for path in all_texts(root) if path.startswith(INDEX)]


def again(root: Path, tmp_path: Path) -> Workspace:
    """The workspace as another process sees it."""
    return Workspace(root, backups=True, lock_directory=tmp_path / "locks")


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


def test_the_index_goes_with_its_last_entry_while_others_write(backed: Workspace, root: Path) -> None:
    def edit_and_clean(name: str) -> None:
        for n in range(30):
            write(backed, {name: str(n)})
            backed.cleanup(name)

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(edit_and_clean, "abc"))
    assert {one.name for one in root.iterdir()} == set("abc")


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


def test_another_process_finds_the_backups(backed: Workspace, root: Path, tmp_path: Path) -> None:
    for name in ("a", "b", "d"):
        (root / name).write_text(f"{name}\n")
    before = texts(root)
    assert write(backed, {"a": "1", "b": "1", "d": "1", "new": "1"}).is_written
    assert write(again(root, tmp_path), {"a": "2"}).is_written
    assert texts(root) == {
        "a": b"2", "a.bak": b"a\n", "b": b"1", "b.bak": b"b\n", "d": b"1", "d.bak": b"d\n", "new": b"1",
    }  # fmt: skip
    assert again(root, tmp_path).cleanup("d") == ("d",)
    assert again(root, tmp_path).rollback("a") == ("a",)
    assert set(again(root, tmp_path).rollback()) == {"b", "new"}
    assert texts(root) == {**before, "d": b"1"}
    assert index(root) == []


def test_the_work_of_others_between_two_edits_is_in_a_backup_of_its_own(backed: Workspace, root: Path) -> None:
    (root / "a").write_text("x\n")
    assert write(backed, {"a": "1"}).is_written
    (root / "a").write_text("the user's\n")
    assert write(backed, {"a": "2"}).is_written
    assert backed.rollback() == ("a",)
    assert texts(root) == {"a": b"the user's\n", "a.bak": b"x\n"}


def test_a_backup_that_was_removed_is_made_again(backed: Workspace, root: Path) -> None:
    (root / "a").write_text("x\n")
    assert write(backed, {"a": "1"}).is_written
    (root / "a.bak").unlink()
    with pytest.raises(WorkspaceError, match=r"a.bak is not the backup as it was written"):
        backed.rollback("a")
    assert write(backed, {"a": "2"}).is_written
    assert backed.rollback() == ("a",)
    assert texts(root) == {"a": b"1"}


@pytest.mark.parametrize("has_backup", [True, False])
def test_what_a_killed_process_left_is_restored_or_forgotten(
    has_backup: bool, backed: Workspace, root: Path, tmp_path: Path
) -> None:
    """The states between the writing of the entry, of the backup and of the file."""
    (root / "a").write_text("x\n")
    assert write(backed, {"a": "1"}).is_written
    (root / "a").write_text("x\n")
    if not has_backup:
        (root / "a.bak").unlink()
    assert again(root, tmp_path).rollback() == ("a",)
    assert all_texts(root) == {"a": b"x\n"}


def _forged(
    path: object = "a", backup: object = "a.bak", digest: object = "0" * 64, **more: object
) -> dict[str, object]:
    return {"path": path, "backup": backup, "digest": digest, "edited": ["0" * 64], **more}


@pytest.mark.parametrize(
    "entry",
    [
        b"",
        b"[]",
        b"{",
        b"\xff",
        b"[" * 50_000,
        b" " * 100_001,
        _forged(path="../a"),
        _forged(path=1),
        _forged(path="b"),
        _forged(path=".git/config"),
        _forged(backup="../../etc/passwd"),
        _forged(backup=".git/config"),
        _forged(backup="a"),
        _forged(backup="a.bak/../b"),
        _forged(backup="a.bak.0"),
        _forged(backup=["a.bak"]),
        _forged(backup=None),
        _forged(digest=None),
        _forged(digest="0" * 63),
        _forged(digest=["0"]),
        _forged(edited=[]),
        _forged(edited=["0" * 64] * 3),
        _forged(edited="0"),
        _forged(edited=[1]),
        _forged(more=1),
    ],
)
def test_a_forged_index_is_refused_and_nothing_changes(
    entry: bytes | dict[str, object], backed: Workspace, root: Path
) -> None:
    (root / "a").write_text("x\n")
    (root / "b").write_text("y\n")
    (root / INDEX).mkdir()
    there = entry_path("a")
    (root / there).write_bytes(entry if isinstance(entry, bytes) else json.dumps(entry).encode())
    (root / INDEX / "notes.txt").write_text("somebody's\n")
    before = tree(root)
    for work in (backed.rollback, backed.cleanup):
        for path in ("a", None):
            with pytest.raises(WorkspaceError, match="is not an entry of backups as it was written"):
                work(path)
    assert "is not an entry of backups" in refusal(write(backed, {"a": "1"})).message
    assert tree(root) == before
    assert write(backed, {"b": "1"}).is_written


@pytest.mark.parametrize("how", ["link", "directory", "link to a directory"])
def test_an_index_of_another_kind_is_refused(how: str, backed: Workspace, root: Path, tmp_path: Path) -> None:
    (root / "a").write_text("x\n")
    (elsewhere := tmp_path / "elsewhere").mkdir()
    if how == "link to a directory":
        (root / INDEX).symlink_to(elsewhere)
    else:
        (root / INDEX).mkdir()
        there = root / entry_path("a")
        there.symlink_to(root / "a") if how == "link" else there.mkdir()
    before = tree(root)
    with pytest.raises(WorkspaceError):
        backed.rollback()
    assert refusal(write(backed, {"a": "1"}))
    assert tree(root) == before
    assert list(elsewhere.iterdir()) == []


def test_the_index_is_no_file_to_edit(backed: Workspace, root: Path) -> None:
    (root / "a").write_text("x\n")
    assert "belongs to the backups" in refusal(write(backed, {f"{INDEX}/a.json": "1"})).message
    assert "belongs to the backups" in refusal(write(backed, {f"./{INDEX.upper()}/a": "1"})).message
    assert write(backed, {f"d/{INDEX}/a": "1"}).is_written


def test_too_many_backups_are_not_settled_at_once(backed: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editcore.host.workspace.backups._MAX_ENTRIES", 2)
    assert write(backed, {"a": "1", "b": "1", "c": "1"}).is_written
    with pytest.raises(WorkspaceError, match="more than 2 backups"):
        backed.rollback()
    assert backed.rollback("a") == ("a",)
    assert set(backed.cleanup()) == {"b", "c"}


@pytest.mark.parametrize("after", [{}, {"a.bak": "other\n"}])
def test_a_backup_is_neither_changed_nor_deleted_before_it_is_rolled_back(
    backed: Workspace, root: Path, after: dict[str, str]
) -> None:
    (root / "a").write_text("x\n")
    write(backed, {"a": "1\n"})
    refused = refusal(backed.change("test", {}, ["a.bak"], becomes(after)))
    assert (refused.reason, refused.message) == (
        Reason.NOT_ALLOWED,
        "a.bak is a as it was before its first edit: change it no more, but roll back or clean up.",
    )
    assert backed.rollback() == ("a",)
    assert texts(root) == {"a": b"x\n"}


def test_a_file_named_like_a_backup_is_changed_as_any_other(backed: Workspace, root: Path) -> None:
    for name in ("a", "b.bak", "a.bak"):
        (root / name).write_text("x\n")
    write(backed, {"a": "1\n"})  # Its backup is `a.bak.1`.
    assert write(backed, {"a.bak": "2\n", "b.bak": "2\n"}).is_written
    assert backed.rollback("a") == ("a",)
    kept = {"b.bak.bak": b"x\n", "a.bak.bak": b"x\n"}
    assert texts(root) == {"a": b"x\n", "b.bak": b"2\n", "a.bak": b"2\n", **kept}
