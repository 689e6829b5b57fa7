"""What a run is made on: the machine, and the commit of the folder it is started in."""

from __future__ import annotations

import fcntl
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from editcore.errors import UsageError
from reports.runs.manifest import LOCK

# The lock of a run folder: one process at a time writes to it.


@contextmanager
def locked(folder: Path, *, is_made: bool = False) -> Iterator[None]:
    """Write to a run folder, which is made if it does not exist, or was for it (`is_made`), as the only process.

    The system releases the lock when the process ends, however it ends. Raises UsageError if another process has it.
    A run at a URL has no lock: its writers have separate local mirrors.
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
    """The descriptor of the lock file, locked."""
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
    """Whether the open file is still the one of that name: its last holder may have removed it."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(lock), os.stat(path, follow_symlinks=False))
    return False


# What a run is made on: the machine, and the commit of the folder it is started in.


def machine() -> dict[str, object]:
    """The system, its processors and the Python that editgauge runs on."""
    return {
        "system": platform.system(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "n_cores": os.cpu_count(),
    }


def git_commit() -> str | None:
    """The commit of the git repository that editgauge is run in, if it is in one."""
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
