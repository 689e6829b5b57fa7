"""Disks that are full, read-only or fail."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from editcore.errors import WorkspaceError
from editcore.host.workspace.workspace import Workspace
from tests.editcore.host.workspace.changes import write
from tests.trees import texts, tree


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount here")
    if done.returncode:
        pytest.skip("file systems can't be mounted here; root may")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_leaves_every_file_as_it_was(small_disk: Path, tmp_path: Path) -> None:
    workspace = Workspace(small_disk, lock_directory=tmp_path / "locks", backups=True)
    (small_disk / "a").write_text("a\n")
    (small_disk / "b").write_text("b\n")
    n_failed = n_written = 0
    for kilobytes in range(0, 124, 4):
        (small_disk / "filling").write_bytes(b"." * kilobytes * 1024)
        before = texts(small_disk)
        failure = None
        try:
            write(workspace, {"a": "A" * 16_000, "b": "B" * 16_000, "new/c": "C" * 16_000})
        except WorkspaceError as error:
            failure = error
        if failure is None:
            n_written += 1
            workspace.rollback()
        else:
            n_failed += 1
            assert "(no space left on device): free some space and try again; nothing changed." in failure.message
            assert failure.reason is None
        assert texts(small_disk) == before
        assert set(tree(small_disk)) - {"new"} == {"a", "b", "filling"}
    assert n_failed > 5
    assert n_written > 5


def test_a_file_system_that_is_read_only_is_told_by_a_dry_run_too(small_disk: Path, tmp_path: Path) -> None:
    workspace = Workspace(small_disk, lock_directory=tmp_path / "locks")
    (small_disk / "a").write_text("a\n")
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    before = tree(small_disk)
    for dry_run in (True, False):
        for files in ({"a": "b\n"}, {"new/file": "b\n"}):
            with pytest.raises(WorkspaceError, match=r"\(read-only file system\): nothing can be written there"):
                write(workspace, files, dry_run=dry_run)
    assert tree(small_disk) == before


def test_an_immutable_file_is_told(workspace: Workspace, root: Path) -> None:
    (root / "a").write_text("x\n")
    if shutil.which("chattr") is None or subprocess.run(["chattr", "+i", root / "a"], capture_output=True).returncode:
        pytest.skip("files can't be made immutable here")
    try:
        for dry_run in (True, False):
            with pytest.raises(WorkspaceError, match="ask for the permission"):
                write(workspace, {"a": "y\n"}, dry_run=dry_run)
    finally:
        subprocess.run(["chattr", "-i", root / "a"], check=True)
    assert texts(root) == {"a": b"x\n"}


def test_the_error_of_a_disk_is_one_line_that_says_where_and_what_to_do() -> None:
    from editcore.host.workspace.boundary import disk_error

    error = disk_error(OSError(5, "Input/output error"), "a\nb\x1b[31m" + "x" * 500)
    assert error.message.isprintable()
    assert len(error.message) < 350
    assert "(input/output error): look at the disk and try again; nothing changed." in error.message
    assert str(error) == error.message
