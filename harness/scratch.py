"""Temporary folders: those of tools' workspaces, of drills and of workers."""

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
"""Bytes that must be free there."""


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder that is removed afterwards, in memory if possible."""
    with TemporaryDirectory(prefix="editgauge-", dir=_folder_in_memory(), ignore_cleanup_errors=True) as name:
        yield Path(name)


@cache
def _folder_in_memory() -> Path | None:
    """Where temporary folders are made, so that latencies are the code's and thousands of writes wear no disk.

    None, for the usual folder of temporary files, where TMPDIR names one or no file system in memory has room.
    """
    if "TMPDIR" in os.environ or not os.access(_MEMORY, os.W_OK | os.X_OK):
        return None
    return _MEMORY if shutil.disk_usage(_MEMORY).free >= _ENOUGH_MEMORY else None
