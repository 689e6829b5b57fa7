"""Parquet row groups, read in batches of bounded size: a small file may decode to gigabytes.

Pages are sized before anything is decoded. A row group is then read in plain batches if even the worst one is small,
and with its texts as dictionaries otherwise, so that a text that many rows share is in memory once.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from corpora.parquet_pages import ChunkSize, chunk_size
from editcore.errors import UsageError
from editcore.quoting import first_line

LARGEST_ROW_GROUP = 512 << 20
"""Bytes that the pages of a row group may take decompressed, and its values without their texts."""
_BATCH = 64
"""Rows."""
VALUE_BYTES = 16
"""A number, or the index of a text, with its levels."""
_TYPES = {"BOOLEAN", "INT32", "INT64", "FLOAT", "DOUBLE", "BYTE_ARRAY"}
_DEEPEST = 16


@lru_cache(maxsize=8)
def _file(path: str, changed: int, as_dictionaries: bool) -> Any:
    """The open Parquet file, cached: reading its metadata may take longer than reading a row group."""
    del changed  # A file that was rewritten is opened again.
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(path)
    columns = [metadata.schema.column(at) for at in range(len(metadata.schema))]
    texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    return pq.ParquetFile(path, metadata=metadata, read_dictionary=texts if as_dictionaries else None)


@contextmanager
def open_parquet(
    path: Path | str, *, as_dictionaries: bool = False, tip: str = "Check that it is a complete Parquet file."
) -> Iterator[Any]:
    """The Parquet file, open; with its texts as dictionaries if asked for.

    Raises UsageError where the file is damaged, at any point of reading.
    """
    import pyarrow as pa

    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            raise UsageError(f"{path} cannot be read: it is not a regular file", tip)  # A pipe would be waited for.
        yield _file(str(path), found.st_mtime_ns, as_dictionaries)
    except (pa.ArrowException, OSError) as error:
        raise UsageError(f"{path} cannot be read: {first_line(error)}", tip) from None


def row_batches(path: Path | str, group: int, columns: Sequence[str]) -> Iterator[tuple[Any, Sequence[int] | None]]:
    """The rows of a row group in record batches, and for each row the bytes of its texts.

    None instead of the bytes where all texts of a batch fit into memory whatever they are. `columns` are names of
    top-level columns that the file has. Raises UsageError where the row group is larger than `LARGEST_ROW_GROUP`, of
    types that no sample has, or damaged.
    """
    with open_parquet(path) as file:
        n_rows = file.metadata.row_group(group).num_rows
        n_read = 0
        if _worst_batch(row_group_size(path, file.metadata, group, columns), n_rows) <= LARGEST_ROW_GROUP:
            batches = file.iter_batches(_BATCH, row_groups=[group], columns=list(columns), use_threads=False)
            for batch in batches:
                n_read += len(batch)
                yield batch, None
        else:
            for rows in _with_dictionaries(path, group, columns):
                sizes = text_bytes(rows)
                for start in range(0, len(rows), _BATCH):
                    batch = rows.slice(start, _BATCH)
                    n_read += len(batch)
                    yield batch, sizes[start : start + _BATCH]
    if n_read != n_rows:
        raise UsageError(
            f"{path} cannot be read: row group {group + 1} has {n_read} of its {n_rows} rows", "Write the file again."
        )


def _with_dictionaries(path: Path | str, group: int, columns: Sequence[str]) -> Sequence[Any]:
    """The rows of a row group as record batches that hold each text once."""
    with open_parquet(path, as_dictionaries=True) as file:
        batches: Sequence[Any] = file.read_row_group(group, columns=list(columns), use_threads=False).to_batches()
        return batches


def check_row_counts(path: Path | str, metadata: Any) -> None:
    """Refuse row groups with more rows than could be read. Raises UsageError."""
    for group in range(metadata.num_row_groups):
        n_rows = metadata.row_group(group).num_rows
        if not 0 <= n_rows * VALUE_BYTES <= LARGEST_ROW_GROUP:
            raise _too_large(path, group, n_rows)


def row_group_size(
    path: Path | str, metadata: Any, group: int, columns: Sequence[str], *, looks_inside: bool = True
) -> list[ChunkSize]:
    """The sizes of the column chunks of these columns, see `chunk_size`. Raises UsageError as `row_batches` does."""
    row_group = metadata.row_group(group)
    found: list[ChunkSize] = []
    total = 0
    with open(path, "rb") as file:
        for at in range(row_group.num_columns):
            name = metadata.schema.column(at).path.partition(".")[0]
            if name not in columns:
                continue
            _check_type(path, metadata.schema.column(at))
            try:
                size = chunk_size(file, row_group.column(at), LARGEST_ROW_GROUP, looks_inside=looks_inside)
            except (ValueError, OverflowError) as error:
                raise UsageError(
                    f"{path} cannot be read: row group {group + 1}, column {name}: {error}", "Write the file again."
                ) from None
            found.append(size)
            total += size.n_bytes + VALUE_BYTES * size.n_values
            if total > LARGEST_ROW_GROUP:
                raise _too_large(path, group, row_group.num_rows, total)
    return found


def _too_large(path: Path | str, group: int, n_rows: int, n_bytes: int = 0) -> UsageError:
    size = f", {n_bytes >> 20} MB or more when it is decoded" if n_bytes else ""
    return UsageError(
        f"{path}, row group {group + 1}: {n_rows} rows{size}; the limit is {LARGEST_ROW_GROUP >> 20} MB",
        "Write the file with smaller row groups, such as of 500 rows.",
    )


def check_row_groups(path: Path | str, *, tip: str) -> None:
    """Check that each row group fits into memory, for readers that read one after the other.

    Raises UsageError as `row_batches` does. `tip` is for a damaged file.
    """
    with open_parquet(path, tip=tip) as file:
        metadata = file.metadata
    check_row_counts(path, metadata)
    names = {metadata.schema.column(at).path.partition(".")[0] for at in range(len(metadata.schema))}
    for group in range(metadata.num_row_groups):
        row_group_size(path, metadata, group, sorted(names))


def check_whole(path: Path | str, columns: Sequence[str], *, tip: str, as_dictionaries: bool = False) -> None:
    """Check that these columns fit into memory when the whole file is read. Raises UsageError as `row_batches` does.

    With `as_dictionaries` each text counts once for a row group. `tip` is for a damaged file.
    """
    with open_parquet(path, as_dictionaries=as_dictionaries, tip=tip) as file:
        metadata = file.metadata
    check_row_counts(path, metadata)
    # A bound that is quick to find is enough for most files.
    group: int | None = 0
    for bound in (
        (_dictionary_bytes,) if as_dictionaries else (_bound, partial(_bound, looks_inside=True), _exact_bytes)
    ):
        group = _overfull(path, metadata, columns, bound)
        if group is None:
            return
    raise UsageError(
        f"{path}: decoded, it takes over {LARGEST_ROW_GROUP >> 20} MB by row group {(group or 0) + 1}",
        "It is not a file that this program wrote; leave it out.",
    )


Bound = Callable[[Path | str, Any, int, Sequence[str]], int]
"""(path, metadata, row group, columns) -> bytes that the columns take when they are decoded, or more."""


def _overfull(path: Path | str, metadata: Any, columns: Sequence[str], bound: Bound) -> int | None:
    """The row group by which a file may take more than `LARGEST_ROW_GROUP` bytes; None where it cannot."""
    n_bytes = 0
    for group in range(metadata.num_row_groups):
        n_bytes += bound(path, metadata, group, columns)
        if n_bytes > LARGEST_ROW_GROUP:
            return group
    return None


def _dictionary_bytes(path: Path | str, metadata: Any, group: int, columns: Sequence[str]) -> int:
    sizes = row_group_size(path, metadata, group, columns, looks_inside=False)
    return sum(size.n_bytes + VALUE_BYTES * size.n_values for size in sizes)


def _bound(path: Path | str, metadata: Any, group: int, columns: Sequence[str], *, looks_inside: bool = False) -> int:
    """As if every text were as long as all texts of its dictionary, or with `looks_inside` as the longest of them."""
    sizes = row_group_size(path, metadata, group, columns, looks_inside=looks_inside)
    return sum(size.n_bytes + (size.longest + VALUE_BYTES) * size.n_values for size in sizes)


def _exact_bytes(path: Path | str, metadata: Any, group: int, columns: Sequence[str]) -> int:
    """The lengths of all texts added up: the longest may be there once only."""
    sizes = row_group_size(path, metadata, group, columns)
    texts = sum(sum(text_bytes(batch)) for batch in _with_dictionaries(path, group, columns))
    return texts + VALUE_BYTES * sum(size.n_values for size in sizes)


def _check_type(path: Path | str, column: Any) -> None:
    if column.physical_type not in _TYPES or column.max_definition_level > _DEEPEST:
        raise UsageError(
            f"{path}, column {column.path[:100]}: it is of the type {column.physical_type}, or nested too deeply",
            "Write the fields of a sample as corpora/README.md lists them.",
        )


def _worst_batch(sizes: Sequence[ChunkSize], n_rows: int) -> int:
    """The most bytes that a batch can take: every row has one value at least, so the others have all the rest."""
    return sum(
        size.n_bytes + size.longest * max(0, min(size.n_values, size.n_values - n_rows + _BATCH)) for size in sizes
    )


def text_bytes(batch: Any) -> list[int]:
    """(n,) for each row of a record batch, the bytes of all texts in it."""
    total = [0] * len(batch)
    for column in batch.columns:
        for row, n in enumerate(_bytes_of(column)):
            total[row] += n
    return total


def _bytes_of(array: Any) -> list[int]:
    """(n,) for each value of an array, the bytes of all texts in it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    if pa.types.is_dictionary(kind):
        lengths = _bytes_of(array.dictionary)
        return [0 if index is None else lengths[index] for index in array.indices.to_pylist()]
    if pa.types.is_struct(kind):
        total = [0] * len(array)
        for at in range(kind.num_fields):
            for row, n in enumerate(_bytes_of(array.field(at))):
                total[row] += n
        return total
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        inner = _bytes_of(array.values)
        offsets = array.offsets.to_pylist()
        return [sum(inner[start:end]) for start, end in pairwise(offsets)]
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind):
        return [n or 0 for n in pc.binary_length(array).to_pylist()]
    return [0] * len(array)
