"""Temporary folders for drills and workers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

_MEMORY = Path("/dev/shm")


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder that is removed afterwards; in memory if possible, because thousands of writes wear a disk."""
    where = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    with TemporaryDirectory(prefix="editgauge-fuzz-", dir=where, ignore_cleanup_errors=True) as name:
        yield Path(name)
