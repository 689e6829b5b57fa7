"""Which samples of a run hold a word: an index of the lines of their texts, made while something is sought.

A word has no line feed in it, so it is enough to look at every distinct line once, and to know which samples have it.
An index of a million samples with recorded edits takes some 400 MB; each batch of rows is a piece of it, compressed.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from reports.page.columns import Codes, Mask
from reports.page.ids import Ids, Numbers
from reports.page.memory import give_back
from reports.runs.columns import distinct, integers, joined, numbers_of
from reports.runs.parts import encoded_tables, kind_tables, part_paths
from reports.runs.search_cache import index_path, read_index, write_index

_SEARCHED = {
    "texts": ("edit", "path", "place"),
    "changes": ("path", "after"),
    "wrong_edits": ("edit", "path", "given"),
    "outcomes": ("message", "error"),
}
"""Kind of rows -> the columns that words are sought in; wrong edits only where an older version wrote the run."""
_ROWS = 12_000
"""Of one piece, of texts; a few more where a part is larger."""
_LARGEST = 2 << 30
"""Bytes of an index; what does not fit is not searched."""
_WORTH_KEEPING = 100_000
"""Samples of a run whose index is kept in the user's cache: of fewer it is made in seconds."""
_LAYOUT = 1
"""Of the pieces, and of the numbers of samples; one more whenever they change."""
_THREADS = 2
_KEPT = 64
"""Words whose samples are kept."""


class Hits(NamedTuple):
    """The samples that hold a word, as far as they were searched."""

    samples: Mask
    is_complete: bool
    share: float
    """The share of the parts of texts that was searched, 0 to 1."""


@dataclass(slots=True)
class _Sought:
    """What is known of a word so far."""

    samples: Mask
    n_pieces: int = 0
    """The pieces that were looked at."""
    without: set[int] = field(default_factory=set)
    """Those of them that do not have it."""


