"""The pieces of an index in one file: written one after the other, read blob by blob.

The file ends with a table of the blobs, the table's length and its hash.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO
from weakref import finalize

import msgspec
import pyarrow as pa
import xxhash

_COMPRESSED = ("lines", "lines.ends", "lines.first", "lines.samples")
"""Blobs that are compressed: those that few searches read."""
_N_LENGTH = 8
_N_HASH = 16
_CODEC = pa.Codec("zstd", compression_level=1)


class _Blob(msgspec.Struct, array_like=True, frozen=True):
    start: int
    n_stored: int
    n: int


_Table = list[dict[str, _Blob]]


class PieceStore:
    """Pieces, each a mapping of names to bytes, in a file that nobody else writes."""

    def __init__(self, file: BinaryIO, table: _Table) -> None:
        self._file, self._table = file, table
        finalize(self, file.close)
        self.n_bytes = sum(blob.n_stored for piece in table for blob in piece.values())

    def __len__(self) -> int:
        return len(self._table)

    def add(self, blobs: Mapping[str, bytes]) -> None:
        """Add a piece. Raises OSError where there is no room for it."""
        self._file.seek(self.n_bytes)
        found, start = {}, self.n_bytes
        for name, raw in blobs.items():
            stored = _CODEC.compress(raw, asbytes=True) if name in _COMPRESSED else raw
            self._file.write(stored)
            found[name] = _Blob(start, len(stored), len(raw))
            start += len(stored)
        self._file.flush()
        self._table.append(found)
        self.n_bytes = start

    def read(self, at: int, name: str) -> bytes:
        """The blob of that name of a piece, by number."""
        blob = self._table[at][name]
        stored = os.pread(self._file.fileno(), blob.n_stored, blob.start)
        return _CODEC.decompress(stored, blob.n, asbytes=True) if name in _COMPRESSED else stored

    def write(self, path: Path) -> None:
        """Write the file."""
        table = msgspec.json.encode(self._table)
        with path.open("xb") as file:
            self._file.seek(0)
            shutil.copyfileobj(self._file, file, 1 << 20)
            file.truncate(self.n_bytes)
            file.seek(self.n_bytes)
            file.write(table + len(table).to_bytes(_N_LENGTH, "big") + xxhash.xxh3_128_digest(table))


def new_store(folder: Path | None) -> PieceStore:
    """An empty store, in a file without a name: in this folder, if that can be."""
    with suppress(OSError):
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            return PieceStore(_nameless(folder), [])
    return PieceStore(_nameless(None), [])


def _nameless(folder: Path | None) -> Any:
    return TemporaryFile(dir=folder)


def kept_store(path: Path) -> PieceStore | None:
    """The store in a file; None where there is none, or one that was cut off or changed."""
    try:
        with ExitStack() as left:
            file = left.enter_context(path.open("rb"))
            n = file.seek(0, os.SEEK_END) - _N_LENGTH - _N_HASH
            n_table = int.from_bytes(os.pread(file.fileno(), _N_LENGTH, n), "big")
            if n_table > n:
                return None
            table = os.pread(file.fileno(), n_table, n - n_table)
            if os.pread(file.fileno(), _N_HASH, n + _N_LENGTH) != xxhash.xxh3_128_digest(table):
                return None
            found = PieceStore(file, msgspec.json.decode(table, type=_Table))
            if found.n_bytes != n - n_table:
                return None
            left.pop_all()
            return found
    except (OSError, ValueError, OverflowError, msgspec.MsgspecError):
        return None
