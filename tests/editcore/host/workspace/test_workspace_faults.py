"""Every call to the system that a change makes fails once: the files are as before, or all as they were to be."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from editcore.errors import WorkspaceError
from editcore.host.workspace.workspace import Workspace
from editcore.types import Applied
from tests.trees import temporaries, texts

BEFORE = {"deleted": b"d\n", "first": b"1\n", "gone": b"g\n", "second": b"2\n"}
AFTER = {"first": "one\n", "new/added": "a\n", "second": "two\n", "third": "d\n"}
CALLS = [
    *("open", "write", "read", "fsync", "close", "rename", "link", "unlink"),
    *("fchmod", "fstat", "stat", "mkdir", "listdir"),
]


class Faults:
    """Makes the nth call of a function of `os` fail, and every later one too if it `lasts`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, call: str, n: int, code: int, *, lasts: bool) -> None:
        self.n_calls, self.n, self.lasts, self.closes = 0, n, lasts, call == "close"
        self.error = OSError(code, os.strerror(code))
        self.real: Callable[..., Any] = getattr(os, call)
        monkeypatch.setattr(os, call, self)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if ".lock" not in str(arguments[0]):
            self.n_calls += 1
            if self.n_calls == self.n or (self.lasts and self.n_calls > self.n):
                if self.closes:
                    self.real(*arguments)
                raise self.error
        return self.real(*arguments, **options)


def fresh(folder: Path) -> tuple[Path, Workspace]:
    root = folder / "root"
    root.mkdir(parents=True)
    for name, data in BEFORE.items():
        (root / name).write_bytes(data)
        (root / name).chmod(0o755)
    return root, Workspace(root, lock_directory=folder / "locks")


def _becomes(files: Mapping[str, str], _: Mapping[str, str]) -> Applied:
    return Applied(files=files)


