"""The paired comparison: two sides judged on the same samples, their rates, the difference, and its significance.

The sides are two runs of one strategy, or two strategies of one run; the comparison is the same. Both rates come from
the same samples, so an easy sample raises both, and its effect drops out of the difference:

    sample                    s1  s2  s3  s4  s5  s6  s7
    base                      +   +   +   -   -   +   -       4 of 7
    run                       +   +   -   -   -   +   +       4 of 7
    only base, only run               b               r       delta = (1 - 1) / 7

Only samples on which one side is right and the other is not say anything about the difference. If both sides were
equally good, each such sample would be a toss of a coin: McNemar's exact test is the probability of a split at least
as uneven. Samples of one repository resemble each other, so they count for fewer samples in the test and in the
interval, which agree (`reports.statistics.significance`).

What every change must keep:
- A `Counted` has one denominator: a sample counts on both sides or on none.
- p-values of one table are corrected together (Holm); an interval belongs to its own difference only.
- A rate over nothing is None. Interval and p-value are None if the differing samples are of few repositories.
- The gate looks at single samples: it errs on the side of failing.

What does not work:
- Comparing the intervals of the two rates. For 60 against 70 right of 100 samples they are 50 to 69 % and 60 to 78 %,
  and overlap, although ten samples turned and none turned back: p is 0.002.
- A test for unpaired samples: it ignores that 60 samples are right on both sides.
- Counting each sample as a repository of its own: the intervals are too narrow.

To add a rate, add its `Counted` to `Rates` and to `rates_of`, and the field to `PairCompared` (two strategies) and
`StrategyCompared` (two runs).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reports.measurements.interval import CONFIDENCE, Interval
from reports.runs.columns import strings
from reports.runs.rows import Verdict
from reports.runs.run_folder import RunFolder
from reports.statistics.grid import Clusters, Grid, Mask, read_grid
from reports.statistics.significance import Difference, Differing, difference, holm, mcnemar

# One side: the outcomes of a strategy in a run as masks over samples

_TEXT = ("path", "line", "given", "n_omitted")
"""Columns of wrong edits that tell whether two of them left the same text."""


class Judged(NamedTuple):
    """(n_samples,) arrays of one strategy, indexed by the numbers of samples; the masks of `Grid`."""

    ran: Mask
    labelled: Mask
    to_apply: Mask
    failed: Mask
    right: Mask
    wrong: Mask
    text: npt.NDArray[np.uint64]
    """A hash of the text that a wrong edit left, from the excerpt that the run keeps; 0 for all other outcomes."""

    @property
    def missed(self) -> Mask:
        """Labelled samples whose result is neither right nor wrong."""
        return self.labelled & ~self.right & ~self.wrong


def sides(run: RunFolder, grid: Grid) -> list[Judged]:
    """The outcomes of each strategy of a grid of the run."""
    masks = (grid.ran, grid.labelled, grid.to_apply, grid.failed, grid.right, grid.wrong, _texts(run, grid))
    return [Judged(*rows) for rows in zip(*masks, strict=True)]


def judged(
    run: RunFolder, strategies: Sequence[str], *, only: Collection[str] | None = None
) -> tuple[Grid, dict[str, Judged]]:
    """The outcomes of these strategies on all samples of a run or on `only` some, and one side for each strategy.

    Raises UsageError if an id stands for several samples.
    """
    grid = read_grid(run, strategies, only=only)
    return grid, dict(zip(strategies, sides(run, grid), strict=True))


def _texts(run: RunFolder, grid: Grid) -> npt.NDArray[np.uint64]:
    """(n_strategies, n_samples) equal numbers for equal excerpts of wrong edits, 0 for all other outcomes."""
    import pandas as pd

    found = np.zeros(grid.kind.shape, dtype=np.uint64)
    edits = run.frame("wrong_edits", "sample_id", "strategy", *_TEXT)
    edits = edits[edits["strategy"].isin(grid.strategies)]
    if len(edits):
        row = edits["strategy"].astype(object).map(grid.strategies.index).to_numpy(dtype=np.int64)
        sample = grid.ids.numbers(strings(edits["sample_id"].tolist()))
        hashes = pd.util.hash_pandas_object(edits[list(_TEXT)], index=False).to_numpy()
        found[row[sample >= 0], sample[sample >= 0]] = hashes[sample >= 0]
    return np.where(grid.where(Verdict.WRONG_EDIT), found, 0)


ALPHA = 1 - CONFIDENCE

Numbers = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Contrast:
    """A rate on two sides, over the samples that are labelled on both."""

    base: float
    run: float
    delta: float
    """run - base."""
    interval: Interval | None
    """95 % interval of delta, clustered by repository; None if no sample differs, or too few repositories."""
    n: int
    """The denominator."""
    n_only_base: int
    """Samples counted in the numerator of the baseline only."""
    n_only_run: int
    """Samples counted in the numerator of the run only."""
    p_value: float | None
    """McNemar's exact test, clustered by repository; None if the differing samples are of too few repositories."""
    corrected_p: float | None
    """The p-value after Holm's correction over all tests of the table."""
    p_of_samples: float
    """The corrected p-value if each sample were a repository of its own."""

    def is_significant(self, *, alpha: float = ALPHA) -> bool:
        """True if the corrected p-value is below alpha."""
        return self.corrected_p is not None and self.corrected_p < alpha


