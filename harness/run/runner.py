"""A run: corpora x strategies -> a run folder, with its name, its lock, what is deleted in it, and its machine.

The outcomes do not depend on the number of workers, the order in which jobs finish, or interruptions.
"""

from __future__ import annotations

import datetime
import fcntl
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from time import perf_counter_ns

from editcore.errors import UsageError
from harness.progress import Report, no_report
from harness.run import cluster, pool
from harness.run.job import Job
from harness.run.plan import Planned, Request, planned
from harness.run.pool import RunProgress
from harness.run.results import drop_spool
from harness.strategies.command_process import drop_empty_stderr
from reports.runs.manifest import (
    LOCK,
    MANIFEST,
    Manifest,
    StrategyUsed,
    check_outside_runs,
    check_run,
    check_unused,
    empty_run,
    read_manifest,
    write_manifest,
)
from reports.runs.merge import parse_name, with_totals
from reports.runs.parts import part_path, parts_done
from reports.runs.remote import Remote
from reports.runs.rows import KINDS

# The folder that a run is written to: its name, its lock, what is deleted in it, and the machine it is made on.

RUNS = Path("runs")
OR_ELSE = "Add --resume to resume it, or --replace to delete it first, or name another folder with -o."
"""The tip of the error for a folder that holds a run."""
_PARTIAL_MANIFESTS = ".manifest.json.*.tmp"
"""Pattern of a manifest that a killed process had not finished writing."""
_MOST_AT_ONCE = 1_000
"""The most runs of one plan that may begin in one second."""


@contextmanager
def locked(folder: Path, *, is_made: bool = False) -> Iterator[None]:
    """Hold the run folder as its only writer, and make it if it does not exist; `is_made` if it was made for this
    run.

    The system releases the lock however the process ends. Raises UsageError if another process has the lock. A run at
    a URL has no lock: its writers have separate local mirrors.
    """
    is_new = is_made or not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = _acquired(folder)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}", "Name another folder with -o.") from None
    try:
        yield
    finally:
        # While it is held: whoever opened the file meanwhile sees that it is gone, and opens the next one.
        with suppress(OSError):
            (folder / LOCK).unlink(missing_ok=True)
        os.close(lock)
        if is_new:
            with suppress(OSError):
                folder.rmdir()  # Where nothing was written to it.


def _acquired(folder: Path) -> int:
    while True:
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(lock, folder / LOCK):
                return lock
        except BlockingIOError:
            os.close(lock)
            raise UsageError(
                f"Another process is writing to {folder}", "Wait for it to end, or name another folder with -o."
            ) from None
        except BaseException:
            os.close(lock)
            raise
        os.close(lock)


def _is_at(lock: int, path: Path) -> bool:
    """True if the open file is still the file of that name. Its last holder may have removed it."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(lock), os.stat(path, follow_symlinks=False))
    return False


def machine() -> dict[str, object]:
    """The system, its processors and the Python that editgauge runs on."""
    return {
        "system": platform.system(), "machine": platform.machine(), "python": platform.python_version(),
        "implementation": sys.implementation.name, "n_cores": os.cpu_count(),
    }  # fmt: skip


def git_commit() -> str | None:
    """The commit of the git repository that editgauge is run in; None outside a repository."""
    try:
        answer = subprocess.run(
            ["git", "rev-parse", "HEAD"], capture_output=True, text=True, timeout=5, stdin=subprocess.DEVNULL,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip() or None if answer.returncode == 0 else None


def now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


def new_folder(request: Request, plan: str) -> Path:
    """A new folder for a run without `-o`. A number distinguishes runs that begin in the same second."""
    shard = request.shard
    which = f"-{shard.index}-of-{shard.n}" if shard else ""
    name = f"{now():%Y-%m-%dT%H%M%SZ}-{plan[:6]}{which}"
    for folder in (RUNS / f"{name}{end}" for end in ("", *(f"-{number}" for number in range(2, _MOST_AT_ONCE)))):
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError:
            break  # What is wrong is said where it is written to.
        return folder
    return RUNS / name


def check_place(request: Request, folder: Path) -> None:
    """Raise UsageError if the run must not be written to the folder. Nothing has been written yet."""
    check_outside_runs(folder)
    if not (folder / MANIFEST).exists():
        check_unused(folder)
    elif request.replace:
        check_run(folder)
    elif request.resume:
        read_manifest(folder)
    else:
        raise UsageError(f"{request.place} already holds a run", OR_ELSE)


def discard(folder: Path, remote: Remote | None) -> None:
    """Delete the run in a folder, if there is one. Raises UsageError if the folder holds something else."""
    if (folder / MANIFEST).exists():
        if remote:
            remote.remove(read_manifest(folder))
        empty_run(folder)


def remove_leftovers(folder: Path) -> None:
    """Delete the partly written files of killed workers, and empty stderr files."""
    drop_spool(folder)
    for pattern in (_PARTIAL_MANIFESTS, *(f"{kind}/.part-*.tmp" for kind in KINDS)):
        for torn in folder.glob(pattern):
            torn.unlink(missing_ok=True)
    drop_empty_stderr(folder)


def drop_partial_parts(folder: Path, done: set[str], jobs: Sequence[Job]) -> None:
    """Delete partial parts if a job writes the whole part. A merge of some shards of the run leaves such parts."""
    whole = {job.part for job in jobs}
    for name in done - whole:
        part, partial = parse_name(name)
        if partial and part in whole:
            for kind in KINDS:
                part_path(folder, kind, name).unlink(missing_ok=True)


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
    folder = request.folder or new_folder(request, plan.plan)
    check_place(request, folder)
    with locked(folder, is_made=is_made):
        return _run_locked(replace(request, folder=folder), folder, plan, started, report, warn)


def _run_locked(
    request: Request, folder: Path, plan: Planned, started: int, report: Report, warn: Callable[[str], None]
) -> Path:
    """Run the jobs into the folder, whose lock this process holds."""
    jobs = plan.jobs
    if request.remote:
        request.remote.pull(folder, ["outcomes"])
    if request.replace:
        discard(folder, request.remote)
    manifest = _opened_manifest(folder, request, plan)
    drop_spool(folder)  # Only those of this process are read: what a folder brings along may be anybody's.
    done = parts_done(folder)
    drop_partial_parts(folder, done, jobs)
    left = [replace(job, folder=folder, remote=request.remote) for job in jobs if job.part not in done]
    names = [one.name for one in request.strategies]
    progress = RunProgress(jobs, left, names, report, warn, max_failed=request.max_failed)
    if manifest.finished:
        if not left:
            remove_leftovers(folder)
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
        remove_leftovers(folder)
        raise WentWrong(folder)
    if request.remote:
        request.remote.pull(folder, ["outcomes"])
    remove_leftovers(folder)
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
            raise UsageError(f"{request.place} already holds a run", OR_ELSE)
        manifest = read_manifest(folder)
        if (manifest.plan, manifest.shard) != (plan.plan, plan.shard):
            raise _another_run(request, manifest)
        return replace(manifest, n_shards=len(plan.jobs))
    used = [StrategyUsed(one.name, one.version, *request.known_breaks(one)) for one in request.strategies]
    manifest = Manifest(
        argv=list(request.argv), seed=request.selection.seed, corpora=plan.corpora, strategies=used,
        timeout_s=request.timeout_s, plan=plan.plan, created=now().isoformat(timespec="seconds"),
        machine=machine(), git_commit=git_commit(), n_shards=len(plan.jobs), shard=plan.shard,
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
    return replace(manifest, finished=now().isoformat(timespec="seconds"))
