"""A run: corpora x strategies -> a run folder.

The outcomes do not depend on the number of workers, the order in which jobs finish, or interruptions.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from time import perf_counter_ns

from editcore.errors import UsageError
from harness.progress import Report, no_report
from harness.run import cluster, pool, run_folder
from harness.run.job import Job
from harness.run.live import RunProgress
from harness.run.plan import Planned, Request, planned
from harness.run.results import drop_spool
from reports.runs.manifest import MANIFEST, Manifest, StrategyUsed, read_manifest, write_manifest
from reports.runs.merge import with_totals
from reports.runs.parts import parts_done


class WentWrong(Exception):
    """As many outcomes went wrong as the request allows; the run stopped unfinished."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.folder = folder


class Interrupted(KeyboardInterrupt):
    """The run was interrupted. Finished jobs are kept; the message says how to resume."""


def run(request: Request, *, report: Report = no_report, warn: Callable[[str], None] = lambda _: None) -> Path:
    """Run, and return the run folder. Raises UsageError and WentWrong; turns KeyboardInterrupt into Interrupted."""
    started = perf_counter_ns()
    plan = planned(request, warn)
    is_made = request.folder is None
    folder = request.folder or run_folder.new_folder(request, plan.plan)
    run_folder.check_place(request, folder)
    with run_folder.locked(folder, is_made=is_made):
        return _run_locked(replace(request, folder=folder), folder, plan, started, report, warn)


def _run_locked(
    request: Request, folder: Path, plan: Planned, started: int, report: Report, warn: Callable[[str], None]
) -> Path:
    """Run the jobs into the folder, whose lock this process holds."""
    jobs = plan.jobs
    if request.remote:
        request.remote.pull(folder, ["outcomes"])
    if request.replace:
        run_folder.discard(folder, request.remote)
    manifest = _opened_manifest(folder, request, plan)
    drop_spool(folder)  # Only those of this process are read: what a folder brings along may be anybody's.
    done = parts_done(folder)
    run_folder.drop_partial_parts(folder, done, jobs)
    left = [replace(job, folder=folder, remote=request.remote) for job in jobs if job.part not in done]
    names = [one.name for one in request.strategies]
    progress = RunProgress(jobs, left, names, report, warn, max_failed=request.max_failed)
    if manifest.finished:
        if not left:
            run_folder.remove_leftovers(folder)
            return folder
        manifest = replace(manifest, finished=None)
        _save(request, manifest)  # Before anything else: it has lost parts.
    # Large jobs first, so that no worker is left with one at the end; jobs of similar size file by file.
    left.sort(key=lambda job: -job.n_selected.bit_length())
    try:
        if left:
            _run_jobs(request, left, progress)
    except KeyboardInterrupt:
        raise Interrupted(f"resume with the same arguments and --resume -o {request.place}") from None
    finally:
        manifest = replace(manifest, wall_ns=manifest.wall_ns + perf_counter_ns() - started)
        _save(request, manifest)
    if progress.is_enough():
        run_folder.remove_leftovers(folder)
        raise WentWrong(folder)
    if request.remote:
        request.remote.pull(folder, ["outcomes"])
    run_folder.remove_leftovers(folder)
    _save(request, _finished_manifest(request, manifest, jobs))
    return folder


def _run_jobs(request: Request, jobs: Sequence[Job], progress: RunProgress) -> None:
    specs = [strategy.spec for strategy in request.strategies]
    if request.scheduler:
        cluster.run_jobs(jobs, specs, request.scheduler, progress.add)
    else:
        pool.run_jobs(
            takewhile(lambda _: not progress.is_enough(), jobs), specs, request.n_workers or os.cpu_count() or 1,
            progress.add, live=progress.show, max_failed=request.max_failed,
        )  # fmt: skip


def _save(request: Request, manifest: Manifest) -> None:
    assert request.folder
    write_manifest(request.folder, manifest)
    if request.remote:
        request.remote.put_manifest(request.folder)


def _another_run(request: Request, manifest: Manifest) -> UsageError:
    """The error for a run that cannot be resumed by this request."""
    used = {one.name: one.version for one in manifest.strategies}
    edited = [one.name for one in request.strategies if used.get(one.name, one.version) != one.version]
    other = f"another version of {', '.join(edited[:3])}" if edited else "other samples, strategies or limits"
    anew = "Score it anew in another folder (-o), or in this one with --replace."
    tip = anew if edited else "Resume it with the arguments it was started with, or name another folder with -o."
    return UsageError(f"{request.place} holds a run of {other}", tip)


def _opened_manifest(folder: Path, request: Request, plan: Planned) -> Manifest:
    """The manifest of a new run, which is written, or of a resumed run. Raises UsageError."""
    if (folder / MANIFEST).exists():
        if not request.resume:
            raise UsageError(f"{request.place} already holds a run", run_folder.OR_ELSE)
        manifest = read_manifest(folder)
        if (manifest.plan, manifest.shard) != (plan.plan, plan.shard):
            raise _another_run(request, manifest)
        return replace(manifest, n_shards=len(plan.jobs))
    used = [StrategyUsed(one.name, one.version, *request.known_breaks(one)) for one in request.strategies]
    manifest = Manifest(
        argv=list(request.argv), seed=request.selection.seed, corpora=plan.corpora, strategies=used,
        timeout_s=request.timeout_s, plan=plan.plan, created=run_folder.now().isoformat(timespec="seconds"),
        machine=run_folder.machine(), git_commit=run_folder.git_commit(), n_shards=len(plan.jobs), shard=plan.shard,
    )  # fmt: skip
    try:
        _save(request, manifest)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}", "Name another folder with -o.") from None
    return manifest


def _finished_manifest(request: Request, manifest: Manifest, jobs: Sequence[Job]) -> Manifest:
    """The manifest of a finished run. Raises UsageError if workers wrote parts elsewhere."""
    folder = request.folder
    assert folder
    try:
        manifest = with_totals(manifest, ((folder, job.part) for job in jobs))
    except FileNotFoundError as error:
        raise UsageError(
            f"{request.place} lacks parts that the workers wrote elsewhere: {error.filename or error}",
            "With -o, name a folder that every worker shares, or a URL.",
        ) from None
    return replace(manifest, finished=run_folder.now().isoformat(timespec="seconds"))
