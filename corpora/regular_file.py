"""Regular files, opened without waiting for a pipe and read up to a limit: a name may lead to any kind of file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from errno import ENOSPC
from pathlib import Path
from secrets import token_hex

from editcore.errors import UsageError


def open_regular(path: Path, flags: int, *, follows: bool = False) -> int:
    """The descriptor of a regular file. Raises OSError for any other file, and for a link unless it `follows`."""
    links = 0 if follows else os.O_NOFOLLOW
    descriptor = os.open(path, flags | links | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError("it is not a regular file")
    return descriptor


def temporary_beside(path: Path) -> Path:
    """A new hidden name in the folder of a path. No other thread, process or machine has it."""
    return path.with_name(f".{path.name}.{os.getpid()}.{token_hex(4)}.tmp")


def content(path: Path, most: int, *, follows: bool = True) -> bytes:
    """The content of a regular file of at most `most` bytes. Raises OSError for other files."""
    with open(open_regular(path, os.O_RDONLY, follows=follows), "rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(f"it has more than {most >> 20:,} MB" if most >> 20 else f"it has more than {most:,} bytes")
    return data


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name the file in an OSError that does not: a full disk is reported by the write, which knows no name."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = str(path)
        raise


def append_whole(path: Path, descriptor: int, line: bytes, *, synced: bool = False) -> None:
    """Append a line to the open file of a path, while nobody else writes.

    After an OSError the file is unchanged. Raises OSError also if the path no longer names the open file, since the
    line would be lost.
    """
    if not _is_named(path, descriptor):
        raise OSError(f"{path} was removed or replaced meanwhile")
    size = os.fstat(descriptor).st_size
    try:
        with naming(path):
            _write(descriptor, line, synced=synced)
    except BaseException:
        os.ftruncate(descriptor, size)
        raise


def _write(descriptor: int, line: bytes, *, synced: bool) -> None:
    if os.write(descriptor, line) != len(line):
        raise OSError(ENOSPC, "only a part of the line could be written; is the disk full?")
    if synced:
        os.fsync(descriptor)


def _is_named(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.lstat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def cannot_open(path: Path, error: OSError) -> UsageError:
    """The error for a file that could not be opened."""
    what = "is a link, or leads through too many" if path.is_symlink() else error.strerror or str(error)
    return UsageError(f"{path} cannot be opened: {what}", "Name another file.")