def _no_second_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a file system without hard links."""

    def unsupported(*_: object, **__: object) -> None:
        raise OSError(errno.EOPNOTSUPP, "not supported")

    monkeypatch.setattr(os, "link", unsupported)


def change(workspace: Workspace) -> Applied:
    names = [*BEFORE, *AFTER]
    outcome = workspace.change("t", {}, names, partial(_becomes, AFTER), moved={"third": "deleted"})
    if not isinstance(outcome.result, Applied):
        raise WorkspaceError(outcome.result.message)
    return outcome.result


@pytest.mark.parametrize("lasts", [False, True])
@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_fails_leaves_all_or_nothing(call: str, lasts: bool, in_memory: Path) -> None:
    after = {name: text.encode() for name, text in AFTER.items()}
    told = not_durable = 0
    for n in range(1, 200):
        root, workspace = fresh(in_memory / str(n))
        with pytest.MonkeyPatch.context() as patch:
            faults = Faults(patch, call, n, errno.EIO, lasts=lasts)
            failure, result = None, None
            try:
                result = change(workspace)
            except WorkspaceError as error:
                failure = error
        found = {name: data for name, data in texts(root).items() if ".editgauge-" not in name}
        if failure is None:
            assert found == after
            assert result is not None
            not_durable += any(note.startswith("applied, not durable: ") for note in result.notes)
        else:
            told += 1
            assert "\n" not in failure.message
            if "look at" in failure.message and "could not be undone" in failure.message:
                assert lasts
                for name, data in found.items():
                    assert data in (BEFORE.get(name), after.get(name))
            else:
                assert found == BEFORE
        # The next change sweeps what could not be deleted.
        again = {"first": f"{n}", "new/x": ""}
        assert workspace.change("t", {}, list(again), partial(_becomes, again)).is_written
        assert temporaries(root) == []
        if faults.n_calls < n:
            break
    else:
        pytest.fail("the calls never came to an end")
    assert told or not_durable or call in ("link", "unlink", "listdir")
    assert not_durable or call != "fsync"


def test_a_lock_that_is_not_given_back_is_no_failure_of_the_edit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, workspace = fresh(tmp_path)
    real, stuck_once = fcntl.flock, set()

    def stuck(descriptor: int, operation: int) -> None:
        if operation == fcntl.LOCK_UN and descriptor not in stuck_once:
            stuck_once.add(descriptor)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        real(descriptor, operation)

    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", stuck)
        change(workspace)
    assert stuck_once
    assert texts(root) == {name: text.encode() for name, text in AFTER.items()}
    assert workspace.change("t", {}, ["first"], partial(_becomes, {"first": "again"})).is_written


def test_a_rollback_that_may_not_survive_a_power_failure_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, _ = fresh(tmp_path)
    workspace = Workspace(root, backups=True, lock_directory=tmp_path / "locks")
    change(workspace)
    n_files = 4  # That are written before the directories are synced.
    with monkeypatch.context() as patch:
        Faults(patch, "fsync", n_files + 1, errno.EIO, lasts=True)
        assert set(workspace.rollback()) == {*BEFORE, *AFTER}
    assert texts(root) == BEFORE
    event = workspace.events[-1]
    assert (event.tool, event.params) == ("rollback", {"path": None})
    assert isinstance(event.result, Applied)
    assert [note.partition(":")[0] for note in event.result.notes] == ["applied, not durable"]


@pytest.mark.parametrize("call", ["rename", "unlink", "fsync"])
def test_without_second_names_the_old_texts_are_written_again(
    call: str, in_memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _no_second_names(monkeypatch)
    n_told = 0
    for n in range(1, 100):
        root, workspace = fresh(in_memory / str(n))
        with pytest.MonkeyPatch.context() as patch:
            faults = Faults(patch, call, n, errno.EIO, lasts=False)
            try:
                change(workspace)
                assert texts(root) == {name: text.encode() for name, text in AFTER.items()}
            except WorkspaceError:
                n_told += 1
                assert texts(root) == BEFORE
                assert {path.stat().st_mode & 0o777 for path in root.iterdir()} == {0o755}
        if faults.n_calls < n:
            break
    assert n_told


def test_what_cannot_be_put_back_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, workspace = fresh(tmp_path)
    Faults(monkeypatch, "rename", 2, errno.EIO, lasts=True)
    with pytest.raises(WorkspaceError, match=r"could not be undone: look at first \(its old text is in \.edit") as told:
        change(workspace)
    assert told.value.reason is None
    assert (root / "second").read_bytes() == b"2\n"
    assert (root / "deleted").read_bytes() == b"d\n"


def test_an_interruption_undoes_what_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, workspace = fresh(tmp_path)
    faults = Faults(monkeypatch, "rename", 2, errno.EIO, lasts=False)
    faults.error = KeyboardInterrupt()  # type: ignore[assignment]
    with pytest.raises(KeyboardInterrupt):
        change(workspace)
    assert texts(root) == BEFORE


@pytest.mark.parametrize("most", [1, 3])
def test_what_the_system_writes_in_pieces_is_written_whole(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, workspace = fresh(tmp_path)
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:most]))
    change(workspace)
    assert texts(root) == {name: text.encode() for name, text in AFTER.items()}


def test_a_directory_that_somebody_else_makes_in_between_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, workspace = fresh(tmp_path)
    real = os.mkdir

    def twice(name: str, *arguments: Any, **options: Any) -> None:
        real(name, *arguments, **options)
        if name == "new":
            real(name, *arguments, **options)

    monkeypatch.setattr(os, "mkdir", twice)
    change(workspace)
    assert (root / "new" / "added").read_bytes() == b"a\n"


def test_without_second_names_a_file_that_appeared_meanwhile_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, workspace = fresh(tmp_path)
    _no_second_names(monkeypatch)

    def decide(_: Mapping[str, str]) -> Applied:
        (root / "third").write_text("theirs\n")
        return Applied(files=AFTER)

    assert "changed on the disk" in str(workspace.change("t", {}, [*BEFORE, *AFTER], decide).result)
    assert texts(root) == BEFORE | {"third": b"theirs\n"}


def test_without_second_names_what_cannot_be_put_back_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, workspace = fresh(tmp_path)
    _no_second_names(monkeypatch)
    Faults(monkeypatch, "rename", 2, errno.EIO, lasts=True)
    with pytest.raises(WorkspaceError, match=r"could not be undone: look at first\."):
        change(workspace)
    assert texts(root) == BEFORE | {"first": b"one\n"}
