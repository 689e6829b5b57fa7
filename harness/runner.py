"""A run: corpora x strategies -> the run folder. The same outcomes for any number of jobs, order or interruption."""

from __future__ import annotations

import datetime
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter_ns

import xxhash

from corpora.load import Shard, shards
from corpora.sample import SampleError, combined
from editcore.errors import UsageError
from harness.pool import run_tasks
from harness.selection import Selection
from harness.shard import SPOOL, Done, Task
from harness.strategy import Strategy
from reports.runs import (
    CorpusUsed,
    Manifest,
    StrategyUsed,
    part_metadata,
    parts_done,
    read_manifest,
    write_manifest,
)

RUNS = Path("runs")


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be run, and how."""

    corpora: Sequence[str]
    strategies: Sequence[Strategy]
    folder: Path | None = None
    """The run folder; None makes one under `runs/`."""
    selection: Selection = field(default_factory=Selection)
    n_jobs: int | None = None
    """None is as many as the machine has cores."""
    timeout_s: float = 5.0
    skip_bad: bool = False
    resume: bool = False
    replace: bool = False
    """Throw away the run that the folder holds."""
    argv: Sequence[str] = ()


class Interrupted(KeyboardInterrupt):
    """The run was interrupted; what is done is kept, and the message says how to go on."""


Report = Callable[[int, int], None]
"""Takes how many samples are done, and how many there are."""


def run(request: Request, *, report: Report = lambda *_: None, warn: Callable[[str], None] = lambda _: None) -> Path:
    """Run and return the folder. Raises UsageError; KeyboardInterrupt becomes Interrupted, which can be resumed."""
    started = perf_counter_ns()
    tasks, corpora_used = _tasks(request, warn)
    plan = _plan(request, tasks)
    folder = request.folder or RUNS / f"{_now():%Y-%m-%dT%H%M%SZ}-{plan[:6]}"
    if request.replace:
        _discard(folder)
    manifest = _opened(folder, request, corpora_used, plan, len(tasks))
    done = parts_done(folder)
    left = [replace(task, folder=folder) for task in tasks if task.shard.name not in done]
    watch = _Watch(tasks, left, report, warn)
    # The largest first, so that no worker is left alone with a large one at the end.
    left.sort(key=lambda task: -_size(task))
    try:
        if left:
            specs = [strategy.spec for strategy in request.strategies]
            run_tasks(left, specs, request.n_jobs or os.cpu_count() or 1, watch.done)
    except KeyboardInterrupt:
        raise Interrupted(f"go on with --resume -o {folder} and the same arguments") from None
    finally:
        manifest = replace(manifest, wall_ns=manifest.wall_ns + perf_counter_ns() - started)
        write_manifest(folder, manifest)
    _sweep(folder)
    write_manifest(folder, _closed(folder, manifest, tasks))
    return folder


def _discard(folder: Path) -> None:
    """Remove a run folder, if there is one. Raises UsageError for a folder that is something else."""
    if folder.exists():
        if not (folder / "manifest.json").is_file():
            _refuse_others(folder)
        shutil.rmtree(folder)


def _refuse_others(folder: Path) -> None:
    """Raises UsageError for anything but an empty folder."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is neither empty nor a run folder", "Name another folder with -o.")


def _sweep(folder: Path) -> None:
    """Remove what workers that were killed left half written."""
    shutil.rmtree(folder / SPOOL, ignore_errors=True)
    for torn in folder.glob("*/.part-*.tmp"):
        torn.unlink(missing_ok=True)


class _Watch:
    """Turns what workers report into progress and warnings."""

    def __init__(
        self, tasks: Sequence[Task], left: Sequence[Task], report: Report, warn: Callable[[str], None]
    ) -> None:
        self._sizes = {task.shard.name: _size(task) for task in tasks}
        self._n_samples = sum(self._sizes.values())
        self._n_done = self._n_samples - sum(_size(task) for task in left)
        self._report, self._warn = report, warn
        self._tell()

    def done(self, done: Done) -> None:
        for line in done.bad:
            self._warn(f"left out: {line}")
        self._n_done += self._sizes[done.part]
        self._tell()

    def _tell(self) -> None:
        self._report(self._n_done, self._n_samples)


