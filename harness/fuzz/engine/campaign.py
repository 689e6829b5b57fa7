"""Fuzzing campaigns: run worker processes over several targets, and keep what they find that is not yet known."""

from __future__ import annotations

import importlib.util
import json
import os
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

from editcore.errors import check_installed
from harness.fuzz.engine.input_corpus import corpus_folder, seed_folders
from harness.fuzz.engine.known import kept_findings, known_keys
from harness.fuzz.engine.worker import WorkerJob
from harness.fuzz.finding import RAISES, SLOW, Finding, write_finding
from harness.fuzz.inputs import fields_in
from harness.fuzz.target import MEMORY, Target
from harness.scratch import scratch

_STATS = re.compile(rb"#(\d+)\s+\w+\s+cov: (\d+) ft: \d+ corp: (\d+)")
_DONE = re.compile(rb"(?:stat::number_of_executed_units:\s+|Done )(\d+)")
_NEW_EDGE = re.compile(rb"#\d+\s+NEW\s")
DEATHS = {77: "crash", 70: "timeout", 71: "oom"}
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


@dataclass(slots=True)
class Progress:
    """How far the fuzzing of one target has come; its result once it has ended."""

    target: str
    engine: str
    n_executions: int = 0
    n_edges: int | None = None
    """Edges of the code reached; None for engines that do not measure coverage."""
    n_inputs: int = 0
    """Inputs in the corpus."""
    cpu_s: float = 0.0
    """CPU time of fuzzing, start-up excluded."""
    seconds: float = 0.0
    """Wall time; 0 until it has ended."""
    new_edge_at: float = field(default_factory=monotonic)
    known: set[tuple[str, str, str]] = field(default_factory=set)
    """Keys of the known findings that occurred again."""
    found: list[Finding] = field(default_factory=list)
    """New findings."""
    failure: str | None = None
    """Why it could not be fuzzed."""
    floor: int = 0
    """Edges that a run of this length should reach."""

    @property
    def per_cpu_s(self) -> float | None:
        """Executions per second of CPU time."""
        return self.n_executions / self.cpu_s if self.cpu_s > 0 else None

    @property
    def is_below_floor(self) -> bool:
        """Whether coverage is below its floor after enough executions."""
        return self.n_edges is not None and self.n_edges < self.floor and self.n_executions > _MIN_EXECUTIONS

    @property
    def why_stuck(self) -> str | None:
        """Where coverage is below its floor, that it is."""
        return f"it reached {self.n_edges:,} of {self.floor:,} edges" if self.is_below_floor else None


@dataclass(frozen=True, slots=True)
class CampaignSettings:
    """How to fuzz, whatever the targets are."""

    engine: str | None = None
    """None: atheris where it is installed, else hypothesis."""
    seconds: float = 60.0
    """Time limit for each target."""
    runs: int | None = None
    """Most inputs for each target; None: no limit."""
    jobs: int = 1
    """Number of workers that run at the same time."""
    seed: int = 0
    folder: Path = Path("fuzz")
    """Where corpus/TARGET/ and findings/ are kept."""
    seeds: Path | None = None
    """A folder of more inputs to start from: TARGET/ in it, or its files."""


def chosen_engine(name: str | None) -> str:
    """The engine of that name, or the best one installed. Raises UsageError if it is not installed."""
    engine = name or ("atheris" if importlib.util.find_spec("atheris") else "hypothesis")
    module = "atheris" if engine == "bytes" else engine
    check_installed(module, extra="fuzz", needed_by=f"the engine {engine}")
    return engine


