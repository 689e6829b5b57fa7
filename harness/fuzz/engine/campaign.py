"""Fuzzing campaigns: run worker processes over several targets, and keep what they find that is not yet known."""

from __future__ import annotations

import importlib.util
import os
import pickle
import re
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import IO

from editcore.errors import UsageError, check_installed
from harness.fuzz.engine.known import kept_findings, known_keys
from harness.fuzz.engine.observer import HANGS, Counted, Event, Met, input_of, together
from harness.fuzz.engine.worker import COMMAND, CampaignSettings, WorkerJob, process_for
from harness.fuzz.finding import RAISES, SLOW, Finding, Key, write_finding
from harness.fuzz.inputs import bytes_of, shipped_seeds, slug
from harness.fuzz.target import MEMORY, Target
from harness.scratch import scratch

_STATS = re.compile(rb"#\d+\s+(\w+) +(?:cov: (\d+) )?.*?corp: (\d+)")
"""libFuzzer's statistics. It leaves coverage out while that is zero."""
DEATHS = {77: "crash", 71: "oom", HANGS: "timeout"}
_OF_DEATH = {"timeout": (SLOW, "did not end"), "oom": (MEMORY, "uses more memory than is allowed")}
_MAX_DEATHS = 5
"""A target is given up after its inputs have killed this many workers."""
_MIN_EXECUTIONS = 20_000
"""Executions after which coverage below the floor is reported."""
_LAST_LINES = 20
_REPORTED_EVERY_S = 0.2
_OVERDUE_S = 120.0
"""How long past its time and the limit of an input a worker may run before it is killed."""
_LINE_BYTES = 16 << 20
"""The most bytes that are read as one line of a worker."""
_LEAST_S = 0.5
"""No worker is started for less time."""


@dataclass(slots=True)
class Progress:
    """How far the fuzzing of one target has come; its result once it has ended. Its workers share it."""

    target: str
    engine: str
    floor: int = 0
    """Edges that a run of this length should reach."""
    n_workers: int = 1
    counted: dict[object, Counted] = field(default_factory=dict)
    """Process of a worker -> how far it has come."""
    n_edges: int | None = None
    """Edges of the code reached; None for engines that do not measure coverage."""
    n_inputs: int = 0
    """Inputs in the corpus."""
    took: list[float] = field(default_factory=list)
    """Wall time of each worker that has ended, in seconds."""
    new_edge_at: float = field(default_factory=monotonic)
    keys: set[Key] = field(default_factory=set)
    """Keys of the findings that are not looked for again."""
    known: set[Key] = field(default_factory=set)
    """Keys of the known findings that occurred again."""
    found: list[Finding] = field(default_factory=list)
    """New findings."""
    failure: str | None = None
    """Why it could not be fuzzed."""

    @property
    def total(self) -> Counted:
        """How far all workers have come together."""
        return together(list(self.counted.values()))

    @property
    def seconds(self) -> float:
        """Wall time; 0 until it has ended."""
        return max(self.took) if len(self.took) == self.n_workers else 0.0

    @property
    def per_s(self) -> float | None:
        """Executions per second of fuzzing, of all workers together."""
        total = self.total
        return total.n_executions / total.fuzzing_s * self.n_workers if total.fuzzing_s > 0 else None

    @property
    def start_s(self) -> float:
        """Seconds until the first input and after the last one; 0 until it has ended."""
        return max(self.seconds * self.n_workers - self.total.fuzzing_s - self.total.shrinking_s, 0.0)

    @property
    def is_below_floor(self) -> bool:
        """True if coverage is below its floor after enough executions."""
        return self.n_edges is not None and self.n_edges < self.floor and self.total.n_executions > _MIN_EXECUTIONS

    @property
    def why_stuck(self) -> str | None:
        """Where coverage is below its floor, that it is."""
        return f"it reached {self.n_edges:,} of {self.floor:,} edges" if self.is_below_floor else None


def chosen_engine(name: str | None) -> str:
    """The engine of that name, or the best one installed. Raises UsageError if it is not installed."""
    engine = name or ("atheris" if importlib.util.find_spec("atheris") else "hypothesis")
    for module in dict.fromkeys((engine, "hypothesis")):  # Hypothesis shrinks what either of them finds.
        check_installed(module, extra="fuzz", needed_by=f"the engine {engine}")
    return engine


