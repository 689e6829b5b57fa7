"""The file of a part, checked and open: a run may have thousands, so that a small one is read from disk at once."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from corpora import parquet

_SMALL = 512 << 10
"""Bytes of a file that is read at once."""


@contextmanager
def part_file(path: Path, encoded: Collection[str], *, tip: str) -> Iterator[pq.ParquetFile]:
    """The Parquet file, with the texts of the columns `encoded` as dictionaries.

    Raises UsageError for a damaged file.
    """
    data = _small_file(path)
    try:
        found = None if data is None else _opened(data, encoded)
    except (pa.ArrowException, OSError):
        found = None  # The slow way says what is wrong with it.
    if found is not None:
        yield found
        return
    with parquet.open_parquet(path, tip=tip) as file:
        yield _encoding(path, file, encoded) if encoded else file


def _small_file(path: Path) -> bytes | None:
    """The bytes of a small regular file; None of any other."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # A pipe would be waited for.
    except OSError:
        return None
    with open(number, "rb", buffering=0) as file:
        found = os.fstat(number)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _SMALL:
            return None
        return file.read(found.st_size)


def _opened(data: bytes, encoded: Collection[str]) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(pa.BufferReader(data), read_dictionary=[*encoded], pre_buffer=False)
    except KeyError:  # An older version wrote it, without some of the columns.
        plain = pq.ParquetFile(pa.BufferReader(data), pre_buffer=False)
        return _encoding(pa.BufferReader(data), plain, encoded)


def _encoding(source: Path | pa.BufferReader, file: pq.ParquetFile, encoded: Collection[str]) -> pq.ParquetFile:
    """The same file, with those columns that it has encoded."""
    known = [name for name in file.schema_arrow.names if name in encoded]
    return pq.ParquetFile(source, metadata=file.metadata, read_dictionary=known, pre_buffer=False)