class Counted(NamedTuple):
    """(n_samples,) masks: the denominator of a rate, and its numerator on either side."""

    among: Mask
    base: Mask
    run: Mask

    def within(self, some: Mask) -> Counted:
        return Counted(self.among & some, self.base & some, self.run & some)

    @property
    def n_only(self) -> tuple[int, int]:
        """Number of samples in the numerator of one side only: the baseline, the run."""
        return int((self.base & ~self.run).sum()), int((self.run & ~self.base).sum())


class Rates(NamedTuple):
    """The three rates that are compared."""

    right: Counted
    """Right results / samples that count."""
    match: Counted
    """Correct edits / samples labelled apply."""
    wrong: Counted
    """Wrong edits / samples that count."""


def rates_of(base: Judged, run: Judged) -> Rates:
    """The rates of two sides, on the samples that count on both."""
    counted = base.labelled & run.labelled
    to_apply = counted & base.to_apply & run.to_apply
    return Rates(
        Counted(counted, counted & base.right, counted & run.right),
        Counted(to_apply, to_apply & base.right, to_apply & run.right),
        Counted(counted, counted & base.wrong, counted & run.wrong),
    )


def contrasts_of(rates: Sequence[Counted], clusters: Clusters) -> list[Contrast | None]:
    """The contrasts of several rates, with p-values corrected together; None for a rate whose denominator is 0."""
    there = [one for one in rates if one.among.any()]
    found = [difference_of(one, clusters) for one in there]
    corrected = holm_of_known([one.p_value for one in found])
    of_samples = holm([mcnemar(*one.n_only) for one in there])
    contrasts = iter(map(_contrast, there, found, corrected, of_samples))
    return [next(contrasts) if one.among.any() else None for one in rates]


def difference_of(one: Counted, clusters: Clusters) -> Difference:
    """The test and the interval of a rate's difference, without correction."""
    differs = one.base ^ one.run
    shares = (differs * clusters.share, one.among * clusters.share)
    return difference(Differing(*clusters.sums(one.base & ~one.run, one.run & ~one.base, one.among, *shares)))


def holm_of_known(p_values: Sequence[float | None]) -> list[float | None]:
    """The corrected p-values; None, for no test, stays None."""
    known = iter(holm([one for one in p_values if one is not None]))
    return [None if one is None else next(known) for one in p_values]


def _contrast(one: Counted, found: Difference, corrected: float | None, of_samples: float) -> Contrast:
    n, base, run = int(one.among.sum()), int(one.base.sum()), int(one.run.sum())
    return Contrast(
        base / n, run / n, (run - base) / n, found.interval, n, *one.n_only, found.p_value, corrected, of_samples
    )


# The matrix: every strategy against every other


@dataclass(frozen=True, slots=True)
class Cell:
    """The row's strategy against the column's."""

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
        """True if the row's strategy is right significantly more often."""
        return self.n_only_row > self.n_only_column and self.corrected_p is not None and self.corrected_p < ALPHA


@dataclass(frozen=True, slots=True)
class Matrix:
    strategies: list[str]
    cells: list[list[Cell | None]]
    """By row and column; None on the diagonal, and where no sample counts for both."""
    n_pairs: int
    """Pairs of strategies with samples that count for both: the number that p-values are corrected for."""


def matrix(grid: Grid) -> Matrix:
    """Every strategy of a run against every other."""
    n, labelled, right = len(grid.strategies), grid.labelled, grid.right
    pairs = [(row, column, labelled[row] & labelled[column]) for row, column in combinations(range(n), 2)]
    counted = {
        (row, column): Counted(both, both & right[row], both & right[column])
        for row, column, both in pairs
        if both.any()
    }
    p_values = holm_of_known([difference_of(one, grid.clusters).p_value for one in counted.values()])
    cells: list[list[Cell | None]] = [[None] * n for _ in range(n)]
    for ((row, column), one), p_value in zip(counted.items(), p_values, strict=True):
        (ours, theirs), n_shared = one.n_only, int(one.among.sum())
        cells[row][column] = Cell(ours, theirs, n_shared, p_value)
        cells[column][row] = Cell(theirs, ours, n_shared, p_value)
    return Matrix(grid.strategies, cells, len(counted))