class Campaign:
    """The fuzzing of some targets. Its results are there at any time, also after an interrupt."""

    def __init__(self, targets: Sequence[Target], settings: CampaignSettings) -> None:
        """What earlier campaigns found and did not report counts as found by this one."""
        engine = chosen_engine(settings.engine)
        known, untold = kept_findings(settings.folder)
        self.results = list[Progress]()
        """The result of each target, in their order."""
        self._workers = list[_Supervisor]()
        self._jobs = settings.jobs
        for target in targets:
            # A single target gets all workers; several targets get one each. Coverage of our own code says nothing
            # about a program's.
            progress = Progress(
                target.name, "hypothesis" if target.runs_elsewhere else engine, target.floor,
                settings.jobs if len(targets) == 1 else 1,
            )  # fmt: skip
            progress.found += [one for one in untold if one.target == target.name]
            progress.keys |= known_keys(target.name, (*known, *untold))
            self.results.append(progress)
            seeds = [settings.seed + 1000 * number for number in range(progress.n_workers)]
            self._workers += [_Supervisor(target, replace(settings, seed=seed), progress) for seed in seeds]

    def run(self, report: Callable[[Sequence[Progress]], None]) -> None:
        """Fuzz the targets. `report` gets the progress of every target a few times a second, from this thread."""
        pool = ThreadPoolExecutor(max_workers=self._jobs)
        futures = [pool.submit(worker.work) for worker in self._workers]
        try:
            while wait(futures, timeout=_REPORTED_EVERY_S).not_done:
                report(self.results)
        finally:
            for worker in self._workers:
                worker.stop()
            pool.shutdown(cancel_futures=True)
        for future in futures:
            future.result()
        report(self.results)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


