"""The matrix of a run: for each two strategies, the samples on which one is right and the other is not."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from reports.compare.contrasts import ALPHA, Counted, difference_of, holm_of_known
from reports.compare.judged import Mask, judged
from reports.statistics.clusters import Clusters, clusters_of_run


@dataclass(frozen=True, slots=True)
class Cell:
    """The strategy of a row against that of a column."""

    n_only_row: int
    """Samples on which the row's strategy is right and the column's is not."""
    n_only_column: int
    n: int
    """Samples that count for both."""
    corrected_p: float | None
    """McNemar's exact test, clustered by repository, after Holm's correction over all pairs of the matrix; None where
    samples of too few repositories differ."""

    @property
    def is_better(self) -> bool:
        """Whether the row's strategy is right significantly more often."""
        return self.n_only_row > self.n_only_column and self.corrected_p is not None and self.corrected_p < ALPHA


@dataclass(frozen=True, slots=True)
class Matrix:
    """Every strategy against every other."""

    strategies: list[str]
    cells: list[list[Cell | None]]
    """By row and column; None on the diagonal, and where no sample counts for both."""
    n_pairs: int
    """Pairs of strategies with samples that count for both: the number that p-values are corrected for."""


def matrix(folder: Path, strategies: Sequence[str], *, only: Collection[str] | None = None) -> Matrix:
    """The matrix of these strategies of a run; `only` are the ids of the samples to look at, None for all."""
    ids, sides = judged(folder, strategies, only=only)
    shape = (len(strategies), len(ids))
    labelled, right = (
        np.array(rows, dtype=np.bool_).reshape(shape)
        for rows in ([one.labelled for one in sides.values()], [one.right for one in sides.values()])
    )
    return matrix_of(strategies, labelled, right, clusters_of_run(folder).of(ids))


def matrix_of(strategies: Sequence[str], labelled: Mask, right: Mask, clusters: Clusters) -> Matrix:
    """The same of (n_strategies, n_samples) masks: where the sample counts, and where the strategy is right."""
    pairs = [(row, column, labelled[row] & labelled[column]) for row, column in combinations(range(len(strategies)), 2)]
    counted = {
        (row, column): Counted(both, both & right[row], both & right[column])
        for row, column, both in pairs
        if both.any()
    }
    p_values = holm_of_known([difference_of(one, clusters).p_value for one in counted.values()])
    cells: list[list[Cell | None]] = [[None] * len(strategies) for _ in strategies]
    for ((row, column), one), p_value in zip(counted.items(), p_values, strict=True):
        (ours, theirs), n_shared = one.n_only, int(one.among.sum())
        cells[row][column] = Cell(ours, theirs, n_shared, p_value)
        cells[column][row] = Cell(theirs, ours, n_shared, p_value)
    return Matrix(list(strategies), cells, len(counted))
