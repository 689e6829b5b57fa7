"""A run: corpora x strategies -> a run folder.

The outcomes do not depend on the number of workers, the order in which jobs finish, or interruptions.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from time import perf_counter_ns
from typing import NamedTuple

import xxhash

from corpora.duplicates import repeats
from corpora.load import segments
from corpora.sample import SampleError
from corpora.segments import Segment, sample_numbers
from editcore.errors import UsageError
from harness.progress import Report, no_report
from harness.run import cluster, pool
from harness.run.job import Job
from harness.run.live import RunProgress, n_selected
from harness.run.machine import git_commit, machine
from harness.run.repeats import n_repeated, share, share_looked_at
from harness.run.run_lock import locked
from harness.run.selection import Selection, Shard
from harness.run.spool import drop_spool
from harness.strategies.stderr_files import drop_empty_stderr
from harness.strategies.strategy import Strategy
from reports.runs.contents import check_no_links, check_outside_runs, check_run, check_unused, empty_run
from reports.runs.manifest import (
    MANIFEST,
    CorpusUsed,
    Manifest,
    ShardUsed,
    StrategyUsed,
    Unmeant,
    read_manifest,
    write_manifest,
)
from reports.runs.merge import PartialPart, parse_name, with_totals
from reports.runs.parts import part_path, parts_done
from reports.runs.remote import Remote
from reports.runs.rows import KINDS

RUNS = Path("runs")
_PARTIAL_MANIFESTS = ".manifest.json.*.tmp"
_MOST_AT_ONCE = 1_000
_OR_ELSE = "Add --resume to resume it, or --replace to delete it first, or name another folder with -o."
"""Pattern of manifests left behind by a process that was killed while writing one."""


KnownBreaks = Callable[[Strategy], tuple[int | None, dict[str, int] | None, dict[str, int] | None, Unmeant | None]]
"""A strategy -> how many properties it promises, in how many ways it breaks each, and what it made of drawn edits.

Nones if not fuzzed."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to run, and how."""

    corpora: Sequence[str]
    strategies: Sequence[Strategy]
    folder: Path | None = None
    """The run folder; None makes one under `runs/`."""
    _: KW_ONLY
    selection: Selection = field(default_factory=Selection)
    n_workers: int | None = None
    """Number of worker processes; None means one per core."""
    timeout_s: float = 5.0
    skip_bad: bool = False
    resume: bool = False
    replace: bool = False
    """Delete the run that the folder holds first."""
    argv: Sequence[str] = ()
    shard: Shard | None = None
    """The share of the run to do; None means all of it."""
    scheduler: str | None = None
    """The address of a dask scheduler whose workers do the run; None means this machine."""
    remote: Remote | None = None
    """Where the run folder is kept, if at a URL; `folder` is then its local mirror."""
    max_failed: int | None = None
    """Stop after this many outcomes that went wrong; None means never."""
    n_repeated: int | None = None
    """Samples, for each strategy, whose calls are repeated to be timed; None leaves it to `harness.run.repeats`."""
    known_breaks: KnownBreaks = lambda _: (None, None, None, None)
    """What fuzzing knows of each strategy; the manifest records it."""

    @property
    def place(self) -> str:
        """The run folder as the user named it."""
        return self.remote.url if self.remote else str(self.folder)