def run_campaign(
    targets: Sequence[Target], settings: CampaignSettings, report: Callable[[Sequence[Progress]], None]
) -> list[Progress]:
    """Fuzz targets, and return the result of each, in their order.

    What earlier campaigns found and did not report counts as found by this one. `report` gets the progress of every
    worker a few times a second, from this thread.
    """
    engine = chosen_engine(settings.engine)
    kept = kept_findings(settings.folder)
    # A single target gets all workers; several targets get one each.
    per_target = settings.jobs if len(targets) == 1 else 1
    all_progress = [Progress(target.name, engine, floor=target.floor) for target in targets for _ in range(per_target)]
    workers = [
        _Supervisor(
            target,
            replace(settings, engine=engine, seed=settings.seed + 1000 * number),
            all_progress[at * per_target + number],
            kept,
        )
        for at, target in enumerate(targets)
        for number in range(per_target)
    ]
    pool = ThreadPoolExecutor(max_workers=settings.jobs)
    futures = [pool.submit(worker.work) for worker in workers]
    try:
        while wait(futures, timeout=_REPORTED_EVERY_S).not_done:
            report(all_progress)
    finally:
        for worker in workers:
            worker.stop()
        pool.shutdown(cancel_futures=True)
    for future in futures:
        future.result()
    report(all_progress)
    return by_target(all_progress)


def by_target(all_progress: Sequence[Progress]) -> list[Progress]:
    """The progress of each target, from that of its workers, which share one corpus."""
    workers: dict[str, list[Progress]] = {}
    for one in all_progress:
        workers.setdefault(one.target, []).append(one)
    return [_combined(some) for some in workers.values()]


def _combined(workers: Sequence[Progress]) -> Progress:
    found: dict[tuple[str, str, str], Finding] = {}
    for one in workers:
        for finding in list(one.found):
            found.setdefault(finding.key, finding)
    return replace(
        workers[0],
        n_executions=sum([one.n_executions for one in workers]),
        cpu_s=sum([one.cpu_s for one in workers]),
        n_edges=max([one.n_edges for one in workers if one.n_edges], default=None),
        n_inputs=max([one.n_inputs for one in workers]),
        seconds=max([one.seconds for one in workers]) if all(one.seconds for one in workers) else 0.0,
        new_edge_at=max([one.new_edge_at for one in workers]),
        known=set().union(*[list(one.known) for one in workers]),
        found=list(found.values()),
        failure=next((one.failure for one in workers if one.failure), None),
    )


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


