"""Where drills and workers write."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

_MEMORY = Path("/dev/shm")


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder, removed afterwards; in memory where there is room for it, as thousands of writes wear a disk."""
    where = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    with TemporaryDirectory(prefix="editgauge-fuzz-", dir=where, ignore_cleanup_errors=True) as name:
        yield Path(name)
