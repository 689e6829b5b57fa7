"""Runs in several processes, with real workers, real signals and real strategies of another package."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from corpora.load import load
from editcore.types import Edit, File
from reports.runs.manifest import read_manifest
from reports.runs.rows import KINDS
from tests.harness.program import call_in, install_in, run_in, start_in
from tests.harness.same import assert_same, parts, rows
from tests.processes import eventually
from tests.samples import sample, write_jsonl

# The same for any number of jobs, order or interruption

SLOW = '''
import os, signal, time
from editcore.cascade import CASCADES
from harness.strategies.rule_strategies import apply_pairs

def slow(sample):
    """The reference cascade, at the pace that SLOW sets."""
    pace = os.environ.get("SLOW", "0")
    if pace == "deaf":
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM, signal.SIGTERM, signal.SIGINT])
        time.sleep(600)
    time.sleep(float(pace))
    return apply_pairs(CASCADES["reference"], sample, None)
'''
N_SEGMENTS = 8
PACE = {"SLOW": "0.004"}
RUN = ("run", "corpus", "-s", "others/slow", "-s", "cascade/*", "-s", "replacer/line_trimmed")


class Workshop:
    """A corpus of many segments, the slow strategy, and a run of the two that nothing disturbed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.extra = install_in(folder / "site", SLOW, slow="others:slow")
        (folder / "corpus").mkdir()
        smoke = [one for one in load("smoke") if one.edits]
        for number in range(N_SEGMENTS):
            made = [replace(one, id=f"{one.id}/{number}") for one in smoke[number % 5 :: 4]]
            write_jsonl(folder / "corpus" / f"{number:02}.jsonl", made)
        self.baseline = folder / "baseline"
        done = self.run("-j", 1, "-o", self.baseline)
        assert done.returncode == 0, done.stderr
        self.printed = done.stdout

    def run(self, *options: object, **extra: str) -> subprocess.CompletedProcess[str]:
        return run_in(self.folder, *RUN, "-q", *options, extra=self.extra | extra)

    def start(self, *options: object, **extra: str) -> subprocess.Popen[str]:
        return start_in(self.folder, *RUN, "-q", *options, extra=self.extra | PACE | extra)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("workshop"))


def n_parts(folder: Path) -> int:
    return len(list(folder.glob("outcomes/part-*.parquet")))


def workers_of(process: subprocess.Popen[str]) -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


def assert_gone(workers: list[psutil.Process]) -> None:
    assert workers
    _, alive = psutil.wait_procs(workers, timeout=30)
    assert not alive


