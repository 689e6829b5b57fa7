"""Which strategy to take at which cost of a wrong edit.

The cost of a wrong edit is the number of missed ones that are as bad. A strategy's loss is missed + cost x wrong; the
one with the least is to be taken. Strategies whose losses are equal at a cost break even there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports.compare.contrasts import Contrast, Ratio
from reports.compare.judged import Judged, Mask
from reports.statistics.significance import Interval


@dataclass(frozen=True, slots=True)
class Standing:
    """The counts of a strategy that its loss is made of, on some samples."""

    strategy: str
    n_missed: int
    n_wrong: int


def standing(strategy: str, side: Judged, among: Mask) -> Standing:
    """The missed and the wrong edits of a strategy among some samples that count."""
    return Standing(strategy, int((among & side.missed).sum()), int((among & side.wrong).sum()))


def trade(one: Judged, other: Judged, among: Mask) -> Ratio:
    """How much more often the second misses, and how much less often it is wrong, among some samples that count."""
    missed, wrong = ((among & other.missed), (among & one.wrong))
    return missed.astype(int) - (among & one.missed), wrong.astype(int) - (among & other.wrong)


@dataclass(frozen=True, slots=True)
class Choice:
    """The best strategies for a range of costs."""

    strategies: tuple[str, ...]
    """Of equal counts."""
    above: float
    """They are the best for costs above this, ..."""
    upto: float | None
    """... and up to this; None for all above."""


@dataclass(frozen=True, slots=True)
class BreakEven:
    """The cost of a wrong edit at which two strategies are equally good."""

    cost: float
    interval: Interval | None
    """95 %, clustered by repository; None where it is not certain which of them has fewer wrong edits."""
    safer: str
    """The one with fewer wrong edits: to be taken above that cost."""
    keener: str
    """The one that misses fewer: to be taken below."""


def choices(standings: Sequence[Standing]) -> list[Choice]:
    """The best strategies for every cost above 0, by rising cost."""
    counts = {(one.n_missed, one.n_wrong) for one in standings}
    names = {pair: tuple(one.strategy for one in standings if (one.n_missed, one.n_wrong) == pair) for pair in counts}
    found: list[Choice] = []
    above, best = 0.0, min(counts, default=None)
    while best is not None:
        missed, wrong = best
        # The next one is that which breaks even with the best one first; of several, the one with the fewest wrong.
        rivals = [((m - missed) / (wrong - w), w, (m, w)) for m, w in counts if w < wrong]
        upto, _, following = min(rivals, default=(None, 0, None))
        found.append(Choice(names[best], above, upto))
        above, best = upto or 0.0, following
    return found


def break_even(
    standings: tuple[Standing, Standing], interval: Interval | None, wrong_rate: Contrast | None
) -> BreakEven | None:
    """The cost at which two strategies break even; None where one is at least as good in both counts.

    `interval` is that of the ratio. It means something only where the interval of the wrong rates' difference does not
    include 0.
    """
    one, other = standings
    fewer_wrong, fewer_missed = other.n_wrong - one.n_wrong, one.n_missed - other.n_missed
    if fewer_wrong * fewer_missed <= 0:
        return None
    safer, keener = (one, other) if fewer_wrong > 0 else (other, one)
    certain = wrong_rate is not None and wrong_rate.interval is not None and _excludes_0(wrong_rate.interval)
    bounds = (max(0.0, interval[0]), max(0.0, interval[1])) if interval and certain else None
    return BreakEven(fewer_missed / fewer_wrong, bounds, safer.strategy, keener.strategy)


def _excludes_0(interval: Interval) -> bool:
    return interval[0] > 0 or interval[1] < 0
