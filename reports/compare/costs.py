"""The best strategy for each cost of a wrong edit, and that as the advice of `editgauge run` and of the page.

The cost of a wrong edit is the number of missed edits that are equally bad. The loss of a strategy is missed + cost x
wrong; the strategy with the least loss is best:

    cost of a wrong edit             0.5       5      50
    keen: 1 missed, 4 wrong            3      21     201
    safe: 16 missed, 1 wrong        16.5      21      66        they break even at (16 - 1) / (4 - 1) = 5

`choices` takes the counts as exact. If the counts are a sample of edits to come, similar strategies may cross at any
cost. So `ranges` also names the strategies that tie with the best: the 95 % interval of the difference of their
losses, sample by sample and clustered by repository, includes 0.

What does not work: keeping a strategy for as long as it ties with the best one, so that the advice changes seldom.
The advised strategy then lies visibly below another curve, and a reader who sees both believes neither.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reports.compare.contrasts import Judged
from reports.measurements.interval import Interval, percent, student
from reports.runs.rows import Verdict
from reports.runs.run_folder import RunFolder
from reports.statistics.grid import Clusters, Grid, Mask, Rows
from reports.statistics.summary import RUNGS, USUAL_COST, Summary, summarised
from reports.wording import first_named

COSTS = tuple(10 ** (step / 12) for step in range(-12, 37))

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Standing:
    """The counts that make up a strategy's loss on some samples."""

    strategy: str
    n_missed: int
    n_wrong: int


def standing(strategy: str, side: Judged, among: Mask) -> Standing:
    return Standing(strategy, int((among & side.missed).sum()), int((among & side.wrong).sum()))


@dataclass(frozen=True, slots=True)
class Choice:
    """The best strategies for a range of costs."""

    strategies: tuple[str, ...]
    """All have equal counts."""
    above: float
    """The strategies are the best for costs above this, ..."""
    upto: float | None
    """... and up to this; None for all above."""


@dataclass(frozen=True, slots=True)
class BreakEven:
    """The cost of a wrong edit at which two strategies are equally good."""

    cost: float
    interval: Interval | None
    """The costs at which they tie, of those in `COSTS`; None if they tie at any high cost."""
    safer: str
    """The strategy with fewer wrong edits: the better one above that cost."""
    keener: str
    """The strategy that misses fewer edits: the better one below that cost."""


def choices(standings: Sequence[Standing]) -> list[Choice]:
    """The best strategies for every cost above 0, by rising cost."""
    counts = {(one.n_missed, one.n_wrong) for one in standings}
    names = {pair: tuple(one.strategy for one in standings if (one.n_missed, one.n_wrong) == pair) for pair in counts}
    return [Choice(names[pair], above, upto) for pair, above, upto in _best_counts(counts)]


def _best_counts(counts: Set[tuple[int, int]]) -> Iterator[tuple[tuple[int, int], float, float | None]]:
    """The (missed, wrong) of the least loss, and its range of costs, by rising cost; None as the end means no limit."""
    above, best = 0.0, min(counts, default=None)
    while best is not None:
        missed, wrong = best
        # The next one is that which breaks even with the best one first; of several, the one with the fewest wrong.
        rivals = [((m - missed) / (wrong - w), w, (m, w)) for m, w in counts if w < wrong]
        upto, _, following = min(rivals, default=(None, 0, None))
        yield best, above, upto
        above, best = upto or 0.0, following


def break_even(standings: tuple[Standing, Standing], tied: Sequence[float]) -> BreakEven | None:
    """The cost at which two strategies break even; None if one is at least as good in both counts.

    `tied` are the costs of `COSTS` at which the two tie: the interval of the break-even cost, unless it has no end.
    """
    one, other = standings
    fewer_wrong, fewer_missed = other.n_wrong - one.n_wrong, one.n_missed - other.n_missed
    if fewer_wrong * fewer_missed <= 0:
        return None
    safer, keener = (one, other) if fewer_wrong > 0 else (other, one)
    cost = fewer_missed / fewer_wrong
    ends = (min(cost, 0.0 if tied[0] == COSTS[0] else tied[0]), max(cost, tied[-1])) if tied else (cost, cost)
    return BreakEven(cost, None if COSTS[-1] in tied else ends, safer.strategy, keener.strategy)


def tied_costs(one: Judged, other: Judged, among: Mask, clusters: Clusters) -> list[float]:
    """The costs of `COSTS` at which two strategies tie; all of them if the samples are of one cluster."""
    columns = (one.missed, other.missed, one.wrong, other.wrong)
    sizes, *sums = clusters.sums(among, *(column & among for column in columns))
    if np.count_nonzero(sizes) < 2:
        return list(COSTS)
    missed, wrong = (np.array(some)[:, sizes > 0] for some in (sums[:2], sums[2:]))
    tied = tied_with_best(missed, wrong, sizes[sizes > 0])
    return [cost for cost, both in zip(COSTS, tied.tolist(), strict=True) if all(both)]


