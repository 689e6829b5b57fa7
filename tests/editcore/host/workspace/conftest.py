"""A workspace in an empty directory, and a directory for tests that write thousands of files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from editcore.host.workspace.workspace import Workspace

SHARED_MEMORY = Path("/dev/shm")


@pytest.fixture
def in_memory() -> Iterator[Path]:
    """A directory on a file system in memory, where there is one: syncing takes no time there and wears no disk."""
    where = SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=where) as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def workspace(root: Path, tmp_path: Path) -> Workspace:
    return Workspace(root, lock_directory=tmp_path / "locks")
