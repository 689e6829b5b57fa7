"""Temporary folders for tools' workspaces, for drills and for workers."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

_MEMORY = Path("/dev/shm")
_ENOUGH_MEMORY = 1 << 30
"""Bytes that must be free in `_MEMORY`."""


@contextmanager
def scratch() -> Iterator[Path]:
    """A temporary folder, in memory if possible."""
    with TemporaryDirectory(prefix="editgauge-", dir=_folder_in_memory(), ignore_cleanup_errors=True) as name:
        yield Path(name)


@cache
def _folder_in_memory() -> Path | None:
    """A file system in memory for temporary folders: latencies then measure the code, and thousands of writes wear no
    disk.

    None, for the usual folder, where TMPDIR names one or no file system in memory has room.
    """
    if "TMPDIR" in os.environ or not os.access(_MEMORY, os.W_OK | os.X_OK):
        return None
    return _MEMORY if shutil.disk_usage(_MEMORY).free >= _ENOUGH_MEMORY else None