class Search:
    """The texts of a run."""

    def __init__(self, folder: Path, ids: Ids) -> None:
        self._folder, self._ids = folder, ids
        self._lower = pc.utf8_lower(ids.array)
        has_texts = any(len(table) for table in kind_tables(folder, "texts", "line"))
        self._kinds = [kind for kind in _SEARCHED if not (has_texts and kind == "wrong_edits")]
        self._n_parts = sum(len(part_paths(folder, kind)) for kind in self._kinds)
        self._n_read = 0
        self._tables = self._read()
        self._is_made = False
        self._pieces: list[_Piece] = []
        self._sought: OrderedDict[str, _Sought] = OrderedDict()
        self._is_kept = len(ids) >= _WORTH_KEEPING
        self._lock = Lock()
        self._threads = ThreadPoolExecutor(_THREADS)

    def holding(self, word: str, *, seconds: float) -> Hits:
        """The samples whose id or texts hold a word, in any case; the search goes on for so long, then returns."""
        word = word.lower()
        until = time.monotonic() + seconds
        with self._lock:
            found = self._sought.get(word) or self._begun(word)
            while found.n_pieces < len(self._pieces) or (until > time.monotonic() and self._grow()):
                self._look(word, found)
                if time.monotonic() > until:
                    break
            is_complete = self._is_made and found.n_pieces == len(self._pieces)
            looked_at = found.n_pieces / len(self._pieces) if self._pieces else 1.0
            return Hits(found.samples.copy(), is_complete, looked_at * self._n_read / max(1, self._n_parts))

    def _begun(self, word: str) -> _Sought:
        if len(self._sought) >= _KEPT:
            self._sought.popitem(last=False)
        found = self._sought[word] = _Sought(_flags(pc.match_substring(self._lower, word)))
        return found

    def _look(self, word: str, found: _Sought) -> None:
        """Look for the word in the next pieces."""
        numbers = range(found.n_pieces, min(found.n_pieces + 2 * _THREADS, len(self._pieces)))
        known = [self._sought[one] for one in self._sought if one in word and one != word]
        some = [at for at in numbers if not any(at in one.without for one in known)]
        found.without.update(set(numbers) - set(some))
        pieces = [self._pieces[at] for at in some]
        for at, samples in zip(some, self._threads.map(partial(_holding, word=word.encode()), pieces), strict=True):
            found.samples[samples] = True
            if not len(samples):
                found.without.add(at)
        found.n_pieces = numbers.stop

    def _grow(self) -> bool:
        """Add pieces; False where there are no more."""
        if self._is_made:
            return False
        if not self._pieces and self._is_kept and self._take_kept():
            return True
        tables = [one for _ in range(_THREADS) if (one := next(self._tables, None)) is not None]
        pieces = [*self._threads.map(partial(_piece, self._ids), tables)]
        self._pieces += [one for one in pieces if one is not None]
        self._is_made = not tables or sum(one.n_bytes for one in self._pieces) > _LARGEST
        if self._is_made and self._is_kept:
            if not tables:
                write_index(self._path(), _SCHEMA, map(asdict, self._pieces))
            give_back()
        return bool(tables)

    def _take_kept(self) -> bool:
        """Take the index from the cache, if it is there."""
        rows = read_index(self._path(), _SCHEMA)
        if rows:
            self._pieces = [_Piece(**row) for row in rows]
            self._n_read, self._is_made = self._n_parts, True
        return bool(rows)

    def _path(self) -> Path:
        return index_path(self._folder, ("outcomes", *self._kinds), f"{_LAYOUT} {len(self._ids)}")

    def _read(self) -> Iterator[pa.Table]:
        """Tables of ids and texts."""
        for kind in self._kinds:
            read, n_rows = (encoded_tables, 16 * _ROWS) if kind == "outcomes" else (kind_tables, _ROWS)
            yield from joined(self._counted(read(self._folder, kind, "sample_id", *_SEARCHED[kind])), n_rows=n_rows)

    def _counted(self, tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
        for table in tables:
            self._n_read += 1
            yield table


@dataclass(frozen=True, slots=True)
class _Piece:
    """The distinct lines of some rows, in lower case, and the samples that have each; its fields are `_SCHEMA`'s."""

    lines: bytes
    """Compressed: each with its line feed."""
    n_text: int
    ends: bytes
    """Compressed int32: where each line ends."""
    n_lines: int
    first: bytes
    """Compressed int32: for each line its first place in `samples`, and the end of the last one's."""
    samples: bytes
    """Compressed int32: for each line the numbers of its samples."""
    n_samples: int

    @property
    def n_bytes(self) -> int:
        return len(self.lines) + len(self.ends) + len(self.first) + len(self.samples)


_SCHEMA = pa.schema(
    [
        pa.field(name, pa.binary() if name in ("lines", "ends", "first", "samples") else pa.int64(), nullable=False)
        for name in _Piece.__slots__
    ]
)
_CODEC = pa.Codec("zstd", compression_level=1)


def _packed(numbers: npt.NDArray[np.int32]) -> bytes:
    packed: bytes = _CODEC.compress(numbers.tobytes(), asbytes=True)
    return packed


def _unpacked(packed: bytes, n: int) -> npt.NDArray[np.int32]:
    return np.frombuffer(_CODEC.decompress(packed, 4 * n, asbytes=True), dtype=np.int32)


def _piece(ids: Ids, table: pa.Table) -> _Piece | None:
    """The piece of some rows; None without any text."""
    sample_ids = table["sample_id"].cast(pa.string())
    numbers = ids.numbers(sample_ids)
    lines, owners = _lines_of(table.drop_columns(["sample_id"]), numbers)
    if not len(lines):
        return None
    known = lines.dictionary_encode()
    codes = numbers_of(known.indices)[0].astype(np.int64)
    n = len(known.dictionary)
    pairs = distinct(codes * len(ids) + owners)
    line = pairs // len(ids)
    first = np.zeros(n + 1, dtype=np.int32)
    np.cumsum(np.bincount(line, minlength=n), out=first[1:])
    text = pc.binary_join_element_wise(known.dictionary, "", "\n")
    _, offsets, data = text.buffers()
    ends = np.frombuffer(offsets, dtype=np.int32, count=n + 1, offset=4 * text.offset)
    body = data.slice(int(ends[0]), int(ends[-1] - ends[0]))
    compressed = _CODEC.compress(body, asbytes=True)
    return _Piece(
        compressed, body.size, _packed(ends[1:] - ends[0]), n, _packed(first),
        _packed((pairs % len(ids)).astype(np.int32)), len(pairs),
    )  # fmt: skip


def _lines_of(table: pa.Table, numbers: Numbers) -> tuple[pa.StringArray, Numbers]:
    """The lines of all texts in lower case, and the number of the sample that each is of."""
    found: list[pa.Array] = []
    owners: list[Numbers] = []
    for column in table.columns:
        texts, of = _owned(column, numbers)
        lists = pc.split_pattern(pc.utf8_lower(texts), "\n")
        found.append(pc.list_flatten(lists))
        owners.append(of[numbers_of(pc.list_parent_indices(lists))[0]])
    return pa.concat_arrays(found), np.concatenate(owners)


def _owned(column: pa.ChunkedArray, numbers: Numbers) -> tuple[pa.StringArray, Numbers]:
    """The texts of a column, each once for a sample, and the numbers of those samples; without absent texts."""
    array = column.combine_chunks()
    here = numbers >= 0
    if pa.types.is_dictionary(array.type):
        codes, present = numbers_of(array.indices)
        here &= present
        n = max(1, len(array.dictionary))
        pairs = distinct(numbers[here] * n + codes[here])
        return array.dictionary.take(integers(pairs % n)), pairs // n
    here &= _flags(pc.is_valid(array))
    return (array if here.all() else array.take(integers(np.flatnonzero(here)))), numbers[here]


def _flags(array: Any) -> Mask:
    """(n,) the values of an Arrow array of booleans; an absent one is False."""
    bits = pc.fill_null(array, False).buffers()[1]
    found = np.unpackbits(np.frombuffer(bits, dtype=np.uint8), bitorder="little")
    return found[array.offset : array.offset + len(array)].astype(np.bool_)


def _holding(piece: _Piece, *, word: bytes) -> Codes:
    """The numbers of the samples with a line that has this word."""
    text = _CODEC.decompress(piece.lines, piece.n_text, asbytes=True)
    at = text.find(word)
    if at < 0 or not word:
        return np.empty(0, dtype=np.int32)
    ends, first = _unpacked(piece.ends, piece.n_lines), _unpacked(piece.first, piece.n_lines + 1)
    samples = _unpacked(piece.samples, piece.n_samples)
    hits = []
    while at >= 0:
        hits.append(at)
        at = text.find(word, text.find(b"\n", at))
    lines = np.searchsorted(ends, np.array(hits), side="right")
    return _ranges(samples, first[lines], first[lines + 1])


def _ranges(values: Codes, starts: Codes, stops: Codes) -> Codes:
    """The values from each start to its stop."""
    inside = np.zeros(len(values) + 1, dtype=np.int32)
    np.add.at(inside, starts, 1)
    np.add.at(inside, stops, -1)
    return values[np.cumsum(inside[:-1]) > 0]
