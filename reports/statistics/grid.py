"""The outcomes of a run as arrays, by strategy and sample: whatever compares strategies or runs counts them.

They are streamed, without a Python object for each row: a million samples of twelve strategies take 150 MB. The
clusters of the samples are with them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from editcore.errors import UsageError
from reports.measurements.measurement import FAILED, UNRELIABLE, ByCluster, Kind, is_labelled, is_to_apply
from reports.runs.columns import Ids, codes_of, distinct_rows, integers, joined, numbers_of, strings
from reports.runs.rows import Verdict
from reports.runs.run_folder import RunFolder

# Clusters: groups of samples that resemble each other, so that a hundred of them are worth less than a hundred
# others.
#
# A cluster is the samples of one repository; for samples without one, a sample with its mutated variants. If a sample
# has a near-duplicate in another cluster (`corpora.duplicates`), the two clusters are one: the copy adds no
# information.

Shares = npt.NDArray[np.float64]
_UNKNOWN = -1
"""The likeness of a sample without a recorded one."""


class Clusters(NamedTuple):
    """The clusters of some samples, and their near-duplicates."""

    code: npt.NDArray[np.integer[Any]]
    """(n_samples,) number of each sample's cluster, from 0."""
    share: Shares
    """(n_samples,) 1 / the number of near-duplicates of the sample, itself included."""

    def sums(self, *columns: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
        """(n_clusters,) sum over each cluster of each of these (n_samples,) columns."""
        n = int(self.code.max(initial=-1)) + 1
        return [np.bincount(self.code, weights=column, minlength=n) for column in columns]


def merged(home: Codes, likeness: npt.NDArray[np.int64]) -> Clusters:
    """The clusters of samples: `home` groups them by repository or parent, `likeness` joins near-duplicates."""
    order = np.argsort(likeness, kind="stable")
    starts = np.flatnonzero(np.diff(likeness[order], prepend=_UNKNOWN - 1))
    alike = np.empty(len(likeness), dtype=np.intp)
    alike[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(likeness)))
    n_alike = np.bincount(alike)[alike] if len(alike) else alike
    several = (n_alike > 1) & (likeness != _UNKNOWN)
    root = np.arange(int(home.max(initial=-1)) + 1)
    first: dict[int, int] = {}
    for group, own in zip(alike[several].tolist(), home[several].tolist(), strict=True):
        root[_root_of(root, own)] = _root_of(root, first.setdefault(group, own))
    roots = np.array([_root_of(root, own) for own in range(len(root))] if first else root, dtype=np.intp)
    return Clusters(_compact(roots[home]), np.where(several, 1 / np.maximum(n_alike, 1), 1.0))


def _root_of(root: Codes, at: int) -> int:
    while root[at] != at:
        root[at] = at = root[root[at]]
    return at


def _compact(codes: Codes) -> Codes:
    """The partition with the codes 0, 1, 2, ..., in the order of the codes; `np.unique` takes longer to import."""
    used = np.bincount(codes) > 0
    return (np.cumsum(used) - 1)[codes] if len(codes) else codes


class ClustersOfRun:
    """The clusters of a run's samples, by id."""

    def __init__(self, table: pa.Table) -> None:
        """`table` has the columns of `COLUMNS`."""
        # Of samples with one id, the last one counts.
        self._ids = Ids(table["sample_id"].combine_chunks())
        parent = pc.coalesce(table["parent_id"], table["sample_id"])
        repo, repos = codes_of(table["repo"])
        family, _ = codes_of(parent)
        home = np.where(repo < len(repos) - 1, repo, len(repos) + family)
        likeness, known = numbers_of(table["likeness"].combine_chunks())
        self.all = merged(_compact(home), np.where(known, likeness, _UNKNOWN))

    def __len__(self) -> int:
        return len(self._ids)

    def numbers(self, ids: pa.Array) -> Codes:
        """(n,) numbers of samples in the table; -1 for samples that the run did not record."""
        return self._ids.numbers(ids) if len(self._ids) else np.full(len(ids), -1)

    def of_numbers(self, numbers: npt.NDArray[np.integer[Any]]) -> Clusters:
        """The clusters of the samples with these numbers; each -1 is a cluster by itself."""
        alone = len(self._ids) + np.arange(len(numbers))
        if not len(self._ids):
            return Clusters(np.arange(len(numbers)), np.ones(len(numbers)))
        known = numbers >= 0
        code = np.where(known, self.all.code[numbers], alone)
        return Clusters(_compact(code), np.where(known, self.all.share[numbers], 1.0))

    def of(self, ids: pa.Array | Sequence[str]) -> Clusters:
        return self.of_numbers(self.numbers(ids if isinstance(ids, pa.Array) else strings(list(ids))))


