"""The paired comparison: two sides judged on the same samples, their rates, the difference, and whether it is luck.

The sides are two runs of one strategy, or two strategies of one run; what compares them is the same. Both rates come
from the same samples, so most of what makes one of them high or low makes the other so, too, and drops out:

    sample                    s1  s2  s3  s4  s5  s6  s7
    base                      +   +   +   -   -   +   -       4 of 7
    run                       +   +   -   -   -   +   +       4 of 7
    only base, only run               b               r       delta = (1 - 1) / 7

Only samples on which one side is right and the other is not say anything about the difference. Were both sides equally
good, each of those would be a toss of a coin: McNemar's exact test is the probability of a split at least as uneven.
The interval of the difference draws whole repositories, with replacement, and subtracts sample by sample in each draw;
samples of one repository resemble each other and are not so many independent ones.

What every change must keep:
- One `Counted` has one denominator: a sample counts on both sides or on none.
- p-values that stand in one table are corrected together (Holm), the intervals of one comparison drawn together.
- A rate over nothing is None. An interval from a single repository is None: there is nothing to draw from.

What does not work: to compare the intervals of the two rates. Of 100 samples, 60 against 70 right is 50 to 69 % against
60 to 78 %, which overlap, though ten samples turned and none turned back: p is 0.002. And a test for unpaired samples
throws away that 60 of them are right on both sides. To count samples as if each were a repository of its own makes
intervals too narrow.

To add a rate, add its `Counted` to `Rates` and to `rates_of`, and the field to what compares: `PairCompared` for two
strategies, `StrategyCompared` for two runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reports.compare.judged import Judged, Mask
from reports.measurements.estimate import CONFIDENCE
from reports.statistics.significance import Codes, Interval, clustered_intervals, holm, mcnemar

ALPHA = 1 - CONFIDENCE

Numbers = npt.NDArray[Any]
Ratio = tuple[Numbers, Numbers]
"""(n_samples,) the summands of a numerator and of a denominator."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """A rate on two sides, over the samples that are labelled on both."""

    base: float
    run: float
    delta: float
    """run - base."""
    interval: Interval | None
    """95 % interval of delta, clustered by repository; None if all samples are of one repository."""
    n: int
    """The denominator."""
    n_only_base: int
    """Samples counted in the numerator of the baseline only."""
    n_only_run: int
    """Samples counted in the numerator of the run only."""
    p_value: float
    """McNemar's exact test."""
    corrected_p: float
    """The p-value after Holm's correction over all that were tested: the strategies, or pairs of them."""

    def is_significant(self, *, alpha: float = ALPHA) -> bool:
        """Whether the corrected p-value is below alpha."""
        return self.corrected_p < alpha


class Counted(NamedTuple):
    """(n_samples,) masks: the denominator of a rate, and its numerator on either side."""

    among: Mask
    base: Mask
    run: Mask

    def within(self, some: Mask) -> Counted:
        """The same among some samples."""
        return Counted(self.among & some, self.base & some, self.run & some)

    @property
    def difference(self) -> Ratio:
        """The rate of the run less that of the baseline."""
        return self.run.astype(int) - self.base, self.among


class Rates(NamedTuple):
    """What is counted of two sides."""

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


def intervals(
    *groups: Sequence[Ratio], clusters: Codes, n_replicates: int, seed: int
) -> tuple[list[Interval | None], ...]:
    """The intervals of several groups of ratios, all from the same draws of clusters."""
    ratios = [ratio for group in groups for ratio in group]
    if not ratios:
        return tuple([] for _ in groups)
    above, below = (np.column_stack(side) for side in zip(*ratios, strict=True))
    found = iter(clustered_intervals(above, below, clusters, n_replicates=n_replicates, seed=seed))
    return tuple(list(islice(found, len(group))) for group in groups)


def contrasts_of(rates: Sequence[Counted], intervals: Sequence[Interval | None]) -> list[Contrast | None]:
    """The contrasts of several rates, whose p-values are corrected together; None where the denominator is 0."""
    only = [(int((one.base & ~one.run).sum()), int((one.run & ~one.base).sum())) for one in rates]
    p_values = [mcnemar(*counts) for counts in only]
    there = [place for place, one in enumerate(rates) if one.among.any()]
    corrected = dict(zip(there, holm([p_values[place] for place in there]), strict=True))
    found: list[Contrast | None] = [None] * len(rates)
    for place in there:
        n = int(rates[place].among.sum())
        base, run = int(rates[place].base.sum()), int(rates[place].run.sum())
        found[place] = Contrast(
            base / n, run / n, (run - base) / n, intervals[place], n, *only[place], p_values[place], corrected[place]
        )
    return found