class WentWrong(Exception):
    """As much went wrong as the request allows, and the run stopped there, unfinished."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.folder = folder


class Interrupted(KeyboardInterrupt):
    """The run was interrupted. Finished jobs are kept, and the message says how to resume."""


def run(request: Request, *, report: Report = no_report, warn: Callable[[str], None] = lambda _: None) -> Path:
    """Run, and return the run folder. Raises UsageError and WentWrong; turns KeyboardInterrupt into Interrupted."""
    started = perf_counter_ns()
    jobs, corpora_used = _jobs(request, warn)
    plan = _plan(request, jobs)
    n, n_in_all = request.n_repeated, sum(map(n_selected, jobs))
    n = n_repeated(n_in_all) if n is None else n
    looked_at = share_looked_at(n_in_all)
    jobs = [replace(job, n_repeated=share(n, n_selected(job), n_in_all), looked_at=looked_at) for job in jobs]
    if request.shard:
        jobs = _jobs_of_shard(jobs, request.shard)
    is_made = request.folder is None
    folder = request.folder or _new_folder(request, plan)
    request = replace(request, folder=folder)
    _check_place(request, folder)
    with locked(folder, is_made=is_made):
        return _run_locked(request, folder, _Planned(jobs, corpora_used, plan, started), report, warn)


class _Planned(NamedTuple):
    """What a run will do."""

    jobs: list[Job]
    corpora: list[CorpusUsed]
    plan: str
    started: int
    """Nanoseconds, of `perf_counter_ns`."""


def _run_locked(request: Request, folder: Path, planned: _Planned, report: Report, warn: Callable[[str], None]) -> Path:
    """Run the jobs into the folder, of which this process has the lock."""
    jobs = planned.jobs
    if request.remote:
        request.remote.pull(folder, ["outcomes"])
    if request.replace:
        _discard(folder, request.remote)
    manifest = _opened_manifest(folder, request, planned)
    drop_spool(folder)  # Only those of this process are read: what a folder brings along may be anybody's.
    done = parts_done(folder)
    _drop_partial_parts(folder, done, jobs)
    left = [replace(job, folder=folder, remote=request.remote) for job in jobs if job.part not in done]
    names = [one.name for one in request.strategies]
    progress = RunProgress(jobs, left, names, report, warn, max_failed=request.max_failed)
    if manifest.finished:
        if not left:
            _remove_leftovers(folder)
            return folder
        manifest = replace(manifest, finished=None)
        _save(request, manifest)  # Before anything else: it has lost parts.
    # Large jobs first, so that no worker is left with one at the end; jobs of similar size file by file.
    left.sort(key=lambda job: -n_selected(job).bit_length())
    try:
        if left:
            _run_jobs(request, left, progress)
    except KeyboardInterrupt:
        raise Interrupted(f"resume with the same arguments and --resume -o {request.place}") from None
    finally:
        manifest = replace(manifest, wall_ns=manifest.wall_ns + perf_counter_ns() - planned.started)
        _save(request, manifest)
    if progress.is_enough():
        _remove_leftovers(folder)
        raise WentWrong(folder)
    if request.remote:
        request.remote.pull(folder, ["outcomes"])
    _remove_leftovers(folder)
    _save(request, _finished_manifest(request, manifest, jobs))
    return folder


def _run_jobs(request: Request, jobs: Sequence[Job], progress: RunProgress) -> None:
    """Run the jobs on this machine or on a cluster."""
    specs = [strategy.spec for strategy in request.strategies]
    if request.scheduler:
        cluster.run_jobs(jobs, specs, request.scheduler, progress.add)
    else:
        pool.run_jobs(
            takewhile(lambda _: not progress.is_enough(), jobs), specs, request.n_workers or os.cpu_count() or 1,
            progress.add, live=progress.show, max_failed=request.max_failed,
        )  # fmt: skip


def _new_folder(request: Request, plan: str) -> Path:
    """A folder for a run where the user names none: a number tells those apart that began in one second."""
    shard = request.shard
    which = f"-{shard.index}-of-{shard.n}" if shard else ""
    name = f"{_now():%Y-%m-%dT%H%M%SZ}-{plan[:6]}{which}"
    for folder in (RUNS / f"{name}{end}" for end in ("", *(f"-{number}" for number in range(2, _MOST_AT_ONCE)))):
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError:
            break  # What is wrong is said where it is written to.
        return folder
    return RUNS / name


def _save(request: Request, manifest: Manifest) -> None:
    assert request.folder
    write_manifest(request.folder, manifest)
    if request.remote:
        request.remote.put_manifest(request.folder)


def _check_place(request: Request, folder: Path) -> None:
    """Raise UsageError, before anything is written, for a folder that the run may not be written to."""
    check_outside_runs(folder)
    if not (folder / MANIFEST).exists():
        check_unused(folder)
    elif request.replace:
        check_run(folder)
    elif request.resume:
        read_manifest(folder)
        check_no_links(folder)
    else:
        raise UsageError(f"{request.place} already holds a run", _OR_ELSE)


def _discard(folder: Path, remote: Remote | None) -> None:
    """Delete a run, if there is one. Raises UsageError where there is something else."""
    if remote and (folder / MANIFEST).exists():
        remote.remove(read_manifest(folder))
    if (folder / MANIFEST).exists():
        empty_run(folder)


def _remove_leftovers(folder: Path) -> None:
    """Delete partly written files of workers that were killed, and empty stderr files."""
    drop_spool(folder)
    for pattern in (_PARTIAL_MANIFESTS, *(f"{kind}/.part-*.tmp" for kind in KINDS)):
        for torn in folder.glob(pattern):
            torn.unlink(missing_ok=True)
    drop_empty_stderr(folder)


def _drop_partial_parts(folder: Path, done: set[str], jobs: Sequence[Job]) -> None:
    """Delete partial parts whose whole part is among the jobs: a merge of some shards of the run leaves them."""
    whole = {job.part for job in jobs}
    for name in done - whole:
        part, partial = parse_name(name)
        if partial and part in whole:
            for kind in KINDS:
                part_path(folder, kind, name).unlink(missing_ok=True)


def _jobs(request: Request, warn: Callable[[str], None]) -> tuple[list[Job], list[CorpusUsed]]:
    """A job for every segment with a chosen sample, without repeats, and the number of samples from each corpus."""
    jobs: dict[str, Job] = {}
    used = []

    def skip(error: SampleError) -> None:
        warn(f"left out: {error.message}")

    corpora = [(name, segments(name)) for name in request.corpora]
    repeated = repeats(segment for _, found in corpora for segment in found)
    if n_repeated := sum(map(len, repeated.values())):
        warn(f"counted once: {n_repeated} sample{'' if n_repeated == 1 else 's'} that occur twice, with the same id")
    for name, found in corpora:
        chosen = request.selection.choose(found, repeated=repeated, on_bad=skip if request.skip_bad else None)
        mine = [_job(request, segment, chosen) for segment in found if chosen is None or segment.name in chosen]
        mine = [_without(job, repeated[job.segment.name]) if job.segment.name in repeated else job for job in mine]
        mine = [job for job in mine if n_selected(job)]
        used.append(CorpusUsed(name, sum(map(n_selected, mine))))
        jobs.update({job.segment.name: job for job in mine})
    if not any(map(n_selected, jobs.values())):
        ids, matching = request.selection.ids, request.selection.matching
        if ids is not None and matching is None:
            few = f"None of the {len(ids):,} samples that went wrong before is in {', '.join(request.corpora)}"
            raise UsageError(few, "Name the corpus of that run, or none.")
        raise UsageError("No sample is selected", "Loosen -k, or name another corpus.")
    return list(jobs.values()), used


def _job(request: Request, segment: Segment, chosen: dict[str, frozenset[int]] | None) -> Job:
    only = None if chosen is None else chosen[segment.name]
    return Job(segment, Path(), request.timeout_s, request.skip_bad, only)


def _without(job: Job, repeated: Collection[int]) -> Job:
    """The job without the samples that occurred before."""
    numbers = sample_numbers(job.segment) if job.only is None else job.only
    return replace(job, only=frozenset(numbers).difference(repeated))


def _jobs_of_shard(jobs: Sequence[Job], shard: Shard) -> list[Job]:
    """The jobs of one shard of the run: whole ones, but for the first and the last, which may be partial."""
    mine = shard.positions(sum(map(n_selected, jobs)))
    found, at = [], 0
    for job in jobs:
        n = n_selected(job)
        start, end = max(mine.start - at, 0), min(mine.stop - at, n)
        if start < end:
            found.append(job if end - start == n else _partial_job(job, PartialPart(start, end, n)))
        at += n
    return found


def _partial_job(job: Job, partial_part: PartialPart) -> Job:
    chosen = sample_numbers(job.segment) if job.only is None else sorted(job.only)
    return replace(job, only=frozenset(chosen[partial_part.start : partial_part.end]), partial_part=partial_part)


def _plan(request: Request, jobs: Sequence[Job]) -> str:
    """A hash of everything that the outcomes depend on."""
    state = xxhash.xxh3_128()
    for strategy in request.strategies:
        state.update(repr((strategy.spec, strategy.version, strategy.origin)).encode())
    for job in jobs:
        only = None if job.only is None else sorted(job.only)
        state.update(repr((job.segment.name, only, request.timeout_s)).encode("utf-8", "surrogatepass"))
    return state.hexdigest()


def _opened_manifest(folder: Path, request: Request, planned: _Planned) -> Manifest:
    """The manifest of a new run, which is written, or of the run that is resumed. Raises UsageError."""
    if (folder / MANIFEST).exists():
        if not request.resume:
            raise UsageError(f"{request.place} already holds a run", _OR_ELSE)
        manifest = read_manifest(folder)
        if (manifest.plan, manifest.shard) != (planned.plan, _shard_used(request)):
            raise UsageError(
                f"{request.place} holds a run of other samples, strategies or limits",
                "Resume it with the arguments it was started with, or name another folder with -o.",
            )
        return replace(manifest, n_shards=len(planned.jobs))
    manifest = Manifest(
        argv=list(request.argv),
        seed=request.selection.seed,
        corpora=planned.corpora,
        strategies=[StrategyUsed(one.name, one.version, *request.known_breaks(one)) for one in request.strategies],
        timeout_s=request.timeout_s,
        plan=planned.plan,
        created=_now().isoformat(timespec="seconds"),
        machine=machine(),
        git_commit=git_commit(),
        n_shards=len(planned.jobs),
        shard=_shard_used(request),
    )
    try:
        _save(request, manifest)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}", "Name another folder with -o.") from None
    return manifest


def _shard_used(request: Request) -> ShardUsed | None:
    return ShardUsed(request.shard.index, request.shard.n) if request.shard else None


def _finished_manifest(request: Request, manifest: Manifest, jobs: Sequence[Job]) -> Manifest:
    """The manifest of a finished run. Raises UsageError if parts are missing because workers wrote them elsewhere."""
    folder = request.folder
    assert folder
    try:
        manifest = with_totals(manifest, ((folder, job.part) for job in jobs))
    except FileNotFoundError as error:
        raise UsageError(
            f"{request.place} lacks parts that the workers wrote elsewhere: {error.filename or error}",
            "With -o, name a folder that every worker shares, or a URL.",
        ) from None
    return replace(manifest, finished=_now().isoformat(timespec="seconds"))


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
