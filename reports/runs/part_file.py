"""The file of a part, checked and open: a run may have thousands, so that a small one is read from disk at once."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from corpora import parquet
from corpora.parquet_pages import chunk_size

_SMALL = 512 << 10
"""Bytes of a file that is read at once."""
_TYPES = {"INT32", "INT64", "BYTE_ARRAY"}


@contextmanager
def part_file(path: Path, columns: Sequence[str], encoded: Collection[str], *, tip: str) -> Iterator[pq.ParquetFile]:
    """The Parquet file, whose columns of these names fit into memory; texts of the columns `encoded` as dictionaries.

    Raises UsageError as `corpora.parquet.check_whole` does.
    """
    data = _small_file(path)
    try:
        found = None if data is None else _opened(data, encoded)
    except (pa.ArrowException, OSError):
        found = None  # The slow way says what is wrong with it.
    if data is not None and found and _surely_fits(data, found.metadata, columns, encoded):
        yield found
        return
    plain = [name for name in columns if name not in encoded]
    parquet.check_whole(path, plain, tip=tip)
    if encoded:
        parquet.check_whole(path, [*encoded], tip=tip, as_dictionaries=True)
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


def _surely_fits(data: bytes, metadata: pq.FileMetaData, columns: Collection[str], encoded: Collection[str]) -> bool:
    """Whether the columns fit into memory even if every text that is not encoded were as long as all of its dictionary.

    False for damaged pages, too: what is wrong with them is found the slow way.
    """
    names = [metadata.schema.column(at).path.partition(".")[0] for at in range(metadata.num_columns)]
    total, pages = 0, BytesIO(data)
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        if not 0 <= group.num_rows * parquet.VALUE_BYTES <= parquet.LARGEST_ROW_GROUP:
            return False
        for at, name in enumerate(names):
            if name not in columns:
                continue
            if metadata.schema.column(at).physical_type not in _TYPES:
                return False
            try:
                size = chunk_size(pages, group.column(at), parquet.LARGEST_ROW_GROUP, looks_inside=False)
            except (ValueError, OverflowError):
                return False
            longest = 0 if name in encoded else size.longest
            total += size.n_bytes + (longest + parquet.VALUE_BYTES) * size.n_values
            if total > parquet.LARGEST_ROW_GROUP:
                return False
    return True
