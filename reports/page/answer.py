"""Which strategy to take at which cost of a wrong edit, with differences that may be luck left out.

The cost of a wrong edit is the number of missed ones that are as bad. The score of a strategy at a cost is
1 - (missed + cost x wrong) / samples. Strategies are tied with the best one at a cost where the 95 % interval of the
difference, sample by sample and clustered by repository, includes 0. The advice changes only where it must: it keeps a
strategy as long as it is tied with the best, and begins with the one that can be kept longest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reports.measurements.estimate import percent
from reports.page.columns import Columns, Mask
from reports.runs.rows import Verdict
from reports.statistics.sentence import USUAL_COST

COSTS = tuple(10 ** (step / 12) for step in range(-12, 37))
"""0.1 to 1,000."""
_Z = 1.959963984540054
"""Of a two-sided 95 % interval."""

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Range:
    """Costs at which one strategy is advised."""

    strategy: int
    above: float | None
    """None for the first range."""
    upto: float | None
    """None for the last range."""
    tied: tuple[int, ...]
    """Strategies that are tied with the best one at every cost of the range, without the one advised."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The advice about strategies that ran on the same samples."""

    strategies: list[int]
    n_missed: list[int]
    """A crash or a time-out is a missed edit here."""
    n_wrong: list[int]
    n: int
    """Labelled samples."""
    by_repository: bool
    """Whether the intervals are by repository; else each sample counts by itself."""
    ranges: list[Range]
    frontier: list[int]
    """Strategies that no other one beats in correct or wrong edits without being worse in the other."""


def answers(columns: Columns) -> list[Answer]:
    """An answer for each set of samples that several strategies ran on, the largest number of strategies first."""
    ran = columns.kind > 0
    sets: dict[bytes, list[int]] = {}
    for at in range(len(columns.strategies)):
        sets.setdefault(np.packbits(ran[at]).tobytes(), []).append(at)
    shared = sorted((some for some in sets.values() if len(some) > 1), key=lambda some: (-len(some), some[0]))
    if not shared:
        return []
    found = [_answer(columns, some, ran[some[0]]) for some in shared]
    return [one for one in found if one.n]


def _answer(columns: Columns, some: list[int], ran: Mask) -> Answer:
    right = columns.where(Verdict.CORRECT, Verdict.REFUSED, of=some)
    wrong = columns.where(Verdict.WRONG_EDIT, of=some)
    unlabelled = columns.where(Verdict.UNLABELLED, of=some).any(axis=0)
    counted = ran & ~unlabelled
    missed = counted & ~right & ~wrong
    n = int(counted.sum())
    _, cluster = np.unique(columns.cluster[counted], return_inverse=True)
    if not len(cluster) or not cluster.max():
        cluster = np.arange(n)
    by_repository = "repo" in columns.facets and len(np.unique(cluster)) < n
    sums = [_by_cluster(mask[:, counted], cluster) for mask in (missed, wrong)]
    sizes = np.bincount(cluster).astype(np.float64)
    tied = _tied(sums[0], sums[1], sizes) if n else np.zeros((0, len(some)), dtype=np.bool_)
    n_missed, n_wrong = ([int(row.sum()) for row in side] for side in sums)
    ranges = list(_ranges(tied, n_missed, n_wrong, some)) if n else []
    n_correct = (columns.where(Verdict.CORRECT, of=some) & counted).sum(axis=1).tolist()
    return Answer(some, n_missed, n_wrong, n, by_repository, ranges, _frontier(n_correct, n_wrong, some))


def _by_cluster(mask: Mask, cluster: npt.NDArray[np.intp]) -> Numbers:
    """(n_strategies, n_clusters) the number of samples in each cluster that the mask holds."""
    n = int(cluster.max()) + 1 if len(cluster) else 0
    return np.array([np.bincount(cluster, weights=row, minlength=n) for row in mask])


