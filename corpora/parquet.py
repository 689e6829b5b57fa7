"""Row groups of Parquet files that somebody else wrote: a small file may decode to gigabytes.

Two bounds protect the memory. A row group is refused before it is read if its metadata says that its columns take
over 512 MB decompressed, or that it has too many values. Metadata may lie, so a row group is also read under a limit
on the memory of the process. Texts are read as dictionaries: a text that many rows share is in memory once.
"""

from __future__ import annotations

import os
import resource
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from editcore.errors import UsageError
from editcore.quoting import first_line

LARGEST_ROW_GROUP = 512 << 20
"""The most bytes of a row group's decompressed columns, and of its values without their texts."""
_MOST_MEMORY = 4 * LARGEST_ROW_GROUP
"""The most bytes that reading a row group may add to the memory of the process."""
_BATCH = 64
"""The rows of a batch."""
_VALUE_BYTES = 16
"""The bytes of a number, or of the index of a text, with its levels."""
_TYPES = {"BOOLEAN", "INT32", "INT64", "FLOAT", "DOUBLE", "BYTE_ARRAY"}
_DEEPEST = 16
_UNBOUNDED = "DELTA_BYTE_ARRAY"
"""An encoding that shares the starts of texts: the decoded size may exceed the size of its pages."""


@lru_cache(maxsize=8)
def _file(path: str, changed: int, as_dictionaries: bool) -> Any:
    """The open Parquet file, cached because reading its metadata may take longer than reading a row group."""
    del changed  # A part of the cache key: a rewritten file is opened again.
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(path)
    columns = [metadata.schema.column(at) for at in range(len(metadata.schema))]
    texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    return pq.ParquetFile(path, metadata=metadata, read_dictionary=texts if as_dictionaries else None)


@contextmanager
def open_parquet(path: Path | str, *, as_dictionaries: bool = False) -> Iterator[Any]:
    """The Parquet file, open; optionally with its texts as dictionaries.

    Raises UsageError for a damaged file, at any point of reading.
    """
    import pyarrow as pa

    tip = "Check that it is a complete Parquet file."
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            raise UsageError(f"{path} cannot be read: it is not a regular file", tip)  # Opening a pipe would block.
        yield _file(str(path), found.st_mtime_ns, as_dictionaries)
    except (pa.ArrowException, OSError) as error:
        raise UsageError(f"{path} cannot be read: {first_line(error)}", tip) from None


def row_batches(path: Path | str, group: int, columns: Sequence[str]) -> Iterator[tuple[Any, Sequence[int]]]:
    """The rows of a row group in record batches, and for each row the bytes of its texts.

    `columns` are top-level columns that the file has. Raises UsageError if the row group is larger than
    `LARGEST_ROW_GROUP`, has types that no sample has, or is damaged.
    """
    with open_parquet(path, as_dictionaries=True) as file:
        check_row_group(path, file.metadata, group, columns)
        # The whole group at once: batches read one by one would each have their own dictionaries.
        with limited_memory(path):
            table = file.read_row_group(group, columns=list(columns), use_threads=False)
        n_rows = file.metadata.row_group(group).num_rows
        if len(table) != n_rows:
            raise UsageError(
                f"{path} cannot be read: row group {group + 1} has {len(table)} of its {n_rows} rows",
                "Write the file again.",
            )
        for rows in table.to_batches():
            sizes = text_bytes(rows)
            for start in range(0, len(rows), _BATCH):
                yield rows.slice(start, _BATCH), sizes[start : start + _BATCH]


@contextmanager
def limited_memory(path: Path | str) -> Iterator[None]:
    """Raise UsageError if the block allocates over `_MOST_MEMORY` bytes. Systems without /proc have no limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    try:
        used = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
    except OSError:
        used = resource.RLIM_INFINITY
    if used == resource.RLIM_INFINITY or 0 <= soft < used + _MOST_MEMORY:
        yield
        return
    try:
        # Arrow reports a failed allocation as an error. The limit is only ever lowered, and then restored.
        resource.setrlimit(resource.RLIMIT_AS, (used + _MOST_MEMORY, hard))
        yield
    except MemoryError:
        raise UsageError(
            f"{path}: decoded, it takes over {_MOST_MEMORY >> 20} MB, more than its metadata say",
            "It is damaged, or was written to fill the memory; leave it out.",
        ) from None
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def check_row_group(path: Path | str, metadata: Any, group: int, columns: Sequence[str] | None = None) -> None:
    """Check types, encodings and sizes of a row group's columns in the metadata; by default of all columns.

    Raises UsageError.
    """
    row_group = metadata.row_group(group)
    n_bytes = row_group.num_rows * _VALUE_BYTES
    for at in range(row_group.num_columns):
        column, chunk = metadata.schema.column(at), row_group.column(at)
        name = column.path.partition(".")[0]
        if columns is not None and name not in columns:
            continue
        if column.physical_type not in _TYPES or column.max_definition_level > _DEEPEST:
            raise UsageError(
                f"{path}, column {column.path[:100]}: it is of the type {column.physical_type}, or nested too deeply",
                "Write the fields of a sample as corpora/README.md lists them.",
            )
        if _UNBOUNDED in chunk.encodings:
            raise UsageError(
                f"{path} cannot be read: row group {group + 1}, column {name}: its encoding {_UNBOUNDED} does not "
                "bound its decoded size",
                "Write the file again.",
            )
        n_bytes += max(chunk.total_uncompressed_size, 0) + max(chunk.num_values, 0) * _VALUE_BYTES
    if not 0 <= n_bytes <= LARGEST_ROW_GROUP:
        raise UsageError(
            f"{path}, row group {group + 1}: {row_group.num_rows} rows, {n_bytes >> 20} MB when it is decoded; the "
            f"limit is {LARGEST_ROW_GROUP >> 20} MB",
            "Write the file with smaller row groups, such as of 500 rows.",
        )


def text_bytes(batch: Any) -> list[int]:
    """(n,) the bytes of all texts in each row of a record batch."""
    return [sum(row) for row in zip([0] * len(batch), *map(_bytes_of, batch.columns), strict=True)]


def _bytes_of(array: Any) -> list[int]:
    """(n,) the bytes of all texts in each value of an array."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    if pa.types.is_dictionary(kind):
        lengths = _bytes_of(array.dictionary)
        return [0 if index is None else lengths[index] for index in array.indices.to_pylist()]
    if pa.types.is_struct(kind):
        fields = [_bytes_of(array.field(at)) for at in range(kind.num_fields)]
        return [sum(row) for row in zip([0] * len(array), *fields, strict=True)]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        inner = _bytes_of(array.values)
        offsets = array.offsets.to_pylist()
        return [sum(inner[start:end]) for start, end in pairwise(offsets)]
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind):
        return [n or 0 for n in pc.binary_length(array).to_pylist()]
    return [0] * len(array)
