"""Files in the user's cache that are made from the parts of a run, so that these are read once.

A file is named after the parts, the manifest and the code that made it: another run, the same one with other parts, or
another version of editgauge has files of other names. What cannot be written is not kept.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import xxhash

import reports
from corpora.cache_folder import cache_folder
from corpora.regular_file import temporary_beside
from reports.runs.manifest import MANIFEST
from reports.runs.run_folder import RunFolder

WORTH_KEEPING = 100_000
"""Least number of samples of a cached run: a smaller one is read in seconds."""
_MOST_KEPT = 3
"""Number of files of one sort; the least recently used one is removed."""


def cached_path(run: RunFolder, sort: str, kinds: Sequence[str]) -> Path:
    """The cache file of that sort for these kinds of rows, which may not exist."""
    state = xxhash.xxh3_128(f"{_code()}\n{run.folder.resolve()}\n".encode("utf-8", "surrogateescape"))
    state.update((run.folder / MANIFEST).read_bytes())
    for kind in kinds:
        for path in run.paths(kind):
            found = os.stat(path)
            state.update(f"\n{kind} {path.name} {found.st_size} {found.st_mtime_ns}".encode("utf-8", "surrogateescape"))
    return cache_folder() / sort / state.hexdigest()


@cache
def _code() -> str:
    """A hash of the code that computes the cached files."""
    state = xxhash.xxh3_128()
    for path in sorted(Path(reports.__file__).parent.rglob("*.py")):
        state.update(path.read_bytes())
    return state.hexdigest()


def used(path: Path) -> None:
    """Mark a file as recently used."""
    with suppress(OSError):
        os.utime(path)


def keep(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file, whole or not at all, and remove old ones."""
    temporary = temporary_beside(path)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            write(temporary)
            with temporary.open("rb") as file:
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        kept = sorted(path.parent.glob("[!.]*"), key=lambda one: one.stat().st_mtime_ns, reverse=True)
        for old in kept[_MOST_KEPT:]:
            old.unlink()
