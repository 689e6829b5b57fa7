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

from corpora.load import segments
from corpora.sample import SampleError
from corpora.segments import Segment, sample_numbers
from editcore.errors import UsageError
from harness.run import cluster, pool
from harness.run.selection import Division, Selection
from harness.run.task import SPOOL, Done, Task
from harness.strategies.external import drop_empty_stderr
from harness.strategies.strategy import Strategy
from reports.runs.manifest import CorpusUsed, Manifest, ShardUsed, StrategyUsed, read_manifest, write_manifest
from reports.runs.partial_parts import PartialPart, parsed, summed
from reports.runs.parts import part_metadata, part_path, parts_done
from reports.runs.remote import Remote
from reports.runs.rows import KINDS

RUNS = Path("runs")
_MANIFESTS = ".manifest.json.*.tmp"
"""Those that whoever was killed left half written."""


KnownBreaks = Callable[[Strategy], tuple[int | None, dict[str, int] | None]]
"""A strategy -> how many properties it promises, and in how many known ways it breaks each; Nones if not fuzzed."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to run, and how."""

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
    division: Division | None = None
    """Which shard of the run this machine does; None is all of it."""
    scheduler: str | None = None
    """The address of a cluster that does the work; None is this machine."""
    remote: Remote | None = None
    """Where the run folder is kept; `folder` then mirrors it."""
    known_breaks: KnownBreaks = lambda _: (None, None)
    """What fuzzing knows of each strategy; the manifest records it."""

    @property
    def place(self) -> str:
        """The run folder as the user named it."""
        return self.remote.url if self.remote else str(self.folder)


class Interrupted(KeyboardInterrupt):
    """The run was interrupted; what is done is kept, and the message says how to go on."""


Report = Callable[[int, int], None]
"""Takes how many samples are done, and how many there are."""


def run(request: Request, *, report: Report = lambda *_: None, warn: Callable[[str], None] = lambda _: None) -> Path:
    """Run and return the folder. Raises UsageError; KeyboardInterrupt becomes Interrupted, which can be resumed."""
    started = perf_counter_ns()
    tasks, corpora_used = _tasks(request, warn)
    plan = _plan(request, tasks)
    if request.division:
        tasks = _divided(tasks, request.division)
    folder = request.folder or RUNS / _name(request, plan)
    request = replace(request, folder=folder)
    if request.remote:
        request.remote.pull(folder, ["outcomes"])
    if request.replace:
        _discard(folder, request.remote)
    manifest = _opened(folder, request, corpora_used, plan, len(tasks))
    done = parts_done(folder)
    _drop_pieces(folder, done, tasks)
    left = [replace(task, folder=folder, remote=request.remote) for task in tasks if task.part not in done]
    watch = _Watch(tasks, left, report, warn)
    # The largest first, so that no worker is left alone with a large one at the end; but for that, file by file.
    left.sort(key=lambda task: -_size(task).bit_length())
    try:
        if left:
            _run_tasks(request, left, watch)
    except KeyboardInterrupt:
        raise Interrupted(f"go on with --resume -o {request.place} and the same arguments") from None
    finally:
        manifest = replace(manifest, wall_ns=manifest.wall_ns + perf_counter_ns() - started)
        _save(request, manifest)
    if request.remote:
        request.remote.pull(folder, ["outcomes"])
    _sweep(folder)
    _save(request, _closed(request, manifest, tasks))
    return folder


def _run_tasks(request: Request, tasks: Sequence[Task], watch: _Watch) -> None:
    """Have the tasks run, by this machine or by a cluster."""
    specs = [strategy.spec for strategy in request.strategies]
    if request.scheduler:
        cluster.run_tasks(tasks, specs, request.scheduler, watch.done)
    else:
        pool.run_tasks(tasks, specs, request.n_jobs or os.cpu_count() or 1, watch.done)


def _name(request: Request, plan: str) -> str:
    """What a run folder is called by default."""
    division = request.division
    which = f"-{division.index}-of-{division.n}" if division else ""
    return f"{_now():%Y-%m-%dT%H%M%SZ}-{plan[:6]}{which}"


def _save(request: Request, manifest: Manifest) -> None:
    assert request.folder
    write_manifest(request.folder, manifest)
    if request.remote:
        request.remote.put_manifest(request.folder)


def _discard(folder: Path, remote: Remote | None) -> None:
    """Remove a run folder, if there is one. Raises UsageError for a folder that is something else."""
    if folder.exists():
        if not (folder / "manifest.json").is_file():
            _refuse_others(folder)
        shutil.rmtree(folder)
    if remote:
        remote.remove()


