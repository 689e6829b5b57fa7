"""The samples of a run that `editgauge serve` pages: filtered and searched in memory, texts read on demand."""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from tempfile import mkstemp
from threading import Lock
from typing import Any, NamedTuple
from weakref import finalize

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from editcore.errors import UsageError
from reports.page.columns import Columns, read_columns, with_reviews
from reports.page.document import page_html
from reports.page.head import head
from reports.page.packing import Progress, give_back, no_progress
from reports.page.texts import record_in
from reports.runs.columns import Ids, Numbers, distinct, integers, numbers_of
from reports.runs.run_folder import RunFolder
from reports.statistics.grid import Codes, Mask

# Search for a word in the ids and texts of a run's samples, ignoring case.
#
# The texts of a run repeat each other: a sample's edit, its place and its results share most lines, and so do the
# samples of one file. A run of 140,000 samples has 502 MB of texts; the distinct lines of each 3,000 samples are 112
# MB, or 72 MB compressed:
#
#     texts            s1: edit, place, changes ...   s2: edit, place, changes ...   ...
#     one piece        total = 0        -> s1, s7
#                      return total     -> s1, s2, s7, s9
#
# The first search stores these lines, each with its samples, in a file (6 s). Every search scans the lines with Arrow's
# `match_substring` (0.2 to 0.4 s) within its time limit; a partial result is a result, too. What every change must
# keep: a word matches a sample exactly if one of its lines contains it, whatever its characters mean to a query
# language; so no query language is used.
#
# What does not work, measured on the same run: an index of trigrams, SQLite's FTS5. A rare word takes no time and a
# common one 0.3 s, but the first search takes 20 s over lines and 43 s over texts, and the file 290 and 760 MB; words
# of one or two letters need a full scan anyway. A table of the words in the lines halves the time of a search without a
# space, but takes as long again to build, as much room, and 250 lines of code.

_SCHEMA = pa.schema([("line", pa.string()), ("samples", pa.list_(pa.int32()))])
_OPTIONS = pa.ipc.IpcWriteOptions(compression="lz4")


