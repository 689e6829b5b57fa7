"""The drill faults: short tries of operations, and that a writer that tears files is detected."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from editcore.errors import WorkspaceError
from editcore.host.workspace import Workspace
from editcore.types import Applied, EditResult
from harness.cli import main
from harness.fuzz.drills.drill import DrillSettings, Trial
from harness.fuzz.drills.faults.commands import commands, operations
from harness.fuzz.drills.faults.edits import EDITS, Edit
from harness.fuzz.drills.faults.injection import FAULTS, faults, ordinal
from harness.fuzz.drills.faults.operation import ChildResult, run_forked
from harness.fuzz.drills.faults.shim import KINDS, Fault, Shim

BY_NAME = {edit.name: edit for edit in EDITS}


def broken(trials: Iterable[Trial]) -> list[Trial]:
    return [trial for trial in trials if trial.broken]


def in_place(workspace: Workspace) -> EditResult:
    """A wrong tool, which empties the file and then writes it."""
    descriptor = os.open(Path(workspace.root, "a"), os.O_WRONLY | os.O_TRUNC)
    try:
        os.write(descriptor, b"one\n2\nthree\n")
    finally:
        os.close(descriptor)
    return Applied()


def leaving(workspace: Workspace) -> EditResult:
    """A wrong tool, which leaves its temporary file behind if it cannot be renamed."""
    (temporary := Path(workspace.root, ".editgauge-x.tmp")).write_text("x\n")
    try:
        temporary.rename(Path(workspace.root, "a"))
    except OSError as error:
        raise WorkspaceError("It could not be renamed.") from error
    return Applied()


def silent(workspace: Workspace) -> EditResult:
    """A wrong tool, which never reports an error."""
    with suppress(OSError):
        in_place(workspace)
    return Applied()


@pytest.fixture(scope="module")
def torn() -> list[Trial]:
    return list(faults(DrillSettings(), [Edit("in place", in_place)]))


@pytest.mark.slow
def test_a_tool_that_writes_in_place_is_seen_to_tear_the_file(torn: list[Trial]) -> None:
    assert [trial.what for trial in torn if "SIGKILL" in trial.what and trial.broken] == ["2nd call, os.write, SIGKILL"]
    assert any("neither old nor new: b''" in (trial.broken or "") for trial in torn)
    assert any("raised OSError" in (trial.broken or "") for trial in torn)
    assert torn[0].what == "nothing fails"
    assert torn[0].broken is None


def test_a_short_write_is_a_fault_of_its_own(torn: list[Trial]) -> None:
    [short] = [trial for trial in torn if trial.what.endswith("short")]
    assert short.what == "2nd call, os.write, short"
    assert short.broken == "reported 'applied', but a is b'one\\n2\\n' with mode 100751"


@pytest.mark.slow
def test_a_tool_that_leaves_temporary_files_or_lies_is_seen() -> None:
    stayed = broken(faults(DrillSettings(runs=36), [Edit("leaving", leaving)]))
    assert any((trial.broken or "").endswith(".editgauge-x.tmp was left behind") for trial in stayed)
    lied = broken(faults(DrillSettings(runs=12), [Edit("silent", silent)]))
    assert any((trial.broken or "").startswith("reported 'applied', but a is") for trial in lied)


def test_edits_survive_faults_at_some_calls() -> None:
    found = [replace(edit, max_faults=1) for edit in EDITS if edit.name in ("insert_at", "rollback")]
    assert broken(faults(DrillSettings(), found)) == []


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("name", ["edit_file", "insert_at", "edit.patch", "edit_file with a backup", "cleanup"])
def test_every_edit_survives_every_fault_at_every_call(name: str) -> None:
    trials = list(faults(DrillSettings(), [BY_NAME[name]]))
    assert broken(trials) == []
    kinds = Counter(trial.what.rpartition(", ")[2] for trial in trials[1:])
    assert kinds["EIO"] == kinds["SIGKILL"] == trials[0].figures["calls"]
    assert kinds["short"] >= 1


def test_each_operation_has_its_turn_until_the_runs_are_done() -> None:
    edits = [BY_NAME["edit_file"], BY_NAME["insert_at"]]
    trials = list(faults(DrillSettings(runs=7), edits))
    assert [trial.group for trial in trials] == ["edit_file", "insert_at"] * 3 + ["edit_file"]
    assert list(faults(DrillSettings(seconds=0.0), edits)) == []


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_run_that_is_hindered_is_gone_on_with() -> None:
    [run] = [replace(command, max_faults=6) for command in commands(main) if command.name == "run"]
    trials = list(faults(DrillSettings(), [run]))
    assert broken(trials) == []
    assert len(trials) > 20


def test_all_that_writes_is_there_by_name() -> None:
    assert {"edit_file", "patch_file", "insert_at", "edit.patch", "rollback", "run", "nightly"} <= set(operations(main))
    assert FAULTS.name == "faults"


# The shim


def calls(folder: Path) -> str:
    with (folder / "a").open("w") as file:
        file.write("x" * 10)
    os.stat("/")
    return (folder / "a").read_text()


def under(folder: Path, kind: str, n: int) -> tuple[Shim, str, str]:
    shim = Shim(str(folder), Fault(kind, n))

    def work() -> str:
        shim.install()
        return calls(folder)

    ended = run_forked(work)
    return shim, ended.answer, ended.how


def names(shim: Shim) -> list[str]:
    return [shim.name(n) for n in range(1, shim.n_calls + 1)]


def test_calls_are_counted_where_they_concern_the_folder(tmp_path: Path) -> None:
    shim, answer, how = under(tmp_path, "EIO", 0)
    assert (answer, how) == ("x" * 10, "exit code 0")
    assert [name for name in names(shim) if name not in ("os.fstat", "os.stat")] == [
        "os.open", "os.write", "os.close", "os.open", "os.read", "os.read", "os.close",
    ]  # fmt: skip
    assert os.write.__module__ == "posix", "the shim stays in the process it was put on in"


@pytest.mark.parametrize("kind", KINDS)
def test_the_nth_call_fails_in_the_way_that_was_asked_for(kind: str, tmp_path: Path) -> None:
    n = names(under(tmp_path, "EIO", 0)[0]).index("os.write") + 1
    shim, answer, how = under(tmp_path, kind, n)
    assert shim.name(n) == "os.write"
    assert how == ("SIGKILL" if kind.startswith("SIGKILL") else "exit code 0")
    if how == "SIGKILL":
        assert (answer, (tmp_path / "a").read_text()) == ("", "")
    elif kind == "short":
        assert answer == "x" * 10, "Python's files write the rest"
    else:
        assert re.match(r"\w+Error: ", answer)


def test_calls_of_forked_processes_are_counted_too(tmp_path: Path) -> None:
    shim = Shim(str(tmp_path), Fault("SIGKILL of all", 2))

    def work() -> str:
        shim.install()
        (tmp_path / "a").exists()
        if not os.fork():
            (tmp_path / "b").exists()
        os.wait()
        return "never"

    assert run_forked(work) == ChildResult("", "SIGKILL")
    assert not shim.can_fail(1, "SIGKILL of all")
    assert shim.can_fail(2, "SIGKILL of all")


def test_a_process_that_never_ends_is_ended() -> None:
    assert run_forked(lambda: os.read(os.pipe()[0], 1).decode(), timeout_s=0.1).how == "SIGALRM"


@pytest.mark.parametrize(("n", "text"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (122, "122nd")])
def test_ordinals(n: int, text: str) -> None:
    assert ordinal(n) == text