def _refuse_others(folder: Path) -> None:
    """Raises UsageError for anything but a folder that is empty, or in which a run got no further than its manifest."""
    if folder.exists() and (not folder.is_dir() or set(folder.iterdir()) - set(folder.glob(_MANIFESTS))):
        raise UsageError(f"{folder} is neither empty nor a run folder", "Name another folder with -o.")


def _sweep(folder: Path) -> None:
    """Remove what workers that were killed left half written."""
    shutil.rmtree(folder / SPOOL, ignore_errors=True)
    for pattern in (_MANIFESTS, "*/.part-*.tmp"):
        for torn in folder.glob(pattern):
            torn.unlink(missing_ok=True)
    drop_empty_stderr(folder)


def _drop_pieces(folder: Path, done: set[str], tasks: Sequence[Task]) -> None:
    """Remove the pieces of parts that the tasks do as a whole: what a merge of some shards of the run leaves."""
    whole = {task.part for task in tasks}
    for name in done - whole:
        part, piece = parsed(name)
        if piece and part in whole:
            for kind in KINDS:
                part_path(folder, kind, name).unlink(missing_ok=True)


class _Watch:
    """Turns what workers report into progress and warnings."""

    def __init__(
        self, tasks: Sequence[Task], left: Sequence[Task], report: Report, warn: Callable[[str], None]
    ) -> None:
        self._sizes = {task.part: _size(task) for task in tasks}
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
        found = segments(name)
        chosen = request.selection.choose(found, on_bad=pass_over if request.skip_bad else None)
        mine = [_task(request, shard, chosen) for shard in found if chosen is None or shard.name in chosen]
        used.append(CorpusUsed(name, sum(map(_size, mine))))
        tasks.update({task.shard.name: task for task in mine})
    if not any(map(_size, tasks.values())):
        raise UsageError("No sample is selected", "Loosen -k, raise -n, or name another corpus.")
    return list(tasks.values()), used


def _task(request: Request, shard: Segment, chosen: dict[str, frozenset[int]] | None) -> Task:
    only = None if chosen is None else chosen[shard.name]
    return Task(shard, Path(), request.timeout_s, request.skip_bad, only)


def _divided(tasks: Sequence[Task], division: Division) -> list[Task]:
    """What falls to one shard of the run: whole tasks, and a piece of the first and the last."""
    stretch = division.stretch(sum(map(_size, tasks)))
    found, at = [], 0
    for task in tasks:
        n = _size(task)
        start, end = max(stretch.start - at, 0), min(stretch.stop - at, n)
        if start < end:
            found.append(task if end - start == n else _piece(task, PartialPart(start, end, n)))
        at += n
    return found


def _piece(task: Task, piece: PartialPart) -> Task:
    chosen = sample_numbers(task.shard) if task.only is None else sorted(task.only)
    return replace(task, only=frozenset(chosen[piece.start : piece.end]), piece=piece)


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
                f"{request.place} holds a run already", "Add --resume to go on with it, or name another folder with -o."
            )
        manifest = read_manifest(folder)
        if (manifest.plan, manifest.shard) != (plan, _shard(request)):
            raise UsageError(
                f"{request.place} holds a run of other samples, strategies or limits",
                "Resume with the same arguments, or use a new folder.",
            )
        return replace(manifest, finished=None, n_shards=n_shards)
    _refuse_others(folder)
    manifest = Manifest(
        argv=list(request.argv),
        seed=request.selection.seed,
        corpora=corpora,
        strategies=[StrategyUsed(one.name, one.version, *request.known_breaks(one)) for one in request.strategies],
        timeout_s=request.timeout_s,
        plan=plan,
        created=_now().isoformat(timespec="seconds"),
        machine=_machine(),
        git_commit=_git_commit(),
        n_shards=n_shards,
        shard=_shard(request),
    )
    try:
        _save(request, manifest)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}", "Name another folder with -o.") from None
    return manifest


def _shard(request: Request) -> ShardUsed | None:
    return ShardUsed(request.division.index, request.division.n) if request.division else None


def _closed(request: Request, manifest: Manifest, tasks: Sequence[Task]) -> Manifest:
    """The manifest of a run that is complete. Raises UsageError where workers wrote their parts elsewhere."""
    folder = request.folder
    assert folder
    try:
        manifest = summed(manifest, (part_metadata(folder, task.part) for task in tasks))
    except FileNotFoundError as error:
        raise UsageError(
            f"{request.place} lacks what the workers wrote: {error.filename or error}",
            "Name a folder that every worker sees, or a URL, with -o; then add --resume.",
        ) from None
    return replace(manifest, finished=_now().isoformat(timespec="seconds"))


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
