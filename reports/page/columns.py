"""The outcomes of a run as arrays, by strategy and sample, and the order in which a page lists its samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from reports.measurements.measurement import FAILED, is_labelled
from reports.runs.ids import Ids
from reports.runs.manifest import Manifest
from reports.runs.rows import Verdict
from reports.statistics.clusters import Clusters
from reports.statistics.summary import Summary

Codes = npt.NDArray[np.integer[Any]]
Mask = npt.NDArray[np.bool_]


class Kind(NamedTuple):
    """What outcomes have in common: the values of a row but for its texts and times."""

    verdict: str
    damage: str | None
    severity: str | None
    reason: str | None
    replacer: str | None
    failed_label: str | None = None
    """Of the sample, where the verdict does not tell it."""

    @property
    def is_labelled(self) -> bool:
        """Whether the right answer to the sample is known."""
        return is_labelled(self.verdict, self.failed_label)


class Facet(NamedTuple):
    """A property of the samples: (n_samples,) codes, and the words they index; "" stands for none."""

    codes: Codes
    words: list[str]


@dataclass(frozen=True)
class Columns:
    """A run's outcomes; samples and strategies are numbered. A million samples of twelve strategies take 150 MB."""

    folder: Path
    manifest: Manifest
    strategies: list[str]
    """Those of the manifest that have outcomes, in its order, then any others."""
    ids: Ids
    kinds: list[Kind]
    """Kind 0 stands for: not run."""
    kind: Codes
    """(n_strategies, n_samples) indexes of `kinds`, in the smallest integers that hold them."""
    latency_ns: npt.NDArray[np.float32]
    """(n_strategies, n_samples) to seven digits, -1 where it was not measured."""
    facets: dict[str, Facet]
    cluster: Codes
    share: npt.NDArray[np.float64]
    """(n_samples,) each: as in `reports.statistics.clusters.Clusters`."""
    part: Codes
    """(n_samples,) the part that each sample is in, by number among the parts of samples; -1 where none has it."""
    path: pa.DictionaryArray
    """(n_samples,) the file of each sample; "" where it was not recorded."""
    n_characters: npt.NDArray[np.int64]
    """(n_samples,) characters of the files before; -1 where they were not recorded."""
    summaries: list[Summary]
    order: Codes
    """The samples as a page lists them: first those that most strategies edit wrongly, crash on, or miss."""

    @cached_property
    def place(self) -> dict[str, int]:
        """Sample id -> its number."""
        return {name: at for at, name in enumerate(self.ids)}

    @property
    def clusters(self) -> Clusters:
        """Those of the samples."""
        return Clusters(self.cluster, self.share)

    def where(self, *verdicts: str, of: Sequence[int] | None = None) -> Mask:
        """(n_strategies, n_samples) whether the verdict is one of these; of all strategies, or of some, by number."""
        return np.array([kind.verdict in verdicts for kind in self.kinds])[self.kind if of is None else self.kind[of]]

    @property
    def labelled(self) -> Mask:
        """(n_strategies, n_samples) whether it ran on the sample, and the right answer is known."""
        return np.array([kind.is_labelled for kind in self.kinds])[self.kind]


_WORST_FIRST = ((Verdict.WRONG_EDIT,), FAILED, (Verdict.MISSED,), (Verdict.CORRECT,))


def worst_first(ids: Ids, kinds: list[Kind], kind: Codes) -> Codes:
    """The order of samples, as in `Columns`."""
    worst = np.zeros(len(ids), dtype=np.int64)
    for some in _WORST_FIRST:
        worst = worst * (len(kind) + 1) + np.array([one.verdict in some for one in kinds])[kind].sum(axis=0)
    by_name = ids.by_name()
    return by_name[np.argsort(-worst[by_name], kind="stable")].astype(np.int32)
