"""Runs on a dask cluster of real processes: a scheduler, a worker with a nanny and one without."""

from __future__ import annotations

import json
import pickle
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

from corpora.load import load, segments
from editcore import __version__
from editcore.errors import UsageError
from editcore.types import Edit, File
from harness.run.job import Job, JobResult
from reports.runs.parts import outcomes, parts_done
from reports.runs.remote import Remote
from tests.harness.program import environment, install_in, run_in, start_in
from tests.harness.same import assert_same, rows
from tests.processes import eventually
from tests.samples import sample, samples, write_jsonl

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("distributed") is None, reason="distributed is not installed"),
]

OTHERS = '''
import os, signal, time
from editcore.cascade import CASCADES
from editcore.types import Applied
from harness.strategies.rule_strategies import apply_pairs

def slow(sample):
    """The reference cascade, taking its time."""
    time.sleep(float(os.environ.get("SLOW", "0.005")))
    return apply_pairs(CASCADES["reference"], sample, None)

def tricks(sample):
    """Do what the find says."""
    return globals()["do_" + sample.edits[0].old_string](sample)

def do_apply(sample):
    print("to stdout", flush=True)
    return Applied(sample.before[0].content + sample.edits[0].new_string)

def do_die(sample):
    os._exit(3)

def do_kill(sample):
    os.kill(os.getpid(), signal.SIGKILL)

def do_loop(sample):
    while True:
        pass

def do_deafen(sample):
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    time.sleep(600)
'''
FATES = {
    "apply": ("correct", None), "die": ("crashed", "the process ended with exit code 3"),
    "kill": ("crashed", "the process ended with SIGKILL"), "loop": ("timed_out", None), "deafen": ("timed_out", None),
}  # fmt: skip


