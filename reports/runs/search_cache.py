"""The index of a run's texts in the user's cache, so that it is made once.

It is named after the files that it is of: another run, or the same one with other parts, has another name. A file that
is damaged counts as none, and one that cannot be written is not kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import xxhash

from corpora.generation.cached_corpus import cache_folder
from corpora.parquet import check_row_counts, open_parquet, row_group_size
from editcore.errors import UsageError
from reports.runs.parts import part_paths

_MOST_KEPT = 3
"""Indexes; the one that was made first goes."""
_TIP = "It is made again."


def index_path(folder: Path, kinds: Sequence[str], layout: str) -> Path:
    """The file of the index of these kinds of rows; `layout` says how it is made."""
    state = xxhash.xxh3_128(f"{layout}\n{folder.resolve()}".encode("utf-8", "surrogateescape"))
    for kind in kinds:
        for path in part_paths(folder, kind):
            found = path.stat()
            state.update(f"\n{kind} {path.name} {found.st_size} {found.st_mtime_ns}".encode("utf-8", "surrogateescape"))
    return cache_folder() / "search" / f"{state.hexdigest()}.parquet"


def read_index(path: Path, schema: pa.Schema) -> list[dict[str, Any]] | None:
    """The rows of an index, each a row group; None where there is none, or a damaged one."""
    try:
        with open_parquet(path, tip=_TIP) as file:
            check_row_counts(path, file.metadata)
            if not file.schema_arrow.equals(schema):
                return None
            rows: list[dict[str, Any]] = []
            for group in range(file.metadata.num_row_groups):
                row_group_size(path, file.metadata, group, schema.names)
                rows += file.read_row_group(group).to_pylist()
            return rows
    except (UsageError, OSError, ValueError):
        return None


def write_index(path: Path, schema: pa.Schema, rows: Iterable[Mapping[str, Any]]) -> None:
    """Keep the rows of an index."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{token_hex(4)}.tmp")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            with pq.ParquetWriter(temporary, schema, compression="none", use_dictionary=False) as writer:
                for row in rows:
                    writer.write_table(pa.Table.from_pylist([row], schema=schema))
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        kept = sorted(path.parent.glob("*.parquet"), key=lambda one: one.stat().st_mtime_ns, reverse=True)
        for old in kept[_MOST_KEPT:]:
            old.unlink()
