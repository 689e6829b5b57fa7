"""Runs workers over targets, and keeps what they find: known findings apart from new ones."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import IO

from editcore.errors import UsageError
from harness.fuzz.engine.finding import RAISES, SLOW, Finding, write_finding
from harness.fuzz.engine.input_corpus import corpus_folder, seed_folders
from harness.fuzz.engine.inputs import fields_in
from harness.fuzz.engine.known import known_keys
from harness.fuzz.engine.scratch import scratch
from harness.fuzz.engine.target import Target
from harness.fuzz.engine.worker import Order

MEMORY = "within_its_memory"

_STATS = re.compile(rb"#(\d+)\s+\w+\s+cov: (\d+) ft: \d+ corp: (\d+)")
_DONE = re.compile(rb"(?:stat::number_of_executed_units:\s+|Done )(\d+)")
_NEW_EDGE = re.compile(rb"#\d+\s+NEW\s")
DEATHS = {77: "crash", 70: "timeout", 71: "oom"}
_MOST_DEATHS = 5
"""A target that has killed so many workers is given up."""
_ENOUGH_TO_TELL = 20_000
"""Executions after which a target that has not passed its floor is stuck."""
_LAST_LINES = 20
_REPORTED_EVERY_S = 0.2


@dataclass(slots=True)
class Progress:
    """How far a target is."""

    target: str
    engine: str
    n_executions: int = 0
    n_edges: int | None = None
    """Edges reached; None for engines that do not watch."""
    n_inputs: int = 0
    """Inputs in the corpus."""
    cpu_s: float = 0.0
    """CPU time of fuzzing, without starting."""
    seconds: float = 0.0
    new_edge_at: float = field(default_factory=monotonic)
    known: set[tuple[str, str, str]] = field(default_factory=set)
    """Keys of known findings that were met again."""
    found: list[Finding] = field(default_factory=list)
    """New ones."""
    failure: str | None = None
    """Why it could not be fuzzed."""
    floor: int = 0

    @property
    def per_cpu_s(self) -> float | None:
        """Executions per second of CPU time."""
        return self.n_executions / self.cpu_s if self.cpu_s > 0 else None

    @property
    def is_stuck(self) -> bool:
        """Whether it ran for long and has not got past the door."""
        return self.n_edges is not None and self.n_edges < self.floor and self.n_executions > _ENOUGH_TO_TELL


@dataclass(frozen=True, slots=True)
class Plan:
    """How targets are to be fuzzed."""

    engine: str | None = None
    """None: atheris where it is installed, else hypothesis."""
    seconds: float = 60.0
    """For each target."""
    runs: int | None = None
    jobs: int = 1
    """Workers at a time."""
    seed: int = 0
    folder: Path = Path("fuzz")
    """Gets corpus/TARGET and findings."""
    seeds: Path | None = None
    """More inputs to begin with: TARGET/ in it, or files."""


def chosen_engine(name: str | None) -> str:
    """The engine by that name, or the best there is. Raises UsageError where it is not installed."""
    engine = name or ("atheris" if importlib.util.find_spec("atheris") else "hypothesis")
    module = "atheris" if engine == "bytes" else engine
    if importlib.util.find_spec(module) is None:
        raise UsageError(f"The engine {engine} is not installed", f"pip install 'editgauge[fuzz]', or {module} itself.")
    return engine


def fuzz(targets: Sequence[Target], plan: Plan, report: Callable[[Sequence[Progress]], None]) -> list[Progress]:
    """Fuzz targets, each for its time; what became of each. `report` is told now and then, from this thread."""
    engine = chosen_engine(plan.engine)
    # One target alone may have several workers; several have one each.
    per_target = plan.jobs if len(targets) == 1 else 1
    all_progress = [Progress(target.name, engine, floor=target.floor) for target in targets for _ in range(per_target)]
    workers = [
        Worker(
            target, replace(plan, engine=engine, seed=plan.seed + 1000 * number), all_progress[at * per_target + number]
        )
        for at, target in enumerate(targets)
        for number in range(per_target)
    ]
    pool = ThreadPoolExecutor(max_workers=plan.jobs)
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
    return _joined(all_progress)


def _joined(all_progress: Sequence[Progress]) -> list[Progress]:
    """The workers of one target as one."""
    joined: dict[str, Progress] = {}
    for one in all_progress:
        if (first := joined.setdefault(one.target, one)) is one:
            continue
        first.n_executions += one.n_executions
        first.cpu_s += one.cpu_s
        first.n_edges = max(filter(None, (first.n_edges, one.n_edges)), default=None)
        first.n_inputs = max(first.n_inputs, one.n_inputs)
        first.seconds = max(first.seconds, one.seconds)
        first.known |= one.known
        seen = {finding.key for finding in first.found}
        first.found += [finding for finding in one.found if finding.key not in seen]
        first.failure = first.failure or one.failure
    return list(joined.values())


class Worker:
    """Has one target fuzzed by a process, and by another one where that one dies of an input."""

    def __init__(self, target: Target, plan: Plan, progress: Progress) -> None:
        self._target, self._plan, self._progress = target, plan, progress
        self._known = known_keys(target.name, plan.folder / "findings")
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._last: deque[bytes] = deque(maxlen=_LAST_LINES)
        self._lock = threading.Lock()
        self._started_cpu_s = 0.0
        self._before = 0

    def stop(self) -> None:
        """End the process, if there is one, and start no other."""
        self._stopped = True
        process = self._process
        if process is not None and process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    def work(self) -> None:
        """Fuzz until the time is over."""
        started = monotonic()
        for _ in range(_MOST_DEATHS):
            left = self._plan.seconds - (monotonic() - started)
            runs = None if self._plan.runs is None else self._plan.runs - self._progress.n_executions
            if self._stopped or left < 0.5 or (runs is not None and runs <= 0):
                break
            # libFuzzer ends a process without its last words: what it wrote goes with this folder.
            with scratch() as artifacts:
                code = self._run(self._order(left, runs, artifacts))
                if code == 0 or self._stopped:
                    break
                if not self._died(code, artifacts):
                    said = b" ".join(list(self._last)[-3:]).decode("utf-8", "replace").strip()
                    self._progress.failure = f"the worker ended with {code}: {' '.join(said.split())[-300:]}"
                    break
        self._progress.seconds = monotonic() - started

    def _order(self, seconds: float, runs: int | None, artifacts: Path) -> Order:
        corpus = corpus_folder(self._plan.folder, self._target.name)
        corpus.mkdir(parents=True, exist_ok=True)
        return Order(
            self._target.name, self._plan.engine or "hypothesis", self._target.specs, seconds=seconds, runs=runs,
            seed=self._plan.seed, corpus=str(corpus), seeds=seed_folders(self._target, artifacts, self._plan.seeds),
            artifacts=str(artifacts), known=tuple(sorted(self._known)),
            timeout_s=max(25, self._target.bound_ns * 5 // 1_000_000_000),
        )  # fmt: skip

    def _run(self, order: Order) -> int:
        """Have a process do it; how it ended."""
        self._process = process = subprocess.Popen(
            order.command, env=order.environment, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        listener = threading.Thread(target=self._listen, args=(process.stderr,), daemon=True)
        listener.start()
        self._before, self._started_cpu_s = self._progress.n_executions, 0.0
        for line in process.stdout:
            self._take(line)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        listener.join(5)
        self._progress.cpu_s += max(usage.ru_utime + usage.ru_stime - self._started_cpu_s, 0.0)
        return process.returncode

    def _listen(self, stderr: IO[bytes]) -> None:
        """Read what libFuzzer says of itself."""
        progress = self._progress
        for line in stderr:
            self._last.append(line)
            if stats := _STATS.search(line):
                progress.n_executions = self._before + int(stats[1])
                progress.n_edges = max(progress.n_edges or 0, int(stats[2]))
                progress.n_inputs = int(stats[3])
                if _NEW_EDGE.search(line):
                    progress.new_edge_at = monotonic()
            elif done := _DONE.search(line):
                progress.n_executions = self._before + int(done[1])

    def _take(self, line: bytes) -> None:
        """Read what the worker tells."""
        try:
            event = json.loads(line)
        except ValueError:
            return
        if "started" in event:
            self._started_cpu_s = event["started"]
        elif "executions" in event:
            self._progress.n_executions = self._before + event["executions"]
        elif "known" in event:
            self._progress.known.add(tuple(event["known"]))
        elif "finding" in event:
            raw = event["finding"]
            self._keep(Finding(**{**raw, "fields": tuple(raw["fields"])}))

    def _keep(self, finding: Finding) -> None:
        with self._lock:
            if finding.key in self._known:
                return
            self._known.add(finding.key)
            self._progress.found.append(finding)
        write_finding(finding, self._plan.folder / "findings")

    def _died(self, code: int, artifacts: Path) -> bool:
        """Keep the input that a process died of; whether there was one."""
        how = DEATHS.get(code, f"signal {-code}" if code < 0 else "")
        inputs = [path for path in artifacts.iterdir() if path.name.startswith(("crash-", "timeout-", "oom-"))]
        if not how or not inputs:
            return False
        data = max(inputs, key=lambda path: path.stat().st_mtime).read_bytes()
        named = {"timeout": SLOW, "oom": MEMORY}.get(how, RAISES)
        detail = {"timeout": "did not come to an end", "oom": "takes more memory than it may"}.get(how, f"died: {how}")
        self._keep(Finding(self._target.name, named, how, detail, fields_in(data), self._target.format))
        return True


def merge(target: Target, folder: Path) -> tuple[int, int]:
    """Keep of a target's corpus those few inputs that reach all it reaches; how many there were, and are."""
    corpus = corpus_folder(folder, target.name)
    before = len(list(corpus.glob("*"))) if corpus.is_dir() else 0
    if not before:
        raise UsageError(f"There is no corpus of {target.name} in {folder}", "Fuzz it first, with the same -o.")
    with scratch() as name:
        small = name / "small"
        small.mkdir()
        order = Order(target.name, "merge", target.specs, corpus=str(small), seeds=(str(corpus),), artifacts=str(name))
        ran = subprocess.run(order.command, env=order.environment, capture_output=True, check=False)
        kept = list(small.iterdir())
        if ran.returncode or not kept:
            said = " ".join(ran.stderr.decode("utf-8", "replace").split())[-300:]
            raise UsageError(f"Merging {target.name} failed: {said}", "Try it again without the newest inputs.")
        for path in corpus.iterdir():
            path.unlink()
        for path in kept:
            shutil.copy(path, corpus / path.name)
    return before, len(kept)
