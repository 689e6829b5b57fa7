"""A run folder -> its outcomes as arrays: streamed, and no Python object for a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from editcore.errors import UsageError
from reports.page.columns import Codes, Columns, Kind, worst_first
from reports.page.facets import read_facets, read_files
from reports.page.progress import Progress, no_progress
from reports.runs.columns import codes_of, distinct_rows, integers, joined, numbers_of
from reports.runs.ids import Ids
from reports.runs.manifest import read_manifest
from reports.runs.parts import encoded_tables
from reports.runs.shared_ids import refuse_shared_ids
from reports.statistics.clusters import clusters_of_run
from reports.statistics.summary import SUMMARISED, streamed_summaries


def _ahead(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """The same tables, each read while the one before is worked on."""
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(next, tables, None)
        while (table := waiting.result()) is not None:
            waiting = thread.submit(next, tables, None)
            yield table


def read_columns(folder: Path, *, progress: Progress = no_progress) -> Columns:
    """The outcomes of a run folder; `progress` is called as they are read.

    Raises UsageError as the readers of parts do, and where an id stands for several samples.
    """
    manifest = read_manifest(folder)
    n_outcomes = max(1, manifest.n_samples * len(manifest.strategies))
    rows = _Rows(lambda n_rows: progress("outcomes", min(1.0, n_rows / n_outcomes)))
    tables = encoded_tables(folder, "outcomes", *dict.fromkeys((*SUMMARISED, *Kind._fields)))
    clusters = clusters_of_run(folder)
    summaries = streamed_summaries(rows.seen(_ahead(joined(tables))), used=manifest.strategies, clusters=clusters)
    strategies = [one.strategy for one in summaries]
    ids, kind, latency = rows.arrays(strategies)
    kinds = [*rows.kinds]
    if rows.n_rows > np.count_nonzero(kind):
        refuse_shared_ids(folder)
    about = read_facets(folder, ids)
    path, n_characters = read_files(folder, ids)
    return Columns(
        folder, manifest, strategies, ids, kinds, kind, latency, about.facets, *clusters.of(ids.array), about.part,
        path, n_characters, summaries, worst_first(ids, kinds, kind),
    )  # fmt: skip


class _Rows:
    """The rows of outcomes so far: of each batch the codes of samples, strategies and kinds, and latencies."""

    def __init__(self, progress: Callable[[int], object]) -> None:
        self._progress = progress
        self.kinds: dict[Kind, int] = {Kind("", *[None] * 5): 0}
        self.n_rows = 0
        self._names: dict[str, int] = {}
        self._ids: list[pa.Array] = []
        self._n_ids = 0
        self._batches: list[tuple[Codes, Codes, Codes, npt.NDArray[np.float32]]] = []

    def seen(self, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """The same tables, each kept as codes when it goes by."""
        for table in tables:
            if len(table):
                self._keep(table)
            self._progress(self.n_rows)
            yield table

    def _keep(self, table: pa.Table) -> None:
        if table["sample_id"].null_count or table["strategy"].null_count:
            raise UsageError("An outcome of the run names no sample or no strategy", "Run it again.")
        samples = table["sample_id"].combine_chunks()
        codes = numbers_of(samples.indices)[0]
        # A dictionary may have words that no row uses.
        used = np.bincount(codes, minlength=len(samples.dictionary)) > 0
        sample = (np.cumsum(used) - 1)[codes] + self._n_ids
        self._ids.append(samples.dictionary.take(integers(np.flatnonzero(used))))
        self._n_ids += int(used.sum())
        strategy, names = codes_of(table["strategy"])
        numbers = np.array([self._names.setdefault(name or "", len(self._names)) for name in names])
        measured, present = numbers_of(table["latency_ns"].combine_chunks())
        latency = np.where(present, measured, -1).astype(np.float32)
        self._batches.append((sample.astype(np.int32), _small(numbers[strategy]), self._kinds(table), latency))
        self.n_rows += len(table)

    def _kinds(self, table: pa.Table) -> Codes:
        """(n_rows,) the numbers of the rows' kinds."""
        found, row = distinct_rows(table, *Kind._fields)
        kinds = [Kind(verdict or "", *rest) for verdict, *rest in found]
        return _small(np.array([self.kinds.setdefault(one, len(self.kinds)) for one in kinds])[row])

    def arrays(self, strategies: list[str]) -> tuple[Ids, Codes, npt.NDArray[np.float32]]:
        """The ids, and (n_strategies, n_samples) kinds and latencies; the batches are let go."""
        known = pa.chunked_array(self._ids, pa.string()).combine_chunks().dictionary_encode()
        ids, number = Ids(known.dictionary), numbers_of(known.indices)[0]
        place = np.array([strategies.index(name) if name in strategies else 0 for name in self._names] or [0])
        shape = (len(strategies), len(ids))
        kind = np.zeros(shape, dtype=np.min_scalar_type(len(self.kinds)))
        latencies = np.full(shape, -1, dtype=np.float32)
        while self._batches:
            sample, strategy, kinds, latency = self._batches.pop()
            at = (place[strategy], number[sample])
            kind[at] = kinds
            latencies[at] = latency
        return ids, kind, latencies


def _small(codes: Codes) -> Codes:
    """The same codes in the smallest integers that hold them."""
    return codes.astype(np.min_scalar_type(int(codes.max(initial=0))))
