"""The advice of `editgauge run` and of the page: the best strategy for each cost of a wrong edit, in words.

With the best strategy of each cost, the advice names the strategies that tie with it (`reports.compare.costs`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reports.compare.costs import Numbers, Range, frontier, ranges, tied_with_best
from reports.measurements.interval import percent
from reports.runs.rows import Verdict
from reports.runs.run_folder import RunFolder
from reports.statistics.grid import Grid, Mask, Rows
from reports.statistics.sentence import RUNGS, USUAL_COST
from reports.statistics.summary import Summary, summarised
from reports.wording import first_named


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
    """An answer for each set of samples that several strategies ran on, those of the most strategies first."""
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