class _Supervisor:
    """Runs the worker process of one target, and starts another one when it dies of an input."""

    def __init__(self, target: Target, settings: CampaignSettings, progress: Progress) -> None:
        self._target, self._settings, self._progress = target, settings, progress
        self._untold = {one.key for one in progress.found}
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._last: deque[bytes] = deque(maxlen=_LAST_LINES)
        self._processes = list[object]()
        """All processes that this worker has started."""

    def stop(self) -> None:
        """End the process, if one is running, and start no other."""
        self._stopped = True
        process = self._process
        if process is not None and process.poll() is None:
            _kill_group(process)

    def work(self) -> None:
        """Fuzz until the time or the number of inputs is used up."""
        progress, started = self._progress, monotonic()
        for n_deaths in range(_MAX_DEATHS):
            done = together([progress.counted[one] for one in self._processes if one in progress.counted])
            left = self._settings.seconds - done.fuzzing_s
            runs = None if self._settings.runs is None else self._settings.runs - done.n_executions
            if self._stopped or left < min(_LEAST_S, self._settings.seconds) or (runs is not None and runs <= 0):
                break
            # libFuzzer ends a process without cleaning up: what it wrote is removed with this folder.
            with scratch() as artifacts:
                code = self._run(self._job(left, runs, artifacts, n_deaths))
                if code == 0 or self._stopped:
                    break
                if not self._died(code, artifacts):
                    stderr = b" ".join(list(self._last)[-3:]).decode("utf-8", "replace")
                    progress.failure = f"the worker ended with {code}: {' '.join(stderr.split())[-300:]}"
                    break
        if not (progress.counted or progress.found or progress.failure or self._stopped):
            progress.failure = "no input was tried in that time"
        progress.took.append(monotonic() - started)

    def _job(self, seconds: float, runs: int | None, artifacts: Path, n_deaths: int) -> WorkerJob:
        corpus = corpus_folder(self._settings.folder, self._target.name)
        corpus.mkdir(parents=True, exist_ok=True)
        least_s = 10 if self._target.runs_elsewhere else 25
        return WorkerJob(
            self._target.name, self._progress.engine, self._target.specs, seconds=seconds, runs=runs,
            seed=self._settings.seed + n_deaths, corpus=str(corpus),
            # Whoever died of an input is not to meet it again.
            seeds=() if n_deaths else seed_folders(self._target, artifacts, self._settings.seeds),
            artifacts=str(artifacts), known=tuple(sorted(self._progress.keys)),
            timeout_s=max(least_s, self._target.bound_ns * 5 // 1_000_000_000),
        )  # fmt: skip

    def _run(self, job: WorkerJob) -> int:
        """Run the job in a process, and return its exit code."""
        self._process = process = process_for(job)
        assert process.stdin
        assert process.stdout
        listener = threading.Thread(target=self._listen, args=(process.stderr,), daemon=True)
        listener.start()
        self._processes.append(process)
        # Workers end by themselves; one that is stuck beyond any signal is killed.
        overdue = threading.Timer(job.seconds + job.timeout_s + _OVERDUE_S, _kill_group, (process,))
        overdue.daemon = True
        overdue.start()
        try:
            with suppress(BrokenPipeError), process.stdin:
                pickle.dump(job, process.stdin)
            with process.stdout, suppress(EOFError, pickle.UnpicklingError):  # It was killed in the middle of one.
                while True:
                    self._take(pickle.load(process.stdout))
        finally:
            overdue.cancel()
        process.wait()
        listener.join(5)
        return process.returncode

    def _listen(self, stderr: IO[bytes]) -> None:
        """Read libFuzzer's statistics."""
        progress = self._progress
        with stderr:
            for line in iter(partial(stderr.readline, _LINE_BYTES), b""):
                self._last.append(line)
                if progress.engine == "atheris" and (stats := _STATS.search(line)):
                    progress.n_edges = max(progress.n_edges or 0, int(stats[2] or 0))
                    progress.n_inputs = int(stats[3])
                    if stats[1] == b"NEW":
                        progress.new_edge_at = monotonic()

    def _take(self, event: Event) -> None:
        """Take one event of the running process."""
        progress = self._progress
        if isinstance(event, Counted):
            progress.counted[self._process] = event
        elif isinstance(event, Finding):
            self._keep(event)
        elif isinstance(event, Met) and event.key not in self._untold:
            progress.known.add(event.key)

    def _keep(self, finding: Finding) -> None:
        if finding.key not in self._progress.keys:
            self._progress.keys.add(finding.key)
            self._progress.found.append(finding)
            write_finding(finding, self._settings.folder / "findings")

    def _died(self, code: int, artifacts: Path) -> bool:
        """Keep the input that the process died of, as a finding; return True if there was one."""
        how = DEATHS.get(code, f"signal {-code}" if code < 0 else "")
        inputs = [path for path in artifacts.iterdir() if path.name.startswith(("crash-", "timeout-", "oom-"))]
        if how and inputs:
            data = max(inputs, key=lambda path: path.stat().st_mtime).read_bytes()
            broken, detail = _OF_DEATH.get(how, (RAISES, f"died: {how}"))
            fields = input_of(self._target, data)
            self._keep(Finding(self._target.name, broken, how, detail, fields, self._target.format))
        return bool(how and inputs) or code == HANGS  # A worker that hangs has emitted its finding.


# The inputs of a target on the disk: the seeds that it starts from, the corpus that grows, and its coverage


def seed_folders(target: Target, scratch: Path, more: Path | None = None) -> tuple[str, ...]:
    """The folders with the inputs that a target starts from, one input a file, as libFuzzer reads them.

    The seeds that ship, for the target and for its format, are written to `scratch`. `more` is a folder of the user's:
    its subfolder for the target if there is one, else the folder itself.
    """
    folders = []
    if seeds := {**shipped_seeds(target.name), **shipped_seeds(target.format or target.name)}:
        folders.append(scratch / "seeds")
        folders[0].mkdir()
        for name, fields in seeds.items():
            (folders[0] / name).write_bytes(bytes_of(fields))
    if more is not None:
        below = more / slug(target.name)
        folders.append(below if below.is_dir() else more)
    return tuple(str(one) for one in folders)


def corpus_folder(folder: Path, target: str) -> Path:
    """The folder with the inputs of a target that reached something new."""
    return folder / "corpus" / slug(target)


def write_coverage(target: Target, folder: Path, html: Path) -> str:
    """Run a target on its seeds and its corpus, write the pages to `html`, and return a line with the coverage."""
    check_installed("coverage", extra="fuzz", needed_by="the coverage of a corpus")
    corpus = corpus_folder(folder, target.name)
    with scratch() as name:
        seeds = (*([str(corpus)] if corpus.is_dir() else []), *seed_folders(target, name))
        job = WorkerJob(target.name, "coverage", target.specs, corpus=str(html), seeds=seeds, artifacts=str(name))
        done = subprocess.run(COMMAND, input=pickle.dumps(job), env=job.environment, capture_output=True, check=False)
    stderr = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode:
        raise UsageError(
            f"The coverage of {target.name} cannot be measured: {' '.join(stderr.split())[-300:]}",
            "Try with another -o, then remove the newest inputs.",
        )
    return stderr.rpartition("\n")[2]
