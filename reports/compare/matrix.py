"""The matrix of a run: for each two strategies, the samples on which one is right and the other is not."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reports.compare.contrasts import ALPHA
from reports.compare.judged import Mask, judged
from reports.statistics.significance import holm, mcnemar

_TOGETHER = 65_536
"""Samples that are multiplied at a time."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The strategy of a row against that of a column."""

    n_only_row: int
    """Samples on which the row's strategy is right and the column's is not."""
    n_only_column: int
    n: int
    """Samples that count for both."""
    corrected_p: float
    """McNemar's exact test, after Holm's correction over all pairs of the matrix."""

    @property
    def is_better(self) -> bool:
        """Whether the row's strategy is right significantly more often."""
        return self.n_only_row > self.n_only_column and self.corrected_p < ALPHA


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
    return matrix_of(strategies, labelled, right)


def matrix_of(strategies: Sequence[str], labelled: Mask, right: Mask) -> Matrix:
    """The same of (n_strategies, n_samples) masks: where the sample counts, and where the strategy is right."""
    n = len(strategies)
    shared, only = np.zeros((n, n), dtype=np.int64), np.zeros((n, n), dtype=np.int64)
    for start in range(0, labelled.shape[1], _TOGETHER):
        # Floats multiply fast, but are eight times as large.
        counts = labelled[:, start : start + _TOGETHER].astype(np.float64)
        rights = right[:, start : start + _TOGETHER] * counts
        shared += (counts @ counts.T).astype(np.int64)
        only += (rights @ (counts - rights).T).astype(np.int64)
    pairs = [(row, column) for row in range(n) for column in range(row + 1, n) if shared[row, column]]
    p_values = holm([mcnemar(int(only[row, column]), int(only[column, row])) for row, column in pairs])
    cells: list[list[Cell | None]] = [[None] * n for _ in strategies]
    for (row, column), p_value in zip(pairs, p_values, strict=True):
        ours, theirs, n_shared = int(only[row, column]), int(only[column, row]), int(shared[row, column])
        cells[row][column] = Cell(ours, theirs, n_shared, p_value)
        cells[column][row] = Cell(theirs, ours, n_shared, p_value)
    return Matrix(list(strategies), cells, len(pairs))