class _Supervisor:
    """Runs the worker process of one target, and starts another one when it dies of an input."""

    def __init__(
        self, target: Target, settings: CampaignSettings, progress: Progress, kept: tuple[list[Finding], list[Finding]]
    ) -> None:
        self._target, self._settings, self._progress = target, settings, progress
        known, untold = kept
        # What nobody was told of is new, and is not looked for again.
        progress.found += [one for one in untold if one.target == target.name]
        self._untold = {one.key for one in progress.found}
        self._known = known_keys(target.name, known) | self._untold
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._last: deque[bytes] = deque(maxlen=_LAST_LINES)
        self._lock = threading.Lock()
        self._started_cpu_s = 0.0
        self._before = 0

    def stop(self) -> None:
        """End the process, if one is running, and start no other."""
        self._stopped = True
        process = self._process
        if process is not None and process.poll() is None:
            _kill_group(process)

    def work(self) -> None:
        """Fuzz until the time or the number of inputs is used up."""
        started = monotonic()
        for _ in range(_MAX_DEATHS):
            left = self._settings.seconds - (monotonic() - started)
            runs = None if self._settings.runs is None else self._settings.runs - self._progress.n_executions
            if self._stopped or left < 0.5 or (runs is not None and runs <= 0):
                break
            # libFuzzer ends a process without cleaning up: what it wrote is removed with this folder.
            with scratch() as artifacts:
                code = self._run(self._job(left, runs, artifacts))
                if code == 0 or self._stopped:
                    break
                if not self._died(code, artifacts):
                    stderr = b" ".join(list(self._last)[-3:]).decode("utf-8", "replace")
                    self._progress.failure = f"the worker ended with {code}: {' '.join(stderr.split())[-300:]}"
                    break
        if not (self._progress.n_executions or self._progress.found or self._progress.failure or self._stopped):
            self._progress.failure = "no input was tried in that time"
        self._progress.seconds = monotonic() - started

    def _job(self, seconds: float, runs: int | None, artifacts: Path) -> WorkerJob:
        corpus = corpus_folder(self._settings.folder, self._target.name)
        corpus.mkdir(parents=True, exist_ok=True)
        return WorkerJob(
            self._target.name, self._settings.engine or "hypothesis", self._target.specs, seconds=seconds, runs=runs,
            seed=self._settings.seed, corpus=str(corpus), 
            seeds=seed_folders(self._target, artifacts, self._settings.seeds),
            artifacts=str(artifacts), known=tuple(sorted(self._known)),
            timeout_s=max(25, self._target.bound_ns * 5 // 1_000_000_000),
        )  # fmt: skip

    def _run(self, job: WorkerJob) -> int:
        """Run the job in a process, and return its exit code."""
        self._process = process = subprocess.Popen(
            job.command, env=job.environment, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        listener = threading.Thread(target=self._listen, args=(process.stderr,), daemon=True)
        listener.start()
        self._before, self._started_cpu_s = self._progress.n_executions, 0.0
        # Workers end by themselves; one that is stuck beyond any signal is killed.
        overdue = threading.Timer(job.seconds + job.timeout_s + _OVERDUE_S, _kill_group, (process,))
        overdue.daemon = True
        overdue.start()
        try:
            with process.stdout as stdout:
                for line in iter(partial(stdout.readline, _LINE_BYTES), b""):
                    self._take_event(line)
        finally:
            overdue.cancel()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        listener.join(5)
        self._progress.cpu_s += max(usage.ru_utime + usage.ru_stime - self._started_cpu_s, 0.0)
        return process.returncode

    def _listen(self, stderr: IO[bytes]) -> None:
        """Read libFuzzer's statistics."""
        progress = self._progress
        with stderr:
            for line in iter(partial(stderr.readline, _LINE_BYTES), b""):
                self._last.append(line)
                if stats := _STATS.search(line):
                    progress.n_executions = self._before + int(stats[1])
                    progress.n_edges = max(progress.n_edges or 0, int(stats[2]))
                    progress.n_inputs = int(stats[3])
                    if _NEW_EDGE.search(line):
                        progress.new_edge_at = monotonic()
                elif done := _DONE.search(line):
                    progress.n_executions = self._before + int(done[1])

    def _take_event(self, line: bytes) -> None:
        """Read one event of the worker."""
        try:
            event = json.loads(line)
        except ValueError:
            return
        if "started" in event:
            self._started_cpu_s = event["started"]
        elif "executions" in event:
            self._progress.n_executions = self._before + event["executions"]
        elif "known" in event and tuple(event["known"]) not in self._untold:
            self._progress.known.add(tuple(event["known"]))
        elif "finding" in event:
            raw = event["finding"]
            self._keep(Finding(**{**raw, "fields": tuple(raw["fields"]), "id": ""}))  # The id names files.

    def _keep(self, finding: Finding) -> None:
        with self._lock:
            if finding.key in self._known:
                return
            self._known.add(finding.key)
            self._progress.found.append(finding)
        write_finding(finding, self._settings.folder / "findings")

    def _died(self, code: int, artifacts: Path) -> bool:
        """Keep the input that the process died of, as a finding; return whether there was one."""
        how = DEATHS.get(code, f"signal {-code}" if code < 0 else "")
        inputs = [path for path in artifacts.iterdir() if path.name.startswith(("crash-", "timeout-", "oom-"))]
        if not how or not inputs:
            return False
        data = max(inputs, key=lambda path: path.stat().st_mtime).read_bytes()
        named = {"timeout": SLOW, "oom": MEMORY}.get(how, RAISES)
        detail = {"timeout": "did not end", "oom": "uses more memory than is allowed"}.get(how, f"died: {how}")
        self._keep(Finding(self._target.name, named, how, detail, fields_in(data), self._target.format))
        return True
