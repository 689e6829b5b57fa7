"""One process at a time writes to a run folder, and a folder from elsewhere brings no code along."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

from editcore.errors import UsageError
from harness.run.plan import Request
from harness.run.runner import locked, run
from harness.strategies.registry import select
from reports.runs.manifest import LOCK, SPOOL, read_manifest
from reports.runs.parts import parts_done

ROOT = Path(__file__).parents[3]
HOLDER = """
import sys, time
from pathlib import Path
from harness.run.runner import locked
with locked(Path(sys.argv[1])):
    print("locked", flush=True)
    time.sleep(60)
"""


def request(folder: Path, **changes: object) -> Request:
    return Request(["smoke"], select(["cascade/exact"]), folder, n_workers=1, **changes)  # type: ignore[arg-type]


def test_a_second_writer_is_refused_until_the_first_one_dies(tmp_path: Path) -> None:
    folder = run(request(tmp_path / "run"))
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", HOLDER, folder]
    holder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert holder.stdout
        assert holder.stdout.readline() == "locked\n"
        for option in ("resume", "replace"):
            with pytest.raises(UsageError, match="Another process is writing to"):
                run(request(folder, **{option: True}))
    finally:
        holder.kill()
        holder.wait()
        if holder.stdout:
            holder.stdout.close()
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != LOCK} == before
    run(request(folder, resume=True))
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_the_lock_leaves_nothing(tmp_path: Path) -> None:
    with locked(tmp_path / "a" / "run"):
        assert (tmp_path / "a" / "run" / LOCK).exists()
    assert not (tmp_path / "a" / "run").exists()
    (tmp_path / "old").mkdir()
    with locked(tmp_path / "old"), pytest.raises(UsageError, match="Another process"), locked(tmp_path / "old"):
        pass
    assert list((tmp_path / "old").iterdir()) == []


def test_the_lock_is_not_taken_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / LOCK).symlink_to(tmp_path / "made")
    with pytest.raises(UsageError, match="cannot be written"), locked(tmp_path / "run"):
        pass
    assert not (tmp_path / "made").exists()


def test_a_finished_run_that_is_resumed_is_not_touched(tmp_path: Path) -> None:
    folder = run(request(tmp_path / "run"))
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.rglob("*") if path.is_file()}
    run(request(folder, resume=True))
    assert {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in before} == before


@pytest.mark.slow
def test_a_run_that_has_lost_a_part_is_unfinished_until_it_has_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = run(request(tmp_path / "run"))
    next((folder / "outcomes").iterdir()).unlink()
    seen = []
    monkeypatch.setattr("harness.run.runner._run_jobs", lambda *_: seen.append(read_manifest(folder).finished))
    with pytest.raises(UsageError, match="lacks parts"):
        run(request(folder, resume=True))
    assert seen == [None]
    monkeypatch.undo()
    run(request(folder, resume=True))
    assert read_manifest(folder).finished


class _Code:
    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.place),)


def test_what_lies_in_the_spool_folder_of_a_run_is_not_read(tmp_path: Path) -> None:
    folder = run(request(tmp_path / "run"))
    (part,) = parts_done(folder)
    (folder / "outcomes" / f"part-{part}.parquet").unlink()
    (folder / SPOOL).mkdir()
    (folder / SPOOL / part).write_bytes(pickle.dumps((1, _Code(tmp_path / "pwned"))))
    run(request(folder, resume=True))
    assert not (tmp_path / "pwned").exists()
    assert not (folder / SPOOL).exists()


_PIPES = {
    "harness/run/cluster.py": {"self._process.stdout", "self._requests"},
    "harness/fuzz/engine/campaign.py": {"process.stdout"},
    "harness/fuzz/engine/worker.py": {"sys.stdin.buffer"},
}
"""File -> what it reads pickles from: pipes between this program and a process that it started."""


def test_nothing_on_disk_is_unpickled() -> None:
    found: dict[str, set[str]] = {}
    for package in ("editcore", "corpora", "reports", "harness"):
        for path in (ROOT / package).rglob("*.py"):
            text = path.read_text()
            forbidden = r"^\s*(import (marshal|shelve|dill|pickle\b.)|from (pickle|marshal|shelve|dill)\b)"
            assert not re.search(forbidden, text, re.MULTILINE), path
            if "pickle." in text and (read := re.findall(r"\bpickle\.(?:loads?|Unpickler)\((.*)\)", text)):
                found[str(path.relative_to(ROOT))] = {one.rstrip(")") for one in read}
    assert found == _PIPES


@pytest.mark.slow
@pytest.mark.parametrize("name", ["outcomes", "stderr", SPOOL])
def test_a_run_is_not_resumed_through_links(tmp_path: Path, name: str) -> None:
    folder = run(request(tmp_path / "run"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.log").touch()
    if name == "outcomes":
        (folder / name).rename(tmp_path / "moved")
    (folder / name).symlink_to(elsewhere)
    with pytest.raises(UsageError, match="is not a regular file or folder"):
        run(request(folder, resume=True))
    assert [path.name for path in elsewhere.iterdir()] == ["a.log"]
