"""Clusters: groups of samples that resemble each other, so that a hundred of them are worth less than a hundred
others.

A cluster is the samples of one repository; for samples without one, a sample with its mutated variants. If a sample
has a near-duplicate in another cluster (`corpora.duplicates`), the two clusters are one: the copy adds no
information.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from reports.runs.columns import Ids, codes_of, numbers_of, strings
from reports.runs.run_folder import RunFolder

Codes = npt.NDArray[np.intp]
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


COLUMNS = ("sample_id", "repo", "parent_id", "likeness")


def clusters_of_run(run: RunFolder) -> ClustersOfRun:
    """The clusters of a run's samples; of none if an early version wrote the run."""
    return ClustersOfRun(run.table("samples", *COLUMNS))