def _tied(missed: Numbers, wrong: Numbers, sizes: Numbers) -> Mask:
    """(n_costs, n_strategies) whether a strategy may be as good as the best one at that cost."""
    rows = []
    n_clusters, n = len(sizes), sizes.sum()
    for cost in COSTS:
        loss = missed + cost * wrong
        totals = loss.sum(axis=1)
        difference = loss - loss[totals.argmin()]
        spread = difference - difference.sum(axis=1, keepdims=True) / n * sizes
        error = np.sqrt((spread**2).sum(axis=1) * n_clusters / max(1, n_clusters - 1))
        rows.append(difference.sum(axis=1) <= _Z * error + 1e-9)
    return np.array(rows)


def _ranges(tied: Mask, n_missed: Sequence[int], n_wrong: Sequence[int], some: Sequence[int]) -> Iterator[Range]:
    """The fewest changes of advice: each strategy is kept as long as it is tied with the best."""
    at, above = 0, None
    while at < len(COSTS):
        ends = [_end(tied[:, one], at) for one in range(len(some))]
        farthest = max(ends)
        middle = COSTS[(at + farthest - 1) // 2]
        chosen = min(
            (one for one in range(len(some)) if ends[one] == farthest),
            key=lambda one: n_missed[one] + middle * n_wrong[one],
        )
        upto = COSTS[farthest] if farthest < len(COSTS) else None
        others = [some[one] for one in range(len(some)) if one != chosen and tied[at:farthest, one].all()]
        yield Range(some[chosen], above, upto, tuple(others))
        at, above = farthest, upto


def _end(tied: npt.NDArray[np.bool_], at: int) -> int:
    """The index of the first cost from `at` on at which a strategy is not tied."""
    beaten = np.flatnonzero(~tied[at:])
    return at + int(beaten[0]) if len(beaten) else len(tied)


def _frontier(n_correct: Sequence[int], n_wrong: Sequence[int], some: Sequence[int]) -> list[int]:
    points = list(zip(n_correct, n_wrong, strict=True))
    return [
        one
        for one, (correct, wrong) in zip(some, points, strict=True)
        if not any(c >= correct and w <= wrong and (c, w) != (correct, wrong) for c, w in points)
    ]


def sentence(answer: Answer, names: Sequence[str]) -> str:
    """The advice in one sentence."""
    first, *others = answer.ranges
    if not others:
        tied = [names[one] for one in first.tied]
        at = answer.strategies.index(first.strategy)
        shares = (
            f"it misses {percent(answer.n_missed[at] / answer.n)}, {percent(answer.n_wrong[at] / answer.n)} are wrong"
        )
        advice = f"Take {names[first.strategy]}, whatever a wrong edit costs: {shares}"
        return f"{advice}; {_listed(tied)} cannot be told apart from it." if tied else f"{advice}."
    usual = next(one for one in answer.ranges if one.upto is None or one.upto > USUAL_COST)
    if usual.above is None:
        where = f"fewer than {_cost(usual.upto)} missed ones"
    elif usual.upto is None:
        where = f"{_cost(usual.above)} missed ones or more"
    else:
        where = f"{_cost(usual.above)} to {_cost(usual.upto)} missed ones"
    rest = ", ".join(f"{names[one.strategy]} {_words(one)}" for one in answer.ranges if one is not usual)
    return f"Take {names[usual.strategy]} where a wrong edit is as bad as {where}; {rest}."


def _words(one: Range) -> str:
    if one.above is None:
        return f"below {_cost(one.upto)}"
    return f"above {_cost(one.above)}" if one.upto is None else f"from {_cost(one.above)} to {_cost(one.upto)}"


def _listed(names: Sequence[str]) -> str:
    if len(names) > 3:
        return f"{', '.join(names[:2])} and {len(names) - 2} others"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _cost(number: float | None) -> str:
    """A cost with two significant digits."""
    value = number or 0.0
    digits = max(0, 1 - math.floor(math.log10(value))) if value else 0
    return f"{value:.{digits}f}"


def document(answer: Answer, names: Sequence[str]) -> dict[str, Any]:
    """The answer for the page."""
    return {
        "strategies": answer.strategies,
        "missed": answer.n_missed,
        "wrong": answer.n_wrong,
        "n": answer.n,
        "by_repository": answer.by_repository,
        "frontier": answer.frontier,
        "sentence": sentence(answer, names),
        "ranges": [
            {"strategy": one.strategy, "above": one.above, "upto": one.upto, "tied": list(one.tied)}
            for one in answer.ranges
        ],
    }