@dataclass(frozen=True, slots=True)
class Range:
    """Costs at which one strategy is advised."""

    strategy: int
    above: float | None
    upto: float | None
    tied: tuple[int, ...]
    """Other strategies that tie with the best one at every cost of the range."""


def tied_with_best(missed: Numbers, wrong: Numbers, sizes: Numbers) -> Mask:
    """(n_costs, n_strategies) mask: the strategy may be as good as the best one at that cost."""
    return np.array([ties(missed + cost * wrong, sizes) for cost in COSTS])


def ties(loss: Numbers, sizes: Numbers) -> Mask:
    """(n_strategies,) mask: the interval of the difference from the least loss includes 0; `loss` is by cluster."""
    difference = loss - loss[loss.sum(axis=1).argmin()]
    is_tied: Mask = difference.sum(axis=1) <= half_widths(difference, sizes) + 1e-9
    return is_tied


def half_widths(difference: Numbers, sizes: Numbers) -> Numbers:
    """(n,) half the 95 % interval of the sum of each row, given (n, n_clusters) sums and the clusters' sizes."""
    n_clusters, n = len(sizes), sizes.sum()
    spread = difference - difference.sum(axis=1, keepdims=True) / max(n, 1) * sizes
    error = np.sqrt((spread**2).sum(axis=1) * n_clusters / max(1, n_clusters - 1))
    found: Numbers = student(max(2, n_clusters - 1)) * error
    return found


def ranges(tied: Mask, n_missed: Sequence[int], n_wrong: Sequence[int], some: Sequence[int]) -> Iterator[Range]:
    """At each cost of `COSTS` and between them the strategy with the least loss, of equal ones the first.

    Ranges end where two strategies break even, so no other one is ever above the one advised.
    """
    pairs = list(zip(n_missed, n_wrong, strict=True))
    best = [one for one in _best_counts(set(pairs)) if one[1] < COSTS[-1] and (one[2] is None or one[2] > COSTS[0])]
    for at, (pair, above, upto) in enumerate(best):
        chosen = pairs.index(pair)
        is_last = at + 1 == len(best)
        start, end = bisect_left(COSTS, above), len(COSTS) if upto is None else bisect_right(COSTS, upto)
        if start >= end:  # A range between two of COSTS: who is tied at both is tied here.
            start, end = max(0, end - 1), start + 1
        others = [some[one] for one in range(len(some)) if one != chosen and tied[start:end, one].all()]
        yield Range(some[chosen], above if at else None, None if is_last else upto, tuple(others))


def frontier(n_correct: Sequence[int], n_wrong: Sequence[int], some: Sequence[int]) -> list[int]:
    """The strategies that no other one beats in correct or wrong edits without a loss in the other count."""
    points = list(zip(n_correct, n_wrong, strict=True))
    return [
        one
        for one, (correct, wrong) in zip(some, points, strict=True)
        if not any(c >= correct and w <= wrong and (c, w) != (correct, wrong) for c, w in points)
    ]


# The advice in words: the best strategy of each cost, with the strategies that tie with it


@dataclass(frozen=True, slots=True)
class Answer:
    """The advice about strategies that ran on the same samples."""

    strategies: list[int]
    n_missed: list[int]
    """Missed edits, crashes and time-outs."""
    n_wrong: list[int]
    n: int
    """Labelled samples."""
    are_clustered: bool
    """True if the intervals are clustered; otherwise each sample counts by itself."""
    ranges: list[Range]
    frontier: list[int]
    """The strategies that no other one beats in correct or wrong edits without a loss in the other count."""


def answers(grid: Grid) -> list[Answer]:
    """An answer for each set of samples that several strategies ran on, the set of most strategies first."""
    ran = grid.ran
    sets: dict[bytes, list[int]] = {}
    for at in range(len(grid.strategies)):
        sets.setdefault(np.packbits(ran[at]).tobytes(), []).append(at)
    shared = sorted((some for some in sets.values() if len(some) > 1), key=lambda some: (-len(some), some[0]))
    if not shared:
        return []
    found = [_answer(grid, some, ran[some[0]]) for some in shared]
    return [one for one in found if one.n]