def _size(task: Task) -> int:
    return task.shard.n_samples if task.only is None else len(task.only)


def _tasks(request: Request, warn: Callable[[str], None]) -> tuple[list[Task], list[CorpusUsed]]:
    """The shards that hold a chosen sample, once each, and how many samples each corpus gives."""
    tasks: dict[str, Task] = {}
    used = []

    def pass_over(error: SampleError) -> None:
        warn(f"left out: {error.message}")

    for name in request.corpora:
        found = shards(name)
        chosen = request.selection.choose(found, on_bad=pass_over if request.skip_bad else None)
        mine = [_task(request, shard, chosen) for shard in found if chosen is None or shard.name in chosen]
        used.append(CorpusUsed(name, sum(map(_size, mine))))
        tasks.update({task.shard.name: task for task in mine})
    if not any(map(_size, tasks.values())):
        raise UsageError("No sample is selected", "Loosen -k, raise -n, or name another corpus.")
    return list(tasks.values()), used


def _task(request: Request, shard: Shard, chosen: dict[str, frozenset[int]] | None) -> Task:
    only = None if chosen is None else chosen[shard.name]
    return Task(shard, Path(), request.timeout_s, request.skip_bad, only)


def _plan(request: Request, tasks: Sequence[Task]) -> str:
    """A hash of everything that decides the outcomes."""
    state = xxhash.xxh3_128()
    for strategy in request.strategies:
        state.update(repr((strategy.spec, strategy.version, strategy.origin)).encode())
    for task in tasks:
        only = None if task.only is None else sorted(task.only)
        state.update(repr((task.shard.name, only, request.timeout_s)).encode("utf-8", "surrogatepass"))
    return state.hexdigest()


def _opened(folder: Path, request: Request, corpora: list[CorpusUsed], plan: str, n_shards: int) -> Manifest:
    """The manifest of a new run, or of the one that is resumed."""
    if (folder / "manifest.json").exists():
        if not request.resume:
            raise UsageError(
                f"{folder} holds a run already", "Add --resume to go on with it, or name another folder with -o."
            )
        manifest = read_manifest(folder)
        if manifest.plan != plan:
            raise UsageError(
                f"{folder} holds a run of other samples, strategies or limits",
                "Resume with the same arguments, or use a new folder.",
            )
        return replace(manifest, finished=None)
    _refuse_others(folder)
    manifest = Manifest(
        argv=list(request.argv),
        seed=request.selection.seed,
        corpora=corpora,
        strategies=[StrategyUsed(strategy.name, strategy.version) for strategy in request.strategies],
        timeout_s=request.timeout_s,
        plan=plan,
        created=_now().isoformat(timespec="seconds"),
        machine=_machine(),
        git_commit=_git_commit(),
        n_shards=n_shards,
    )
    try:
        write_manifest(folder, manifest)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}", "Name another folder with -o.") from None
    return manifest


def _closed(folder: Path, manifest: Manifest, tasks: Sequence[Task]) -> Manifest:
    """The manifest of a run that is complete."""
    parts = [part_metadata(folder, task.shard.name) for task in tasks]
    return replace(
        manifest,
        corpus_fingerprint=f"{combined(int(part['fingerprint'], 16) for part in parts):032x}",
        n_samples=sum(int(part["n_samples"]) for part in parts),
        n_left_out=sum(int(part["n_left_out"]) for part in parts),
        n_bad=sum(int(part["n_bad"]) for part in parts),
        strategy_ns=sum(int(part["strategy_ns"]) for part in parts),
        finished=_now().isoformat(timespec="seconds"),
    )


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


def _machine() -> dict[str, object]:
    return {
        "system": platform.system(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "n_cores": os.cpu_count(),
    }


def _git_commit() -> str | None:
    """The commit of the project that editgauge is run in, if it is one."""
    try:
        answer = subprocess.run(
            ["git", "rev-parse", "HEAD"],
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip() or None if answer.returncode == 0 else None