CLUSTER_COLUMNS = ("sample_id", "repo", "parent_id", "likeness")


def clusters_of_run(run: RunFolder) -> ClustersOfRun:
    """The clusters of a run's samples; of none if an early version wrote the run."""
    return ClustersOfRun(run.table("samples", *CLUSTER_COLUMNS))


Codes = npt.NDArray[np.integer[Any]]
Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Grid:
    """A run's outcomes; samples and strategies are numbered, and all masks are (n_strategies, n_samples)."""

    strategies: list[str]
    ids: Ids
    kinds: list[Kind]
    """Kind 0 means: not run."""
    kind: Codes
    """(n_strategies, n_samples) indexes of `kinds`, in the smallest integers that hold them."""
    numbers: Mapping[str, Floats]
    """Column -> (n_strategies, n_samples) values to seven digits, -1 where absent."""
    clusters: Clusters

    def those(self, test: Callable[[Kind], object]) -> Mask:
        """The outcomes whose kind passes a test."""
        return np.array([bool(test(kind)) for kind in self.kinds])[self.kind]

    def where(self, *verdicts: str) -> Mask:
        return self.those(lambda kind: kind.verdict in verdicts)

    @cached_property
    def ran(self) -> Mask:
        found: Mask = self.kind > 0
        return found

    @cached_property
    def labelled(self) -> Mask:
        """The strategy ran, and the right answer is known."""
        return self.those(lambda kind: is_labelled(kind.verdict, kind.failed_label))

    @cached_property
    def to_apply(self) -> Mask:
        """Labelled apply, as far as the outcome shows it."""
        return self.those(lambda kind: is_to_apply(kind.verdict, kind.damage, kind.failed_label))

    @cached_property
    def failed(self) -> Mask:
        """Crashed or timed out in a run of an older version, which does not tell if the right answer is known."""
        return self.those(lambda kind: kind.verdict in FAILED and kind.failed_label is None)

    @cached_property
    def right(self) -> Mask:
        """Correct, or rightly refused."""
        return self.where(Verdict.CORRECT, Verdict.REFUSED)

    @cached_property
    def wrong(self) -> Mask:
        """Wrong edits, and unstable ones."""
        return self.labelled & self.where(*UNRELIABLE)

    def of_samples(self, at: npt.NDArray[np.integer[Any]]) -> Self:
        """The outcomes of these samples, in this order."""
        code, share = (column[at] for column in self.clusters)
        numbers = {name: values[:, at] for name, values in self.numbers.items()}
        ids = Ids(self.ids.array.take(integers(at)))
        return replace(self, ids=ids, kind=self.kind[:, at], numbers=numbers, clusters=Clusters(code, share))

    def of_strategies(self, names: Sequence[str]) -> Self:
        """The outcomes of these strategies, in this order, on the samples that any of them ran on."""
        rows = [self.strategies.index(name) for name in names]
        numbers = {name: values[rows] for name, values in self.numbers.items()}
        found = replace(self, strategies=[*names], kind=self.kind[rows], numbers=numbers)
        return found.of_samples(np.flatnonzero(found.ran.any(axis=0)))

    def by_cluster(self, strategy: str) -> ByCluster | None:
        """The outcomes of one strategy by cluster and kind; None if each sample is a cluster of its own."""
        row = self.kind[self.strategies.index(strategy)]
        there = row > 0
        kinds, kind = np.unique(row[there], return_inverse=True)
        _, code = np.unique(self.clusters.code[there], return_inverse=True)
        n = int(code.max(initial=-1)) + 1
        if n == len(code):
            return None
        key, size = code * len(kinds) + kind, n * len(kinds)
        one, distinct = np.bincount(key, minlength=size), np.bincount(key, self.clusters.share[there], size)
        return ByCluster([self.kinds[at] for at in kinds], one.reshape(n, -1), distinct.reshape(n, -1))