@pytest.mark.parametrize("n_workers", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_the_result_is_the_same_for_any_number_of_jobs(workshop: Workshop, tmp_path: Path, n_workers: int) -> None:
    done = workshop.run("-j", n_workers, "-o", tmp_path / "run")
    assert done.returncode == 0
    assert len(parts(workshop.baseline)) == len(KINDS) * N_SEGMENTS
    assert_same(tmp_path / "run", workshop.baseline)


@pytest.mark.parametrize("how", ["ctrl-c", pytest.param("terminate", marks=pytest.mark.slow)])
def test_an_interrupted_run_keeps_what_is_done_and_is_resumed(workshop: Workshop, tmp_path: Path, how: str) -> None:
    folder = tmp_path / "run"
    process = workshop.start("-j", 2, "-o", folder)
    eventually(lambda: n_parts(folder) >= 3)
    workers = workers_of(process)
    if how == "ctrl-c":
        os.killpg(process.pid, signal.SIGINT)
    else:
        process.terminate()
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stdout == ""
    assert stderr == f"interrupted: resume with the same arguments and --resume -o {folder}\n"
    assert_gone(workers)
    kept = {path.name: path.stat().st_mtime_ns for path in (folder / "outcomes").glob("part-*")}
    assert 3 <= len(kept) < N_SEGMENTS
    assert read_manifest(folder).finished is None

    done = workshop.run("-j", 2, "-o", folder, "--resume")
    assert done.returncode == 0
    assert_same(folder, workshop.baseline)
    after = {path.name: path.stat().st_mtime_ns for path in (folder / "outcomes").glob("part-*")}
    assert kept.items() <= after.items()


@pytest.mark.slow
def test_a_worker_that_somebody_kills_changes_nothing(workshop: Workshop, tmp_path: Path) -> None:
    process = workshop.start("-j", 2, "-o", tmp_path / "run")
    eventually(lambda: n_parts(tmp_path / "run") >= 2)
    workers_of(process)[0].kill()
    _, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (0, f"run: {tmp_path / 'run'}\n")
    assert_same(tmp_path / "run", workshop.baseline)


@pytest.mark.slow
@pytest.mark.parametrize(
    "pace",
    [
        PACE["SLOW"],
        pytest.param("deaf", marks=pytest.mark.skipif(sys.platform != "linux", reason="a worker can only be asked")),
    ],
)
def test_workers_end_when_the_run_is_killed_and_it_is_resumed(workshop: Workshop, tmp_path: Path, pace: str) -> None:
    folder = tmp_path / "run"
    process = workshop.start("-j", 2, "-o", folder, "--timeout", "500", SLOW=pace)
    eventually(lambda: len(workers_of(process)) == 2 and (pace == "deaf" or n_parts(folder) >= 2))
    workers = workers_of(process)
    process.kill()
    assert_gone(workers)
    process.communicate(timeout=60)

    assert workshop.run("-o", folder, "--timeout", "500", "--resume").returncode == 0
    assert rows(folder) == rows(workshop.baseline)
    assert parts(folder) == parts(workshop.baseline)


@pytest.mark.slow
def test_a_torn_part_is_done_again(workshop: Workshop, tmp_path: Path) -> None:
    folder = shutil.copytree(workshop.baseline, tmp_path / "run")
    torn, missing, *_ = sorted((folder / "outcomes").iterdir())
    torn.write_bytes(torn.read_bytes()[:-9])
    missing.unlink()
    (folder / "outcomes" / f".{missing.name}.1.tmp").write_bytes(b"PAR1")
    (folder / ".spool").mkdir()
    (folder / ".spool" / "old").touch()
    assert workshop.run("-o", folder, "--resume").returncode == 0
    assert_same(folder, workshop.baseline)


@pytest.mark.slow
def test_a_finished_run_that_is_resumed_prints_the_same_and_changes_nothing(workshop: Workshop, tmp_path: Path) -> None:
    folder = shutil.copytree(workshop.baseline, tmp_path / "run")
    done = workshop.run("-o", folder, "--resume")
    assert (done.returncode, done.stdout) == (0, workshop.printed)
    assert_same(folder, workshop.baseline)


# Strategies that misbehave

TRICKS = '''
import faulthandler, os, signal, sys, time
from editcore.types import Applied, Reason, Rejected

class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError

def tricks(sample):
    """Do what the find says."""
    return globals()["do_" + sample.edits[0].old_string](sample)

def do_apply(sample):
    return Applied(sample.before[0].content + sample.edits[0].new_string)

def do_refuse(sample):
    return Rejected(Reason.NO_MATCH, "no")

def do_raise(sample):
    raise ValueError("one line\\nand another")

def do_raise_unspeakably(sample):
    raise Unspeakable

def do_leave(sample):
    sys.exit(3)

def do_recurse(sample):
    return do_recurse(sample)

def do_return_nothing(sample):
    pass

def do_return_a_number_as_text(sample):
    return Applied(3)

def do_return_no_text(sample):
    return Applied()

def do_return_no_files(sample):
    return Applied(files=("a.py",))

def do_return_no_matches(sample):
    return Applied("a", None)

def do_return_no_reason(sample):
    return Rejected(None, "no")

def do_surrogates(sample):
    return Applied("\\ud800")

def do_die(sample):
    os._exit(3)

def do_segfault(sample):
    faulthandler.disable()  # PYTHONFAULTHANDLER would have it say something first.
    os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(600)

def do_loop(sample):
    while True:
        pass

def do_catch_everything(sample):
    while True:
        try:
            time.sleep(600)
        except BaseException:
            pass

def do_deafen(sample):
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    time.sleep(600)

asked = set()

def do_die_again(sample):
    if sample.id in asked:
        os._exit(3)
    asked.add(sample.id)
    return do_apply(sample)
'''

NO_TEXT = "returned Applied without the text afterwards"
FATES = {
    "apply": ("correct", None), "refuse": ("missed", None), "raise": ("crashed", "ValueError: one line"),
    "raise_unspeakably": ("crashed", "Unspeakable"), "leave": ("crashed", "SystemExit: 3"),
    "recurse": ("crashed", "RecursionError: maximum recursion depth exceeded"),
    "return_nothing": ("crashed", "returned NoneType, not Applied or Rejected"),
    "return_a_number_as_text": ("crashed", NO_TEXT), "return_no_text": ("crashed", NO_TEXT),
    "return_no_files": ("crashed", NO_TEXT),
    "return_no_matches": ("crashed", "returned Applied with a replacer or matches of another type"),
    "return_no_reason": ("crashed", "returned Rejected without a reason"), "surrogates": ("wrong_edit", None),
    "die": ("crashed", "the process ended with exit code 3"), "segfault": ("crashed", "the process ended with SIGSEGV"),
    "loop": ("timed_out", None), "catch_everything": ("timed_out", None), "deafen": ("timed_out", None),
    "die_again": ("unstable", "the same request again: the process ended with exit code 3"),
}  # fmt: skip

TO_THE_WORKER = """
import os, sys, time
sys.stdin.readline()
worker = int(open(f"/proc/{os.getppid()}/stat").read().rsplit(")", 1)[1].split()[1])
os.kill(worker, int(sys.argv[1]))
time.sleep(600)
"""
"""A command that sends a signal to the worker while it is started."""


@pytest.fixture(scope="module")
def circus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the runs `one` and `three`, named after their jobs, of strategies that do tricks, and `tame`."""
    folder = tmp_path_factory.mktemp("circus")
    extra = install_in(folder / "site", TRICKS, tricks="others:tricks")
    made = []
    for number, trick in enumerate(FATES):
        one = sample(number, before="a", old=trick, new="b", label="apply", target=(File("a.py", "ab"),))
        made += [one, replace(one, id=f"{one.id}-after", edits=(Edit("apply", "b"),))]
    write_jsonl(folder / "a.jsonl", made[:20])
    write_jsonl(folder / "b.jsonl", made[20:])
    both = ("run", "a.jsonl", "b.jsonl", "-q", "--timeout", "0.5")
    with_tricks = ("-s", "others/*", "-s", "cascade/exact")
    for arguments in (("-o", "one", "-j", 1), ("-o", "three", "-j", 3)):
        done = run_in(folder, *both, *with_tricks, *arguments, extra=extra)
        assert (done.returncode, done.stderr) == (0, f"run: {arguments[1]}\n")
    assert call_in(folder, *both, "-s", "cascade/exact", "-o", "tame").returncode == 0
    return folder


@pytest.mark.parametrize("trick", FATES)
def test_what_a_strategy_does_to_its_process_is_an_outcome(circus: Path, trick: str) -> None:
    sample_id = f"s{list(FATES).index(trick)}"
    found = [
        row for row in rows(circus / "one") if row["sample_id"] == sample_id and row["strategy"] == "others/tricks"
    ]
    verdict, error = FATES[trick]
    assert len(found) == 1
    assert (found[0]["verdict"], found[0]["error"]) == (verdict, error)


def test_whoever_comes_after_is_unharmed(circus: Path) -> None:
    after = [row for row in rows(circus / "one") if row["sample_id"].endswith("-after")]
    assert {row["verdict"] for row in after if row["strategy"] == "others/tricks"} == {"correct"}
    assert len(after) == 2 * len(FATES)
    others = [row for row in rows(circus / "one") if row["strategy"] == "cascade/exact"]
    assert others == rows(circus / "tame")


def test_crashes_and_hangs_are_the_same_for_any_number_of_jobs(circus: Path) -> None:
    assert_same(circus / "three", circus / "one")


@pytest.mark.skipif(sys.platform != "linux", reason="the worker is looked up in /proc")
@pytest.mark.parametrize(
    ("number", "verdict", "error"),
    [
        (signal.SIGKILL, "crashed", "the process ended with SIGKILL at its start"),
        pytest.param(signal.SIGSTOP, "timed_out", None, marks=pytest.mark.slow),
    ],
)
def test_a_command_that_kills_or_stops_the_worker_at_its_start_has_that_outcome_and_the_others_are_unharmed(
    tmp_path: Path, number: signal.Signals, verdict: str, error: str | None
) -> None:
    target = (File("a.py", "ab"),)
    write_jsonl(
        tmp_path / "a.jsonl", [sample(n, before="a", old="a", new="ab", label="apply", target=target) for n in range(6)]
    )
    (tmp_path / "hostile.py").write_text(TO_THE_WORKER)
    done = run_in(
        tmp_path, "run", "a.jsonl", "-q", "-o", "run", "-s", "replacer/simple",
        "-s", f"cmd:hostile={sys.executable} -S hostile.py {int(number)}", extra={"EDITGAUGE_START_TIMEOUT": "1"},
    )  # fmt: skip
    assert (done.returncode, done.stderr.splitlines()[-1]) == (0, "run: run")
    assert "warning: cmd/hostile was not measured: every call " in done.stderr
    found = rows(tmp_path / "run")
    assert [(one["verdict"], one["error"]) for one in found if one["strategy"] == "cmd/hostile"] == [
        (verdict, error)
    ] * 6
    assert [one["verdict"] for one in found if one["strategy"] == "replacer/simple"] == ["correct"] * 6