def _answer(grid: Grid, some: list[int], ran: Mask) -> Answer:
    counted = ran & grid.labelled[some].any(axis=0)
    wrong = grid.wrong[some]
    missed = counted & ~grid.right[some] & ~wrong
    n = int(counted.sum())
    _, cluster = np.unique(grid.clusters.code[counted], return_inverse=True)
    if not len(cluster) or not cluster.max():
        cluster = np.arange(n)
    sums = tuple(_by_cluster(mask[:, counted], cluster) for mask in (missed, wrong))
    sizes = np.bincount(cluster).astype(np.float64)
    n_missed, n_wrong = ([int(row.sum()) for row in side] for side in sums)
    n_correct = (grid.where(Verdict.CORRECT)[some] & counted).sum(axis=1).tolist()
    at = _advisable([grid.strategies[one] for one in some], n_correct)
    tied = tied_with_best(sums[0][at], sums[1][at], sizes) if n else None
    advised = (
        []
        if tied is None
        else list(ranges(tied, [n_missed[k] for k in at], [n_wrong[k] for k in at], [some[k] for k in at]))
    )
    return Answer(some, n_missed, n_wrong, n, len(np.unique(cluster)) < n, advised, frontier(n_correct, n_wrong, some))


def _advisable(names: Sequence[str], n_correct: Sequence[int]) -> list[int]:
    """The indexes of the strategies that may be advised: not a single rung, and not one that gets nothing right.

    A tier that refuses all edits has no wrong edit and is the best at a high cost, though it is of no use alone. If
    there are only such strategies, all may be advised.
    """
    able = [at for at, n in enumerate(n_correct) if n] or list(range(len(names)))
    return [at for at in able if not names[at].startswith(RUNGS)] or able


def _by_cluster(mask: Mask, cluster: npt.NDArray[np.intp]) -> Numbers:
    """(n_strategies, n_clusters) the number of samples in each cluster that the mask holds."""
    n = int(cluster.max()) + 1 if len(cluster) else 0
    return np.array([np.bincount(cluster, weights=row, minlength=n) for row in mask])


def advised(run: RunFolder, names: Collection[str] = ()) -> tuple[list[Summary], str]:
    """The summaries of these strategies of a run, or of all, and the sentence about most of them; or no sentence."""
    rows = Rows()
    grid, summaries = summarised(run, rows)
    some = [one for one in summaries if not names or one.strategy in names]
    grid = grid.of_strategies([one.strategy for one in some])
    found = [] if rows.are_shared else answers(grid)
    return some, sentence(found[0], grid.strategies) if found else ""


def sentence(answer: Answer, names: Sequence[str]) -> str:
    first, *others = answer.ranges
    if not others:
        tied = [names[one] for one in first.tied]
        at = answer.strategies.index(first.strategy)
        shares = (
            f"it misses {percent(answer.n_missed[at] / answer.n)}, {percent(answer.n_wrong[at] / answer.n)} are wrong"
        )
        advice = f"Take {names[first.strategy]}, whatever a wrong edit costs: {shares}"
        return f"{advice}; {first_named(tied, most=3)} cannot be told apart from it." if tied else f"{advice}."
    usual = next(one for one in answer.ranges if one.upto is None or one.upto > USUAL_COST)
    if usual.above is None:
        where = f"fewer than {_cost(usual.upto)} missed ones"
    elif usual.upto is None:
        where = f"{_cost(usual.above)} missed ones or more"
    else:
        where = f"{_cost(usual.above)} to {_cost(usual.upto)} missed ones"
    rest = ", ".join(f"{names[one.strategy]} {_words(one)}" for one in answer.ranges if one is not usual)
    tied = [names[one] for one in usual.tied]
    also = f" ({first_named(tied, most=3)} cannot be told apart from it there)" if tied else ""
    return f"Take {names[usual.strategy]} where a wrong edit is as bad as {where}{also}; {rest}."


def _words(one: Range) -> str:
    if one.above is None:
        return f"below {_cost(one.upto)}"
    return f"above {_cost(one.above)}" if one.upto is None else f"from {_cost(one.above)} to {_cost(one.upto)}"


def _cost(number: float | None) -> str:
    """A cost with two significant digits."""
    value = number or 0.0
    digits = max(0, 1 - math.floor(math.log10(value))) if value else 0
    return f"{value:.{digits}f}"


def document(answer: Answer, names: Sequence[str], *, have_repos: bool) -> dict[str, Any]:
    return {
        "strategies": answer.strategies,
        "missed": answer.n_missed,
        "wrong": answer.n_wrong,
        "n": answer.n,
        "by_repository": have_repos and answer.are_clustered,
        "frontier": answer.frontier,
        "sentence": sentence(answer, names),
        "ranges": [
            {"strategy": one.strategy, "above": one.above, "upto": one.upto, "tied": list(one.tied)}
            for one in answer.ranges
        ],
    }