class Cluster:
    """A scheduler and two workers, as processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.extra = install_in(folder / "site", OTHERS, slow="others:slow", tricks="others:tricks")
        self._file = folder / "scheduler.json"
        self._processes: list[subprocess.Popen[bytes]] = []
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0")
        self.watched = self._start("worker", "--nthreads", "1", "--nanny")
        self.bare = self._start("worker", "--nthreads", "1", "--no-nanny")
        eventually(self._is_told)
        self.address = json.loads(self._file.read_text())["address"]

    def _is_told(self) -> bool:
        """True if the scheduler has written the whole of its file."""
        with suppress(OSError, ValueError):
            return "address" in json.loads(self._file.read_text())
        return False

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard", "--scheduler-file", str(self._file)]
        log = (self.folder / f"{len(self._processes)}.log").open("wb")
        with log:
            process = subprocess.Popen(command, env=environment(self.extra), cwd=self.folder, stdout=log, stderr=log)
        self._processes.append(process)
        return process

    def run(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        return run_in(self.folder, "run", *arguments, "-q", "--scheduler", self.address, extra=self.extra)

    def end(self) -> None:
        family = [psutil.Process(one.pid) for one in self._processes if one.poll() is None]
        family += [child for one in family for child in one.children(recursive=True)]
        for process in family:
            if process.is_running():
                process.kill()
        for one in self._processes:
            one.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    yield made
    made.end()


def test_what_a_strategy_does_to_its_process_is_an_outcome_on_a_cluster_too(cluster: Cluster) -> None:
    made = []
    for number, trick in enumerate(FATES):
        one = sample(number, before="a", old=trick, new="b", label="apply", target=(File("a.py", "ab"),))
        made += [one, replace(one, id=f"{one.id}-after", edits=(Edit("apply", "b"),))]
    write_jsonl(cluster.folder / "1.jsonl", made[:5])
    write_jsonl(cluster.folder / "2.jsonl", made[5:])
    asked = ("1.jsonl", "2.jsonl", "-s", "others/tricks", "-s", "cascade/exact", "--timeout", "0.5")
    url = (cluster.folder / "tricks").as_uri()
    done = cluster.run(*asked, "-o", url)
    assert (done.returncode, done.stderr) == (0, f"run: {url}\n")
    found = {row["sample_id"]: row for row in rows(cluster.folder / "tricks") if row["strategy"] == "others/tricks"}
    assert {
        trick: (found[f"s{number}"]["verdict"], found[f"s{number}"]["error"]) for number, trick in enumerate(FATES)
    } == FATES
    assert {row["verdict"] for sample_id, row in found.items() if sample_id.endswith("-after")} == {"correct"}


def test_mistakes_are_told_as_on_one_machine(cluster: Cluster) -> None:
    (cluster.folder / "bad.jsonl").write_text('{"id": "x"}')
    done = cluster.run("bad.jsonl", "-s", "cascade/exact", "-o", "bad")
    assert done.returncode == 2
    assert "bad.jsonl, line 1: " in done.stderr
    assert len(done.stderr.splitlines()) == 2
    assert "exclude each other" in cluster.run("smoke", "-j", 2).stderr


def test_a_cluster_that_is_not_there_is_the_users_mistake(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        extra = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "300ms"}
        done = run_in(tmp_path, "run", "smoke", "-s", "cascade/exact", "--scheduler", address, extra=extra)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: No scheduler at {address}: ")
    assert len(done.stderr.splitlines()) == 2


def test_a_worker_that_is_killed_in_the_middle_changes_nothing(cluster: Cluster) -> None:
    """The last of these tests: it leaves the cluster one worker."""
    folder = cluster.folder
    (folder / "corpus").mkdir()
    smoke = [one for one in load("smoke") if one.edits]
    for number in range(24):
        samples = [replace(one, id=f"{number:02}-{one.id}") for one in smoke[number % 5 :: 2]]
        write_jsonl(folder / "corpus" / f"{number:02}.jsonl", samples)
    asked = ("run", "corpus", "-s", "others/slow", "-s", "replacer/line_trimmed", "-q")
    assert run_in(folder, *asked, "-o", "local", extra=cluster.extra | {"SLOW": "0"}).returncode == 0

    process = start_in(folder, *asked, "--scheduler", cluster.address, "-o", "run", extra=cluster.extra)
    worker = psutil.Process(cluster.bare.pid)

    def n_parts() -> int:
        return len(list((folder / "run").glob("outcomes/part-*")))

    eventually(lambda: n_parts() >= 3 and list((folder / "run").glob("outcomes/.part-*")))
    stations = worker.children(recursive=True)
    assert stations
    worker.kill()
    n_at_that_moment = n_parts()
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (0, "run: run\n")
    assert "others/slow" in stdout
    assert n_at_that_moment < 24
    assert_same(folder / "run", folder / "local")
    _, alive = psutil.wait_procs(stations, timeout=10)
    assert not alive


Question = tuple[Job, Sequence[tuple[str, str]]]


def answers(*questions: Question) -> list[JobResult | UsageError]:
    """What a station, which is started for it, answers."""
    asked = b"".join(map(pickle.dumps, questions))
    command = [sys.executable, "-m", "harness.run.cluster"]
    done = subprocess.run(command, input=asked, env=environment(), capture_output=True, check=True)
    assert not done.stderr
    at, found = 0, []
    for _ in questions:
        found.append(pickle.loads(done.stdout[at:]))
        at += len(pickle.dumps(found[-1]))
    return found


@pytest.fixture
def job(tmp_path: Path) -> Job:
    (only,) = segments(write_jsonl(tmp_path / "a.jsonl", samples(5)))
    return Job(only, tmp_path / "run", 5.0, skip_bad=False)


SPECS = [("cascade/exact", __version__)]


def test_a_job_server_runs_one_job_after_the_other_until_its_pipe_is_closed(job: Job) -> None:
    job.folder.mkdir()
    first, second = answers((job, SPECS), (job, SPECS))
    assert isinstance(first, JobResult)
    assert isinstance(second, JobResult)
    assert (first.part, first.n_samples, first.fingerprint) == (second.part, second.n_samples, second.fingerprint)
    assert len(list(outcomes(job.folder))) == 5


def test_a_part_that_is_kept_at_a_url_is_put_there(job: Job, tmp_path: Path) -> None:
    kept = Job(job.segment, Path("nowhere"), 5.0, skip_bad=False, remote=Remote((tmp_path / "kept").as_uri()))
    (done,) = answers((kept, SPECS))
    assert isinstance(done, JobResult)
    assert parts_done(tmp_path / "kept") == {done.part}
    assert not job.folder.exists()


@pytest.mark.parametrize(
    ("specs", "what"),
    [
        ([("cascade/exact", "0.0")], f"A worker has cascade/exact in version {__version__}, not 0.0"),
        ([("others/missing", "1")], "There is no strategy 'others/missing'"),
    ],
)
def test_other_versions_and_missing_strategies_are_told(job: Job, specs: list[tuple[str, str]], what: str) -> None:
    (answer,) = answers((job, specs))
    assert isinstance(answer, UsageError)
    assert answer.message == what