def read_grid(
    run: RunFolder, strategies: Sequence[str] = (), *numbers: str, only: Collection[str] | None = None
) -> Grid:
    """The outcomes of these strategies, or of all, on the samples that any of them ran on, or on `only` some.

    Raises UsageError for a damaged part, and if an id stands for several samples.
    """
    rows = Rows(*numbers)
    columns = dict.fromkeys(("sample_id", "strategy", *Kind._fields, *numbers))
    for _ in rows.seen(run.tables("outcomes", *columns, as_dictionaries=True)):
        pass
    found = rows.grid(clusters_of_run(run), strategies or rows.strategies)
    if rows.are_shared:
        run.refuse_shared_ids()
    there = found.ran.any(axis=0)
    if only is not None:
        there &= np.array([one in only for one in found.ids], dtype=bool)
    return found if there.all() else found.of_samples(np.flatnonzero(there))


def ahead(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """The tables, each read while the previous one is processed."""
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(next, tables, None)
        while (table := waiting.result()) is not None:
            waiting = thread.submit(next, tables, None)
            yield table


class Rows:
    """The rows of outcomes so far: codes of samples, strategies and kinds, and numbers of each batch."""

    def __init__(self, *numbers: str, progress: Callable[[int], object] = lambda _: None) -> None:
        self.numbers, self._progress = numbers, progress
        self._kinds: dict[Kind, int] = {Kind("", *[None] * 5): 0}
        self.n_rows = 0
        self.are_shared = False
        """True if some id has several outcomes under one strategy; known when the grid is made."""
        self._names: dict[str, int] = {}
        self._ids: list[pa.Array] = []
        self._n_ids = 0
        self._batches: list[tuple[Codes, Codes, Codes, list[Floats]]] = []

    def seen(self, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """The tables, joined to larger ones, each kept as codes when it passes."""
        for table in joined(tables):
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
        in_use = np.bincount(strategy, minlength=len(names)) > 0
        numbers = np.array(
            [self._names.setdefault(name or "", len(self._names)) if used else 0
             for name, used in zip(names, in_use, strict=True)]
        )  # fmt: skip
        found, row = distinct_rows(table, *Kind._fields)
        kinds = [self._kinds.setdefault(Kind(verdict or "", *rest), len(self._kinds)) for verdict, *rest in found]
        values = [_absent_as_minus_one(table[name]) for name in self.numbers]
        self._batches.append((sample.astype(np.int32), _small(numbers[strategy]), _small(np.array(kinds)[row]), values))
        self.n_rows += len(table)

    @property
    def strategies(self) -> list[str]:
        """The strategies as they appear in the outcomes."""
        return [*self._names]

    def grid(self, clusters: ClustersOfRun, strategies: Sequence[str]) -> Grid:
        """The outcomes of these strategies; the batches are freed."""
        known = pa.chunked_array(self._ids, pa.string()).combine_chunks().dictionary_encode()
        ids, number = Ids(known.dictionary), numbers_of(known.indices)[0]
        # The last row takes the strategies that nobody asks for.
        place = np.array([strategies.index(name) if name in strategies else -1 for name in self._names] or [0])
        shape = (len(strategies) + 1, len(ids))
        kind = np.zeros(shape, dtype=np.min_scalar_type(len(self._kinds)))
        numbers = {name: np.full(shape, -1, dtype=np.float32) for name in self.numbers}
        n_kept = 0
        while self._batches:
            sample, strategy, kinds, values = self._batches.pop()
            at = (place[strategy], number[sample])
            kind[at] = kinds
            n_kept += int((at[0] >= 0).sum())
            for name, some in zip(self.numbers, values, strict=True):
                numbers[name][at] = some
        kind = kind[:-1]
        self.are_shared = bool(n_kept > np.count_nonzero(kind))
        numbers = {name: values[:-1] for name, values in numbers.items()}
        return Grid([*strategies], ids, [*self._kinds], kind, numbers, clusters.of(ids.array))


def _absent_as_minus_one(column: pa.ChunkedArray) -> Floats:
    values, present = numbers_of(column.combine_chunks())
    return np.where(present, values, -1).astype(np.float32)


def _small(codes: Codes) -> Codes:
    """The codes in the smallest integers that hold them."""
    return codes.astype(np.min_scalar_type(int(codes.max(initial=0))))
