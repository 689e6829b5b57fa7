"""Locks on files: waited for, in a private directory, never more than the stripes."""

from __future__ import annotations

import shutil
import stat
import tempfile
from pathlib import Path

import pytest

from editcore.errors import WorkspaceError
from editcore.host.workspace.locks import N_STRIPES, Locks, stripe
from editcore.host.workspace.workspace import Workspace
from tests.editcore.host.workspace.changes import write
from tests.trees import texts, tree


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
