"""The lines of a run's texts in a database, piece by piece: the different lines of some samples, and who has each."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import xxhash

from corpora.parquet import LARGEST_ROW_GROUP
from editcore.errors import UsageError
from reports.page.columns import Codes
from reports.runs.columns import distinct, integers, numbers_of
from reports.runs.ids import Ids, Numbers

_SCHEMA = pa.schema([("line", pa.string()), ("samples", pa.list_(pa.int32()))])
_OPTIONS = pa.ipc.IpcWriteOptions(compression="lz4")
_MOST_PAIRS = LARGEST_ROW_GROUP // 16
"""Pairs of a line and a sample in a piece: what no run needs, and still fits into memory."""
_TIP = "They are not of a run that this program made, and are not searched."


class LineStore:
    """Pieces, by number; in a temporary file that ends with the process, or in one that was kept."""

    def __init__(self, kept: Path | None = None) -> None:
        """Raises sqlite3.Error where what was kept is not there, or was cut off."""
        where = f"{kept.as_uri()}?mode=ro" if kept else ""
        self._database = sqlite3.connect(where, uri=True, check_same_thread=False)
        if not kept:
            self._database.execute("pragma page_size = 65536")
            self._database.execute("create table piece (number integer primary key, lines blob, digest blob)")
        self._n, self.n_bytes = self._database.execute(
            "select count(*), coalesce(sum(length(lines)), 0) from piece"
        ).fetchone()

    def __len__(self) -> int:
        return int(self._n)

    def add(self, piece: pa.RecordBatch) -> None:
        """Add a piece. Raises sqlite3.Error where there is no room for it."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, _SCHEMA, options=_OPTIONS) as writer:
            writer.write_batch(piece)
        blob = memoryview(sink.getvalue())
        with self._database:
            self._database.execute("insert into piece values (?, ?, ?)", (self._n, blob, xxhash.xxh3_128_digest(blob)))
        self._n += 1
        self.n_bytes += len(blob)

    def read(self, at: int) -> bytes:
        """A piece as it is stored. Raises sqlite3.Error where it is damaged."""
        blob, digest = self._database.execute("select lines, digest from piece where number = ?", (at,)).fetchone()
        if xxhash.xxh3_128_digest(blob) != digest:
            raise sqlite3.DatabaseError(f"piece {at} was changed")
        return bytes(blob)

    def write(self, path: Path) -> None:
        """Write all pieces into a new file. Raises sqlite3.Error where there is no room for them."""
        self._database.execute("vacuum into ?", (str(path),))


def holding(word: str, stored: bytes) -> Codes:
    """The numbers of the samples of a stored piece with a line that holds a word, in lower case."""
    piece = pa.ipc.open_stream(stored).read_next_batch()
    samples = piece["samples"].filter(pc.match_substring(piece["line"], word))
    return numbers_of(pc.list_flatten(samples))[0]


def piece_of(ids: Ids, near: Numbers, tables: Sequence[pa.Table]) -> pa.RecordBatch:
    """The piece of these rows, tables of ids and texts, most likely of the samples `near`.

    Raises UsageError for texts that would take too much memory.
    """
    lines, line, sample, n = [pa.array([], pa.string())], [np.empty(0, np.int64)], [np.empty(0, np.int64)], 0
    for table in tables:
        numbers = _numbers(ids, near, table["sample_id"])
        for column in table.drop_columns(["sample_id"]).columns:
            texts = column.combine_chunks()
            codes, present = numbers_of(texts.indices)
            here = present & (numbers >= 0)
            text, owner = _pairs(codes[here], numbers[here])
            split = pc.split_pattern(pc.utf8_lower(texts.dictionary), "\n")
            starts = numbers_of(split.offsets)[0].astype(np.int64)
            lengths = starts[text + 1] - starts[text]
            lines.append(split.flatten())
            line.append(n + _places(starts[text], lengths))
            sample.append(np.repeat(owner, lengths))
            n += len(lines[-1])
    if sum(some.nbytes for some in lines) > 2 * LARGEST_ROW_GROUP:
        raise UsageError(f"The texts of some samples take over {2 * LARGEST_ROW_GROUP >> 20} MB", _TIP)
    found = pa.concat_arrays(lines).dictionary_encode()
    of_line = numbers_of(found.indices)[0]
    which, owner = _pairs(of_line[np.concatenate(line)], np.concatenate(sample))
    used = distinct(which)
    ends = np.searchsorted(which, used, side="right").astype(np.int32)
    owners = pa.ListArray.from_arrays(integers(np.concatenate([[0], ends]).astype(np.int32)), integers(owner))
    return pa.record_batch([found.dictionary.take(integers(used)), owners], schema=_SCHEMA)


def _numbers(ids: Ids, near: Numbers, names: pa.ChunkedArray) -> Numbers:
    """(n,) the numbers of samples, of an encoded column of their ids; -1 is no sample."""
    array = names.combine_chunks()
    found: Numbers = ids.numbers_near(array.dictionary, near)[numbers_of(array.indices)[0]]
    return found


def _pairs(one: Codes, other: Codes) -> tuple[Codes, Codes]:
    """The different pairs of two numbers below 2**31, sorted."""
    keys = distinct(one.astype(np.int64) << 32 | other.astype(np.int64))
    return (keys >> 32).astype(np.int32), (keys & 0x7FFFFFFF).astype(np.int32)


def _places(starts: Numbers, lengths: Numbers) -> Numbers:
    """The numbers from each start on, as many as its length. Raises UsageError for too many."""
    ends = np.cumsum(lengths)
    n = int(ends[-1]) if len(ends) else 0
    if n > _MOST_PAIRS:
        raise UsageError(f"The texts of some samples have over {_MOST_PAIRS:,} lines, if each has its own", _TIP)
    return np.arange(n) + np.repeat(starts - ends + lengths, lengths)