class LineStore:
    """Pieces, by number, in a temporary file that ends with the process."""

    def __init__(self) -> None:
        self._file, name = mkstemp(prefix="editgauge-search-")
        os.unlink(name)
        finalize(self, os.close, self._file)
        self._ends = [0]

    def __len__(self) -> int:
        return len(self._ends) - 1

    @property
    def n_bytes(self) -> int:
        return self._ends[-1]

    def add(self, piece: pa.RecordBatch) -> None:
        """Add a piece. Raises OSError if there is no room for it."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, _SCHEMA, options=_OPTIONS) as writer:
            writer.write_batch(piece)
        left, end = memoryview(sink.getvalue()), self.n_bytes
        while left:
            n = os.pwrite(self._file, left, end)
            left, end = left[n:], end + n
        self._ends.append(end)

    def read(self, at: int) -> bytes:
        """A piece as it is stored."""
        return os.pread(self._file, self._ends[at + 1] - self._ends[at], self._ends[at])


def holding(word: str, stored: bytes) -> Codes:
    """The numbers of the samples of a stored piece with a line that contains a word, in lower case."""
    piece = pa.ipc.open_stream(stored).read_next_batch()
    samples = piece["samples"].filter(pc.match_substring(piece["line"], word))
    return numbers_of(pc.list_flatten(samples))[0]


def piece_of(ids: Ids, near: Numbers, tables: Sequence[pa.Table]) -> pa.RecordBatch:
    """The piece of these rows, tables of ids and texts, most likely of the samples `near`."""
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
            # The numbers from each start on, as many as its length.
            line.append(n + np.arange(lengths.sum()) + np.repeat(starts[text] - np.cumsum(lengths) + lengths, lengths))
            sample.append(np.repeat(owner, lengths))
            n += len(lines[-1])
    found = pa.concat_arrays(lines).dictionary_encode()
    of_line = numbers_of(found.indices)[0]
    which, owner = _pairs(of_line[np.concatenate(line)], np.concatenate(sample))
    used = distinct(which)
    ends = np.searchsorted(which, used, side="right").astype(np.int32)
    owners = pa.ListArray.from_arrays(integers(np.concatenate([[0], ends]).astype(np.int32)), integers(owner))
    return pa.record_batch([found.dictionary.take(integers(used)), owners], schema=_SCHEMA)


def _numbers(ids: Ids, near: Numbers, names: pa.ChunkedArray) -> Numbers:
    """(n,) numbers of samples, from an encoded column of their ids; -1 is no sample."""
    array = names.combine_chunks()
    found: Numbers = ids.numbers_near(array.dictionary, near)[numbers_of(array.indices)[0]]
    return found


def _pairs(one: Codes, other: Codes) -> tuple[Codes, Codes]:
    """The distinct pairs of two numbers below 2**31, sorted."""
    keys = distinct(one.astype(np.int64) << 32 | other.astype(np.int64))
    return (keys >> 32).astype(np.int32), (keys & 0x7FFFFFFF).astype(np.int32)


_SEARCHED = {
    "texts": ("edit", "path", "place"),
    "changes": ("path", "before", "after"),
    "wrong_edits": ("edit", "path", "given"),
    "outcomes": ("message", "error"),
}
"""Kind of rows -> the columns that are searched; wrong edits only if an older version wrote the run."""
_ROWS = 3_000
"""Least number of texts of a piece."""
_STRATEGIES = 16
"""Number of outcomes that count as one row."""
_BYTES = 256 << 20
"""Size of the texts that completes a piece earlier."""
_LARGEST = 8 << 30
"""Bytes of the lines that are stored; the rest is not searched."""
_THREADS = 2
_MANY = 100_000
"""Samples of a run that leaves much memory behind."""
_MOST_KEPT = 64
"""Number of words whose samples are remembered."""


class Hits(NamedTuple):
    """The samples that contain a word, in the part that was searched."""

    samples: Mask
    is_complete: bool
    share: float
    """The share of the parts that was searched, 0 to 1."""


@dataclass(slots=True)
class _Sought:
    """The state of the search for one word."""

    samples: Mask
    n_pieces: int = 0
    """Number of searched pieces."""


class _Group(NamedTuple):
    n_parts: int
    near: Numbers
    """The samples that these parts have, if the run says so."""
    tables: list[pa.Table]
    """A table of ids and texts for each kind."""


class Search:
    def __init__(self, run: RunFolder, ids: Ids, part: Codes) -> None:
        """`part` comes from `Columns`."""
        self._run, self._ids, self._part = run, ids, part
        self._numbered = {name: at for at, name in enumerate(run.parts("samples"))}
        self._lower = pc.utf8_lower(ids.array)
        has_texts = any(len(table) for table in run.tables("texts", "line"))
        self._kinds = [kind for kind in _SEARCHED if not (has_texts and kind == "wrong_edits")]
        self._parts = sorted({part for kind in self._kinds for part in run.parts(kind)})
        self._sought: OrderedDict[str, _Sought] = OrderedDict()
        self._lock = Lock()
        self._threads = ThreadPoolExecutor(_THREADS)
        self._store = LineStore()
        self._n_read, self._is_made, self._groups = 0, False, self._grouped()

    def holding(self, word: str, *, seconds: float) -> Hits:
        """The samples whose id or texts contain a word, ignoring case, as far as `seconds` suffice."""
        with self._lock:
            return self._holding(word.lower(), time.monotonic() + seconds)

    def _holding(self, word: str, until: float) -> Hits:
        store = self._store
        found = self._sought.get(word) or self._new(word)
        while found.n_pieces < len(store) or (until > time.monotonic() and self._grow(store)):
            self._look(store, word, found)
            if time.monotonic() > until:
                break
        is_complete = self._is_made and found.n_pieces == len(store)
        looked_at = found.n_pieces / len(store) if len(store) else 1.0
        return Hits(found.samples.copy(), is_complete, looked_at * self._n_read / max(1, len(self._parts)))

    def _new(self, word: str) -> _Sought:
        if len(self._sought) >= _MOST_KEPT:
            self._sought.popitem(last=False)
        samples = np.zeros(len(self._ids), np.bool_)
        samples[numbers_of(pc.indices_nonzero(pc.match_substring(self._lower, word)))[0]] = True
        found = self._sought[word] = _Sought(samples)
        return found

    def _look(self, store: LineStore, word: str, found: _Sought) -> None:
        numbers = range(found.n_pieces, min(found.n_pieces + 2 * _THREADS, len(store)))
        for samples in self._threads.map(partial(holding, word), map(store.read, numbers)):
            found.samples[samples] = True
        found.n_pieces = numbers.stop

    def _grow(self, store: LineStore) -> bool:
        """Add pieces; False if there are no more."""
        if self._is_made:
            return False
        groups = [group for _ in range(_THREADS) if (group := next(self._groups, None)) is not None]
        try:
            for piece in self._threads.map(lambda group: piece_of(self._ids, group.near, group.tables), groups):
                store.add(piece)
        except OSError:  # There is no room for it.
            self._is_made = True
            return False
        self._n_read += sum(group.n_parts for group in groups)
        self._is_made = not groups or store.n_bytes > _LARGEST
        if self._is_made and len(self._ids) > _MANY:
            give_back()
        return bool(groups)

    def _grouped(self) -> Iterator[_Group]:
        """Groups of parts, each with its tables of ids and texts."""
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
        return self._run.part(part, kind, *columns, as_dictionaries=True)

    def _together(self, parts: list[str], held: list[list[pa.Table]]) -> _Group:
        tables = [pa.concat_tables(some).unify_dictionaries() for some in zip(*held, strict=True)]
        numbers = [self._numbered[part] for part in parts if part in self._numbered]
        return _Group(len(parts), np.flatnonzero(np.isin(self._part, numbers)), tables)


_MOST_ROWS = 500
"""Rows of one answer."""
_MOST_WORDS = 8
_LONGEST_WORD = 200
_KEPT = 16
"""Number of filters whose samples are remembered."""
_MOMENT = 0.4
"""Seconds of searching before an answer."""


class Filter(msgspec.Struct, frozen=True):
    """A filter that the page's script sends; the fields equal its typedef `Filter`."""

    strategy: int = -1
    verdict: str = ""
    damage: str = ""
    severity: str = ""
    reason: str = ""
    replacer: str = ""
    turn: int = 0
    than: int = -1
    facets: dict[str, int] = {}
    words: list[str] = []


