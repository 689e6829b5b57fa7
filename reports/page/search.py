"""Search for a word in the ids and texts of a run's samples, ignoring case.

Each search reads the run's parts one after the other, within its time limit. A partial result is a result, too: asking
again resumes it. The texts of a part are read as dictionaries, so a text that many rows share is looked at once.

What every change must keep: a word matches a sample exactly if a text of the sample contains it, whatever its
characters mean to a query language; so no query language is used.

What does not work, measured on 140,000 samples: an index of trigrams, SQLite's FTS5. A rare word takes no time and a
common one 0.3 s, but the first search takes 20 s over lines and 43 s over texts, and the file 290 and 760 MB; words
of one or two letters need a full scan anyway.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reports.page.packing import give_back
from reports.runs.columns import Ids, Numbers, numbers_of
from reports.runs.run_folder import RunFolder
from reports.statistics.grid import Codes, Mask

_SEARCHED = {
    "texts": ("edit", "path", "place"),
    "changes": ("path", "before", "after"),
    "wrong_edits": ("edit", "path", "given"),
    "outcomes": ("message", "error"),
}
"""Kind of rows -> the columns that are searched; wrong edits only if an older version wrote the run."""
_THREADS = 2
_MANY = 100_000
"""Samples of a run that leaves much memory behind."""
_KEPT = 64
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
    n_parts: int = 0
    """Number of searched parts."""


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

    def holding(self, word: str, *, seconds: float) -> Hits:
        """The samples whose id or texts contain a word, ignoring case, as far as `seconds` suffice."""
        with self._lock:
            return self._holding(word.lower(), time.monotonic() + seconds)

    def _holding(self, word: str, until: float) -> Hits:
        found, n_all = self._sought.get(word) or self._new(word), len(self._parts)
        while found.n_parts < n_all and time.monotonic() < until:
            some = self._parts[found.n_parts : found.n_parts + 2 * _THREADS]
            for samples in self._threads.map(partial(self._in_part, word), some):
                found.samples[samples] = True
            found.n_parts += len(some)
            if found.n_parts == n_all and len(self._ids) > _MANY:
                give_back()
        return Hits(found.samples.copy(), found.n_parts == n_all, found.n_parts / n_all if n_all else 1.0)

    def _new(self, word: str) -> _Sought:
        if len(self._sought) >= _KEPT:
            self._sought.popitem(last=False)
        samples = np.zeros(len(self._ids), np.bool_)
        samples[numbers_of(pc.indices_nonzero(pc.match_substring(self._lower, word)))[0]] = True
        found = self._sought[word] = _Sought(samples)
        return found

    def _in_part(self, word: str, part: str) -> Numbers:
        """The numbers of the samples of a part with a text that contains a word, in lower case."""
        names = []
        for kind in self._kinds:
            table = self._run.part(part, kind, "sample_id", *_SEARCHED[kind], as_dictionaries=True)
            ids = table["sample_id"].combine_chunks()
            for name in _SEARCHED[kind]:
                texts = table[name].combine_chunks()
                is_hit = pc.match_substring(pc.utf8_lower(texts.dictionary), word)
                rows = ids.indices.filter(is_hit.take(texts.indices))
                names.append(ids.dictionary.take(rows.unique()))
        near = np.flatnonzero(self._part == self._numbered.get(part, -2))
        found = self._ids.numbers_near(pa.concat_arrays(names).unique(), near)
        return found[found >= 0]
