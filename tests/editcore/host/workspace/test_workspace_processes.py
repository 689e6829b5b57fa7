"""A workspace under several processes at once, killed, attacked and without rights: the files afterwards."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import editcore
from editcore.host.tools.edit_file import insert_at
from editcore.host.workspace.workspace import Workspace
from editcore.types import Applied
from tests.editcore.host.workspace.workspace_load import appending

LOAD = Path(__file__).with_name("workspace_load.py")
HOME = Path(editcore.__file__).parents[1]


@pytest.fixture
def folder(in_memory: Path) -> Path:
    """A directory with an empty workspace in it."""
    (in_memory / "root").mkdir()
    return in_memory


def start(what: str, folder: Path, text: str, number: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, LOAD, what, folder / "root", folder / "locks", text, str(number)],
        env={**os.environ, "PYTHONPATH": str(HOME)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str], *, timeout_s: float = 60) -> dict[str, Any]:
    """The result that the process prints. It must end with exit code 0."""
    try:
        out, errors = process.communicate(timeout=timeout_s)
    finally:
        process.kill()
    assert process.returncode == 0, errors
    return dict(json.loads(out))


@pytest.mark.slow
def test_processes_that_edit_one_file_lose_nothing(folder: Path) -> None:
    (folder / "root" / "shared.txt").write_text("top\n")
    n_processes, n_edits = 4, 150
    running = [start("appending", folder, f"process {n}", n_edits) for n in range(n_processes)]
    for process in running:
        finish(process)
    lines = (folder / "root" / "shared.txt").read_text().splitlines()
    assert sorted(lines[1:]) == sorted(f"process {p} {n}" for p in range(n_processes) for n in range(n_edits))
    assert os.listdir(folder / "root") == ["shared.txt"]


def test_threads_that_edit_one_file_lose_nothing(folder: Path) -> None:
    (folder / "root" / "shared.txt").write_text("top\n")
    workspace = Workspace(folder / "root", lock_directory=folder / "locks", durable=False)
    n_threads, n_edits = 4, 50
    threads = [Thread(target=appending, args=(workspace, f"thread {n}", n_edits)) for n in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = workspace.read("shared.txt").splitlines()
    assert sorted(lines[1:]) == sorted(f"thread {t} {n}" for t in range(n_threads) for n in range(n_edits))


@pytest.mark.timeout(60)
def test_two_files_patched_in_opposite_order_do_not_deadlock(folder: Path) -> None:
    for name in "ab":
        (folder / "root" / f"{name}.txt").write_text("top\n")
    n_edits = 100
    running = [start("patching", folder, order, n_edits) for order in ("ab", "ba")]
    for process in running:
        finish(process)
    for name in "ab":
        lines = (folder / "root" / f"{name}.txt").read_text().splitlines()
        assert sorted(lines[1:]) == sorted(f"{order} {n}" for order in ("ab", "ba") for n in range(n_edits))


@pytest.mark.slow
def test_a_killed_writer_leaves_whole_files_and_nothing_after_the_next_write(folder: Path) -> None:
    for name in "ab":
        (folder / "root" / name).write_text((name + "0") * 60_000)
    n_kills = 60
    found = finish(start("killing", folder, "0", n_kills))
    assert found["torn"] == []
    assert found["n_swept"] == n_kills
    assert found["n_left"] > 0, "no kill ever hit a write: the test tests nothing"


@pytest.mark.slow
def test_what_a_killed_writer_was_editing_is_restored_from_its_backups(folder: Path) -> None:
    for name in "ab":
        (folder / "root" / name).write_text((name + "0") * 60_000)
    n_kills = 60
    found = finish(start("killing_with_backups", folder, "0", n_kills))
    assert found["wrong"] == []
    assert found["n_restored"] == n_kills
    assert found["n_edited"] > 0 < found["n_left"], "no kill ever hit a write: the test tests nothing"


@pytest.mark.slow
@pytest.mark.timeout(330)
def test_links_swapped_in_during_writes_lead_nowhere(folder: Path) -> None:
    root, outside = folder / "root", folder / "outside"
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "renameat2") or libc.renameat2(-100, bytes(root), -100, bytes(root), 2):
        pytest.skip("the attacker needs to exchange two names in one step, which can't be done here")
    for directory in (root / "d", outside):
        directory.mkdir()
        (directory / "file").write_text("0\n")
    (root / "leaf").write_text("0\n")
    before = (outside / "file").stat(), outside.stat()
    n_each = 4_000
    found = finish(start("attacked", folder, str(outside), n_each), timeout_s=300)
    after = (outside / "file").stat(), outside.stat()
    escapes = [one for one, other in zip(before, after, strict=True) if one.st_mtime_ns != other.st_mtime_ns]
    assert escapes == []
    assert os.listdir(outside) == ["file"]
    assert (outside / "file").read_text() == "0\n"
    counts = found["counts"]
    assert set(counts) <= {"applied", "outside_workspace", "stale_read"}, counts
    assert counts["applied"] >= n_each <= counts["outside_workspace"], counts
    assert found["temporaries"] == []


@pytest.mark.parametrize(
    ("path", "file_mode", "directory_mode"),
    [
        pytest.param("d/a", 0o444, 0o777, marks=pytest.mark.slow),
        ("d/a", 0o666, 0o555),
        pytest.param("d/new/a", 0, 0o555, marks=pytest.mark.slow),
    ],
)
def test_without_permission_nothing_is_written_and_a_dry_run_knows(
    path: str, file_mode: int, directory_mode: int, folder: Path
) -> None:
    directory = folder / "root" / "d"
    directory.mkdir()
    if file_mode:
        (folder / "root" / path).write_text("old\n")
        (folder / "root" / path).chmod(file_mode)
    directory.chmod(directory_mode)
    (folder / "locks").mkdir()
    (folder / "locks").chmod(0o777)
    errors = finish(start("unprivileged", folder, path, 1))["errors"]
    assert len(errors) == 2
    assert errors[0] == errors[1]
    assert "(permission denied): ask for the permission to write there; nothing changed." in errors[0]
    assert [p.name for p in directory.iterdir()] == (["a"] if file_mode else [])
    assert not file_mode or (folder / "root" / path).read_text() == "old\n"
    directory.chmod(0o755)


def test_who_may_not_read_a_file_is_told(folder: Path) -> None:
    (folder / "root" / "a").write_text("old\n")
    (folder / "root" / "a").chmod(0o600 if os.geteuid() == 0 else 0o000)
    (folder / "locks").mkdir()
    (folder / "locks").chmod(0o777)
    errors = finish(start("unprivileged", folder, "a", 1))["errors"]
    assert len(errors) == 2
    assert all(error.startswith("a could not be read (permission denied)") for error in errors)


def test_the_edits_of_one_workspace_are_seen_by_another(folder: Path) -> None:
    (folder / "root" / "a").write_text("x\n")
    one, other = (Workspace(folder / "root", lock_directory=folder / "locks") for _ in range(2))
    assert isinstance(insert_at(one, "a", -1, "1"), Applied)
    assert isinstance(insert_at(other, "a", -1, "2"), Applied)
    assert one.read("a") == "x\n1\n2\n"