class Count(NamedTuple):
    """The number of samples that match a filter."""

    n: int
    is_complete: bool
    """True if the search is over."""
    share: float
    """The share of the texts that was searched, 0 to 1."""


class _Found(NamedTuple):
    samples: Codes
    """In the order of the list."""
    is_complete: bool
    share: float


class ServedRun:
    """A run with its outcomes in memory."""

    def __init__(
        self, run: RunFolder, *, properties: dict[str, str], token: str, progress: Progress = no_progress
    ) -> None:
        self._columns: Columns = with_reviews(read_columns(run, progress=progress))
        progress("rates", 0)
        document = head(self._columns, comparison=None, failures=None, fuzzed=None, properties=properties)
        self.html = page_html(document | {"token": token, "n_embedded": len(self._columns.ids)}, connects=True)
        self._parts = run.parts("samples")
        self._search = Search(run, self._columns.ids, self._columns.part)
        self._found: OrderedDict[bytes, _Found] = OrderedDict()
        give_back()

    def count(self, raw: str) -> Count:
        """The number of samples that match a filter, given in JSON; asking again resumes a search."""
        found = self._matching(raw, seconds=_MOMENT)
        return Count(len(found.samples), found.is_complete, round(found.share, 4))

    def rows(self, raw: str, start: int, stop: int) -> list[dict[str, Any]]:
        """Rows start to stop, 0-based, of the list that a filter leaves; at most 500."""
        start = max(0, start)
        found = self._matching(raw, seconds=0.0).samples
        return [self._row(at) for at in found[start : min(stop, start + _MOST_ROWS)].tolist()]

    def sample(self, sample_id: str) -> dict[str, Any] | None:
        """The row of a sample."""
        at = self._columns.ids.find(sample_id)
        return None if at is None else self._row(at)

    def texts(self, sample_id: str) -> dict[str, Any] | None:
        """The record of a sample, read from the run folder."""
        at = self._columns.ids.find(sample_id)
        if at is None:
            return None
        part = int(self._columns.part[at])
        return record_in(self._parts[part], self._columns, at) if 0 <= part < len(self._parts) else {}

    def _row(self, at: int) -> dict[str, Any]:
        columns = self._columns
        facets = {name: int(facet.codes[at]) for name, facet in columns.facets.items()}
        return {
            "id": columns.ids[at],
            "path": columns.path[at].as_py(),
            "turn": 0,
            "kinds": columns.kind[:, at].tolist(),
            "facets": facets,
        }

    def _matching(self, raw: str, *, seconds: float) -> _Found:
        """The samples that match a filter, in the order of the list. Raises UsageError for a malformed filter."""
        try:
            wanted = msgspec.json.decode(raw, type=Filter)
        except (msgspec.DecodeError, UnicodeError) as error:
            raise UsageError(f"That is no filter: {error}", "Use the page.") from None
        key = msgspec.json.encode(wanted)
        if key in self._found:
            return self._found[key]
        keep, is_complete, share = self._mask(wanted), True, 1.0
        words = [word[:_LONGEST_WORD] for word in wanted.words[:_MOST_WORDS]]
        for word in words:
            hits = self._search.holding(word, seconds=seconds / len(words))
            keep, is_complete, share = keep & hits.samples, is_complete and hits.is_complete, min(share, hits.share)
        found = _Found(self._columns.order[keep[self._columns.order]], is_complete, share)
        if is_complete:
            self._found[key] = found
            if len(self._found) > _KEPT:
                self._found.popitem(last=False)
        return found

    def _mask(self, wanted: Filter) -> Mask:
        columns = self._columns
        n = len(columns.strategies)
        keep: Mask = np.ones(len(columns.ids), dtype=np.bool_)
        if wanted.strategy >= n or wanted.strategy < -1 or not -1 <= wanted.than < n or wanted.turn:
            return np.zeros_like(keep)
        for name, code in wanted.facets.items():
            facet = columns.facets.get(name)
            keep &= False if facet is None else facet.codes == code
        kinds = np.array([self._wants(wanted, at) for at in range(len(columns.kinds))])
        if wanted.strategy >= 0:
            keep &= kinds[columns.kind[wanted.strategy]]
            if wanted.than >= 0:
                right = columns.right
                keep &= right[wanted.strategy] & columns.labelled[wanted.than] & ~right[wanted.than]
        elif wanted.verdict or wanted.damage or wanted.severity or wanted.reason or wanted.replacer:
            keep &= kinds[columns.kind].any(axis=0)
        return keep

    def _wants(self, wanted: Filter, code: int) -> bool:
        kind = self._columns.kinds[code]
        values: Sequence[tuple[str, str | None]] = (
            (wanted.verdict, kind.verdict), (wanted.damage, kind.damage), (wanted.severity, kind.severity),
            (wanted.reason, kind.reason), (wanted.replacer, kind.replacer),
        )  # fmt: skip
        return code > 0 and all(not one or one == value for one, value in values)
