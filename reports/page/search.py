"""Which samples of a run hold a word: an index of the words and lines of their texts, made while something is sought.

It is in a file, in the user's cache where the run is large, so that it takes no memory.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reports.page.columns import Codes, Mask
from reports.page.ids import Ids, Numbers
from reports.page.memory import give_back
from reports.page.piece_store import PieceStore, kept_store, new_store
from reports.page.pieces import flags, holding, piece
from reports.runs.parts import kind_tables, part_names, part_table
from reports.runs.run_cache import WORTH_KEEPING, cached_path, keep, used

_SEARCHED = {
    "texts": ("edit", "path", "place"),
    "changes": ("path", "before", "after"),
    "wrong_edits": ("edit", "path", "given"),
    "outcomes": ("message", "error"),
}
"""Kind of rows -> the columns that words are sought in; wrong edits only where an older version wrote the run."""
_ROWS = 3_000
"""Of one piece, of texts; a few more where a part is larger."""
_STRATEGIES = 16
"""Outcomes that count as one row."""
_BYTES = 256 << 20
"""Of the texts of one piece, likewise."""
_LARGEST = 8 << 30
"""Bytes of an index; what does not fit is not searched."""
_THREADS = 2
_KEPT = 64
"""Words whose samples are kept."""


class Hits(NamedTuple):
    """The samples that hold a word, as far as they were searched."""

    samples: Mask
    is_complete: bool
    share: float
    """The share of the parts that was searched, 0 to 1."""


@dataclass(slots=True)
class _Sought:
    """What is known of a word so far."""

    samples: Mask
    n_pieces: int = 0
    """The pieces that were looked at."""
    without: set[int] = field(default_factory=set)
    """Those of them that do not have it."""


class _Group(NamedTuple):
    """The rows of some parts."""

    n_parts: int
    near: Numbers
    """The samples that these parts have, as far as the run says so."""
    tables: list[pa.Table]
    """Of ids and texts, one for each kind."""


class Search:
    """The texts of a run."""

    def __init__(self, folder: Path, ids: Ids, part: Codes) -> None:
        """`part` is that of `Columns`."""
        self._folder, self._ids, self._part = folder, ids, part
        self._numbered = {name: at for at, name in enumerate(part_names(folder, "samples"))}
        self._lower = pc.utf8_lower(ids.array)
        has_texts = any(len(table) for table in kind_tables(folder, "texts", "line"))
        self._kinds = [kind for kind in _SEARCHED if not (has_texts and kind == "wrong_edits")]
        self._parts = sorted({part for kind in self._kinds for part in part_names(folder, kind)})
        self._n_read = 0
        self._groups = self._grouped()
        self._is_made = False
        self._store: PieceStore | None = None
        self._sought: OrderedDict[str, _Sought] = OrderedDict()
        self._is_kept = len(ids) >= WORTH_KEEPING
        self._lock = Lock()
        self._threads = ThreadPoolExecutor(_THREADS)

    def holding(self, word: str, *, seconds: float) -> Hits:
        """The samples whose id or texts hold a word, in any case; the search goes on for so long, then returns."""
        word = word.lower()
        until = time.monotonic() + seconds
        with self._lock:
            store = self._begun()
            found = self._sought.get(word) or self._new(word)
            while found.n_pieces < len(store) or (until > time.monotonic() and self._grow(store)):
                self._look(store, word, found)
                if time.monotonic() > until:
                    break
            is_complete = self._is_made and found.n_pieces == len(store)
            looked_at = found.n_pieces / len(store) if len(store) else 1.0
            return Hits(found.samples.copy(), is_complete, looked_at * self._n_read / max(1, len(self._parts)))

    def _begun(self) -> PieceStore:
        """The index so far; the one that is kept, if there is one."""
        if self._store is not None:
            return self._store
        path = self._path() if self._is_kept else None
        if path is not None and (known := kept_store(path)) is not None:
            used(path)
            self._n_read, self._is_made = len(self._parts), True
            self._store = known
        else:
            self._store = new_store(path.parent if path else None)
        return self._store

    def _new(self, word: str) -> _Sought:
        if len(self._sought) >= _KEPT:
            self._sought.popitem(last=False)
        found = self._sought[word] = _Sought(flags(pc.match_substring(self._lower, word)))
        return found

    def _look(self, store: PieceStore, word: str, found: _Sought) -> None:
        """Look for the word in the next pieces."""
        numbers = range(found.n_pieces, min(found.n_pieces + 2 * _THREADS, len(store)))
        known = [self._sought[one] for one in self._sought if one in word and one != word]
        some = [at for at in numbers if not any(at in one.without for one in known)]
        found.without.update(set(numbers) - set(some))
        for at, samples in zip(
            some, self._threads.map(partial(holding, store, sought=word.encode()), some), strict=True
        ):
            found.samples[samples] = True
            if not len(samples):
                found.without.add(at)
        found.n_pieces = numbers.stop

    def _grow(self, store: PieceStore) -> bool:
        """Add pieces; False where there are no more."""
        if self._is_made:
            return False
        groups = [group for _ in range(_THREADS) if (group := next(self._groups, None)) is not None]
        try:
            for blobs in self._threads.map(lambda group: piece(self._ids, group.near, group.tables), groups):
                if blobs is not None:
                    store.add(blobs)
        except OSError:  # There is no room for it.
            self._is_made = True
            return False
        self._n_read += sum(group.n_parts for group in groups)
        self._is_made = not groups or store.n_bytes > _LARGEST
        if self._is_made and self._is_kept:
            if not groups:
                keep(self._path(), store.write)
            give_back()
        return bool(groups)

    def _path(self) -> Path:
        return cached_path(self._folder, "search", ("outcomes", *self._kinds))

    def _grouped(self) -> Iterator[_Group]:
        """The parts, some at a time, each with its tables of ids and texts."""
        parts: list[str] = []
        held: list[list[pa.Table]] = []
        n_rows = n_bytes = 0
        for part in self._parts:
            tables = [self._table(kind, part) for kind in self._kinds]
            held.append(tables)
            parts.append(part)
            n_rows += max(len(tables[0]), len(tables[-1]) // _STRATEGIES)
            n_bytes += sum(table.nbytes for table in tables)
            if n_rows >= _ROWS or n_bytes >= _BYTES:
                yield self._together(parts, held)
                parts, held, n_rows, n_bytes = [], [], 0, 0
        if held:
            yield self._together(parts, held)

    def _table(self, kind: str, part: str) -> pa.Table:
        columns = ("sample_id", *_SEARCHED[kind])
        return part_table(self._folder, kind, part, *columns, as_dictionaries=True)

    def _together(self, parts: list[str], held: list[list[pa.Table]]) -> _Group:
        tables = [pa.concat_tables(some).unify_dictionaries() for some in zip(*held, strict=True)]
        numbers = [self._numbered[part] for part in parts if part in self._numbered]
        return _Group(len(parts), np.flatnonzero(np.isin(self._part, numbers)), tables)
