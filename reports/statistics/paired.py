"""The difference of two rates on the same samples: an interval, and a p-value that is below 0.05 where 0 is not in it.

Only samples on which one side counts and the other does not say anything about the sign of a difference. Were both
sides equal, each would be a toss of a coin: McNemar's exact test, with the number of samples that they are worth as
clusters (`reports.measurements.interval`). The interval joins two: of the share of those samples that the second side
has (Clopper and Pearson's, which is the same test turned round), and of how many samples differ at all (Wilson's). They
are independent, so the squares of their distances add up (MOVER).

Drawing whole repositories instead gives intervals that are too narrow: of the match and wrong rates of `reference` and
`recommended` on 5,093 recorded edits they include the true difference in 90 and 88 % of draws, these in 95 and 94.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from reports.measurements.interval import CONFIDENCE, Interval, Sums, Z, sampled, wilson

FEWEST = 6
"""Clusters in which the sides differ, below which nothing is said: with 5, all alike, the p-value is 0.06 at least."""


class Difference(NamedTuple):
    """What can be said of the difference of two rates, second - first."""

    interval: Interval | None
    """95 %; None where no sample differs, or those of too few clusters."""
    p_value: float | None
    """None where samples of too few clusters differ; 1 where none does."""


class Differing(NamedTuple):
    """Samples by cluster, (n_clusters,) each."""

    only_first: Sums
    only_second: Sums
    asked: Sums
    """In the denominator of both rates."""
    distinct_differing: Sums
    """Those on which the sides differ, with each group of near-duplicates counted as one."""
    distinct_asked: Sums


def difference(found: Differing) -> Difference:
    """The test and the interval of a difference. Where all samples are of one cluster, each is a draw of its own."""
    differing = found.only_first + found.only_second
    if not differing.any():
        return Difference(None, 1.0)
    is_one = np.count_nonzero(found.asked) == 1
    n_units = float(found.distinct_differing.sum()) if is_one else np.count_nonzero(differing)
    if round(n_units) < FEWEST:
        return Difference(None, None)
    split = sampled(found.only_second, differing, found.distinct_differing)
    n = split.n * (Z / split.z) ** 2
    share, p_value = _exact(split.rate * n, n)
    differ = sampled(differing, found.asked, found.distinct_asked)
    return Difference(_joined(2 * split.rate - 1, share, differ.rate, wilson(*differ)), p_value)


def _exact(second: float, n: float) -> tuple[Interval, float]:
    """Clopper and Pearson's interval of second / n, and the p-value of 1/2; n may be no whole number."""
    from scipy.special import betainc, betaincinv

    tail = (1 - CONFIDENCE) / 2
    low = betaincinv(second, n - second + 1, tail) if second > 0 else 0.0
    high = betaincinv(second + 1, n - second, 1 - tail) if second < n else 1.0
    more = max(second, n - second)
    return (float(low), float(high)), min(1.0, 2 * float(betainc(more, n - more + 1, 0.5)))


def _joined(excess: float, share: Interval, differ: float, differ_within: Interval) -> Interval:
    """The interval of excess x differ, given those of (1 + excess) / 2 and of differ; 0 is in it where 1/2 is there."""
    least, most = 2 * share[0] - 1, 2 * share[1] - 1
    fewer, more = differ_within
    toward, away = (fewer, more) if excess > 0 else (more, fewer)
    low = excess * differ - math.hypot(excess * (differ - toward), differ * (excess - least))
    high = excess * differ + math.hypot(excess * (away - differ), differ * (most - excess))
    low, high = max(low, least * fewer) if least > 0 else low, min(high, most * fewer) if most < 0 else high
    return max(-1.0, low), min(1.0, high)
