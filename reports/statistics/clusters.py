"""Clusters: samples that resemble each other, so that a hundred of them say less than a hundred from elsewhere.

A cluster is the samples of one repository; of samples without one, a sample with its mutated variants. Where it has a
near-duplicate in another cluster (`corpora.likeness`), the two are one: the copy says nothing of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from reports.runs.columns import codes_of, numbers_of
from reports.runs.ids import Ids
from reports.runs.parts import run_table

Codes = npt.NDArray[np.intp]
Shares = npt.NDArray[np.float64]
_UNKNOWN = -1
"""The likeness of a sample of which it was not recorded."""


class Clusters(NamedTuple):
    """What some samples are worth as evidence."""

    code: Codes
    """(n_samples,) the cluster of each, from 0."""
    share: Shares
    """(n_samples,) one divided by the number of samples that are near-duplicates of it, with itself."""

    @classmethod
    def apart(cls, n: int) -> Clusters:
        """Of n samples that are independent."""
        return cls(np.arange(n), np.ones(n))

    def sums(self, *columns: npt.NDArray[Any]) -> list[npt.NDArray[np.float64]]:
        """(n_clusters,) the sum over each cluster of each of these columns, which are (n_samples,)."""
        n = int(self.code.max(initial=-1)) + 1
        return [np.bincount(self.code, weights=column, minlength=n) for column in columns]


def merged(home: Codes, likeness: npt.NDArray[np.int64]) -> Clusters:
    """The clusters of samples, given what each belongs to and what near-duplicates of it share."""
    _, alike, n_alike = np.unique(likeness, return_inverse=True, return_counts=True)
    several = (n_alike[alike] > 1) & (likeness != _UNKNOWN)
    share = np.where(several, 1 / n_alike[alike], 1.0)
    root = np.arange(int(home.max(initial=-1)) + 1)
    first: dict[int, int] = {}
    for group, own in np.unique(np.column_stack([alike[several], home[several]]), axis=0).tolist():
        root[_root_of(root, own)] = _root_of(root, first.setdefault(group, own))
    roots = np.array([_root_of(root, own) for own in range(len(root))] if first else root, dtype=np.intp)
    return Clusters(_numbered(roots[home]), share)


def _root_of(root: Codes, at: int) -> int:
    while root[at] != at:
        root[at] = at = root[root[at]]
    return at


def _numbered(codes: Codes) -> Codes:
    """The same partition with the codes 0, 1, 2, ... in the order in which they come."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.intp)
    place[np.argsort(first)] = np.arange(len(first))
    return place[inverse]


class ClustersOfRun:
    """The clusters of the samples that a run recorded, by id."""

    def __init__(self, table: pa.Table) -> None:
        """Of a table with the columns of `COLUMNS`."""
        # Of samples with one id, the last one counts.
        self._ids = Ids(table["sample_id"].combine_chunks())
        parent = pc.coalesce(table["parent_id"], table["sample_id"])
        repo, repos = codes_of(table["repo"])
        family, _ = codes_of(parent)
        home = np.where(repo < len(repos) - 1, repo, len(repos) + family)
        likeness, known = numbers_of(table["likeness"].combine_chunks())
        self._all = merged(_numbered(home), np.where(known, likeness, _UNKNOWN))

    def __len__(self) -> int:
        return len(self._ids)

    def of(self, ids: pa.Array | Sequence[str]) -> Clusters:
        """The clusters of some samples; one that the run did not record is a cluster by itself."""
        names = ids if isinstance(ids, pa.Array) else pa.array(ids, pa.string())
        at = self._ids.numbers(names)
        known, alone = at >= 0, len(self._all.code) + np.arange(len(at))
        if not len(self._ids):
            return Clusters.apart(len(at))
        code = np.where(known, self._all.code[at], alone)
        return Clusters(_numbered(code), np.where(known, self._all.share[at], 1.0))


COLUMNS = ("sample_id", "repo", "parent_id", "likeness")


def clusters_of_run(folder: Path) -> ClustersOfRun:
    """The clusters of a run's samples; without samples where an early version wrote it."""
    return ClustersOfRun(run_table(folder, "samples", *COLUMNS))
