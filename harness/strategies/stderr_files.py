"""The files in which a run keeps what commands write on stderr: one per strategy and worker."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from reports.runs.manifest import STDERR

_run_folder: Path | None = None


def keep_stderr(folder: Path) -> None:
    """Make processes that are started from now on write their stderr into this run folder."""
    global _run_folder
    _run_folder = folder


def stderr_file(name: str) -> IO[bytes]:
    """The file for the stderr of a strategy's process; a temporary file if there is no run folder."""
    if _run_folder is None:
        return TemporaryFile()
    folder = _run_folder / STDERR
    folder.mkdir(exist_ok=True)
    if folder.is_symlink():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    path = folder / f"{name.replace('/', '-')}-{os.getpid()}.log"
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
    return os.fdopen(os.open(path, flags, 0o666), "r+b", buffering=0)


def drop_empty_stderr(folder: Path) -> None:
    """Delete the stderr files of a run folder that are empty."""
    if (folder / STDERR).is_symlink():
        return
    for path in (folder / STDERR).glob("*.log"):
        if not path.is_symlink() and not path.stat().st_size:
            path.unlink()
    with suppress(OSError):
        (folder / STDERR).rmdir()
