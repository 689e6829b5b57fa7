"""Choosing an ordering: what makes one good, which are best, and how much of that is luck.

Only labelled samples count. A score is the correct samples, less `wrong_cost` for each wrong edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from reports.orderings.decisions import CORRECT, NOTHING, WRONG, Decisions
from reports.orderings.enumeration import MOST_LISTED, Orderings, all_orderings
from reports.orderings.front import Chosen, front
from reports.orderings.gains import Gains
from reports.statistics.significance import Interval, clustered_interval


@dataclass(frozen=True, slots=True)
class Aim:
    """What makes an ordering a good one."""

    wrong_cost: float = 5.0
    """What a wrong edit costs, in correct ones."""
    max_wrong_rate: float | None = None
    """Orderings that are wrong on a larger share of the labelled samples do not count."""

    def most_wrong(self, n_labelled: int) -> float:
        """How many wrong edits an ordering may make."""
        return float("inf") if self.max_wrong_rate is None else self.max_wrong_rate * n_labelled + 1e-9


@dataclass(frozen=True, slots=True)
class Scored:
    """An ordering and what it comes to."""

    order: tuple[str, ...]
    correct: int
    wrong: int
    missed: int
    refused: int
    score: float
    expected_ns: float | None = None
    """Of a call, the mean over samples of one edit, made up of the replacers' own latencies."""
    match_interval: Interval | None = None
    """95 %, of correct / samples labelled apply, by bootstrap over repositories."""
    wrong_interval: Interval | None = None
    """The same of wrong / labelled samples."""
    n_equal: int | None = None
    """Orderings with the same counts, this one among them; absent where they are too many to list."""


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """Orders chosen on some repositories and scored on the others."""

    n_folds: int
    orders: tuple[tuple[str, ...], ...]
    """The one that was chosen without each fold."""
    correct: int
    wrong: int
    score: float
    """Of each sample under the order that was chosen without it."""
    loss: float
    """How much more the best order's score promises, having been chosen on the samples that it is scored on."""
    gain: float
    """Score less that of the reference."""
    gain_interval: Interval | None
    """95 %, by bootstrap over repositories."""


def scored(table: Decisions, order: Sequence[int], aim: Aim) -> Scored:
    """What an order of the table's columns comes to."""
    under = table.under(order)
    correct, wrong = (int((under[table.labelled] == what).sum()) for what in (CORRECT, WRONG))
    nothing = (under == NOTHING) & table.labelled
    missed = int((nothing & table.to_apply).sum())
    names = tuple(table.replacers[place] for place in order)
    return Scored(names, correct, wrong, missed, int(nothing.sum()) - missed, correct - aim.wrong_cost * wrong)


def with_intervals(table: Decisions, one: Scored) -> Scored:
    """The same with intervals of its rates."""
    under = table.under(table.places(one.order))
    match = clustered_interval((under == CORRECT) & table.to_apply, table.to_apply, table.cluster)
    wrong = clustered_interval((under == WRONG) & table.labelled, table.labelled, table.cluster)
    return replace(one, match_interval=match, wrong_interval=wrong)


def listing(table: Decisions, *, samples: Chosen | None = None) -> Orderings | None:
    """All orderings of the table's replacers, of all samples or of some; None where they are too many."""
    if len(table.replacers) > MOST_LISTED:
        return None
    return all_orderings(table, Gains(table, samples))


def pareto(table: Decisions, listed: Orderings | None) -> list[tuple[int, ...]]:
    """An order for each point of the Pareto front of correct against wrong, by rising `wrong`."""
    if listed is None:
        return [point.order for point in front(table)]
    rows = np.lexsort((listed.expected_ns, listed.length, -listed.correct, listed.wrong))
    correct = listed.correct[rows]
    higher = np.concatenate([[True], correct[1:] > np.maximum.accumulate(correct)[:-1]])
    return [listed.order(int(row)) for row in rows[higher]]


