"""The folder that a run is written to: its name, its lock, what is deleted in it, and the machine it is made on."""

from __future__ import annotations

import datetime
import fcntl
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from editcore.errors import UsageError
from harness.run.job import Job
from harness.run.plan import Request
from harness.run.results import drop_spool
from harness.strategies.command_process import drop_empty_stderr
from reports.runs.contents import check_outside_runs, check_run, check_unused, empty_run
from reports.runs.manifest import LOCK, MANIFEST, read_manifest
from reports.runs.merge import parse_name
from reports.runs.parts import part_path
from reports.runs.remote import Remote
from reports.runs.rows import KINDS

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