def best(table: Decisions, listed: Orderings | None, aim: Aim, *, top: int) -> list[Scored]:
    """The best orderings by falling score, one of each pair of counts: the shortest of them, then the fastest.

    Where the orderings are too many to list, those on the Pareto front, among which the best is. Empty where none
    is allowed.
    """
    most_wrong = aim.most_wrong(table.n_labelled)
    if listed is None:
        found = [scored(table, order, aim) for order in pareto(table, None)]
        allowed = [one for one in found if one.wrong <= most_wrong]
        return sorted(allowed, key=lambda one: (-one.score, len(one.order)))[:top]
    rows = np.flatnonzero(listed.wrong <= most_wrong)
    rows = rows[listed.ranked(rows, aim.wrong_cost)]
    kind = listed.correct[rows].astype(np.int64) * (table.n_labelled + 1) + listed.wrong[rows]
    _, first, n_equal = np.unique(kind, return_index=True, return_counts=True)
    shown = np.argsort(first)[:top]
    return [
        replace(
            scored(table, listed.order(int(rows[first[k]])), aim),
            expected_ns=float(listed.expected_ns[rows[first[k]]]),
            n_equal=int(n_equal[k]),
        )
        for k in shown
    ]


def cross_validated(
    table: Decisions, reference: Sequence[int], aim: Aim, *, n_folds: int, promised: float
) -> CrossValidation | None:
    """Orders chosen without each fold and scored on it; None where there are fewer repositories than folds.

    A repository is in one fold, by its turn among them in order of size, so that folds are about as large.
    """
    sizes = np.bincount(table.cluster[table.labelled], minlength=int(table.cluster.max(initial=0)) + 1)
    if n_folds < 2 or np.count_nonzero(sizes) < n_folds:
        return None
    turn = np.empty(len(sizes), dtype=np.int64)
    turn[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    fold = turn[table.cluster] % n_folds
    under = np.zeros(len(table.samples), dtype=np.int8)
    orders = []
    for held_out in range(n_folds):
        rest = fold != held_out
        chosen = _chosen(table, aim, rest)
        np.copyto(under, table.under(chosen), where=~rest)
        orders.append(tuple(table.replacers[place] for place in chosen))
    worth = _worth(under, aim)
    differences = np.where(table.labelled, worth - _worth(table.under(reference), aim), 0)
    interval = clustered_interval(differences, table.labelled, table.cluster)
    n = table.n_labelled
    score = float(worth[table.labelled].sum())
    return CrossValidation(
        n_folds=n_folds,
        orders=tuple(orders),
        correct=int((under[table.labelled] == CORRECT).sum()),
        wrong=int((under[table.labelled] == WRONG).sum()),
        score=score,
        loss=promised - score,
        gain=float(differences.sum()),
        gain_interval=interval and (interval[0] * n, interval[1] * n),
    )


def _chosen(table: Decisions, aim: Aim, samples: Chosen) -> tuple[int, ...]:
    """The columns of the best order on some samples; none of them where no order is allowed."""
    n_labelled = int((table.labelled & samples).sum())
    listed = listing(table, samples=samples)
    if listed is not None:
        rows = np.flatnonzero(listed.wrong <= aim.most_wrong(n_labelled))
        return listed.order(int(rows[listed.ranked(rows, aim.wrong_cost)[0]])) if len(rows) else ()
    points = [point for point in front(table, samples=samples) if point.wrong <= aim.most_wrong(n_labelled)]
    best_of_them = max(points, key=lambda point: point.correct - aim.wrong_cost * point.wrong, default=None)
    return best_of_them.order if best_of_them else ()


def _worth(under: npt.NDArray[np.int8], aim: Aim) -> npt.NDArray[np.float64]:
    worth: npt.NDArray[np.float64] = (under == CORRECT) - aim.wrong_cost * (under == WRONG)
    return worth
