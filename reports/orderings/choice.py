"""The choice of an ordering: scores, the best orderings, and cross-validation.

Only labelled samples count. The score of an ordering is its correct samples - `wrong_cost` x its wrong edits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from reports.compare.costs import half_widths
from reports.measurements.interval import Interval, clustered
from reports.orderings.decisions import CORRECT, NOTHING, WRONG, Decisions
from reports.orderings.front import Chosen, front
from reports.orderings.gains import MOST_LISTED, Gains, Orderings, all_orderings


@dataclass(frozen=True, slots=True)
class Aim:
    """The objective: the cost of a wrong edit, and a limit on the wrong rate."""

    wrong_cost: float = 5.0
    """Number of correct edits that outweigh one wrong edit."""
    max_wrong_rate: float | None = None
    """Orderings with a higher wrong rate are not allowed."""

    def most_wrong(self, n_labelled: int) -> float:
        return float("inf") if self.max_wrong_rate is None else self.max_wrong_rate * n_labelled + 1e-9


@dataclass(frozen=True, slots=True)
class Scored:
    order: tuple[str, ...]
    correct: int
    wrong: int
    missed: int
    refused: int
    score: float
    expected_ns: float | None = None
    """Nanoseconds of a call, estimated from single replacers' latencies: the mean over samples with one edit."""
    match_interval: Interval | None = None
    """95 % interval of correct / samples labelled apply, clustered by repository; None without such samples."""
    wrong_interval: Interval | None = None
    """95 % interval of wrong / labelled samples, likewise."""
    n_equal: int | None = None
    """Number of orderings with the same counts, including this one; None if there are too many to list."""


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """Cross-validation of the choice: orders chosen on some repositories and scored on the others."""

    n_folds: int
    orders: tuple[tuple[str, ...], ...]
    """For each fold, the order chosen on the other folds."""
    correct: int
    wrong: int
    score: float
    """The score if each sample is scored under the order that was chosen without its fold."""
    loss: float
    """Score of the best order on all samples - `score`: the optimism of choosing and scoring on the same data."""
    gain: float
    """`score` - score of the reference."""
    gain_interval: Interval
    """95 % interval of `gain`, clustered by repository."""


def scored(table: Decisions, order: Sequence[int], aim: Aim) -> Scored:
    under = table.under(order)
    correct, wrong = (int((under[table.labelled] == what).sum()) for what in (CORRECT, WRONG))
    nothing = (under == NOTHING) & table.labelled
    missed = int((nothing & table.to_apply).sum())
    names = tuple(table.replacers[place] for place in order)
    return Scored(names, correct, wrong, missed, int(nothing.sum()) - missed, correct - aim.wrong_cost * wrong)


def with_intervals(table: Decisions, one: Scored) -> Scored:
    under = table.under(table.places(one.order))
    match, wrong = (
        clustered(*table.clusters.sums((under == what) & among, among, among * table.clusters.share))
        if among.any()
        else None
        for what, among in ((CORRECT, table.to_apply), (WRONG, table.labelled))
    )
    return replace(one, match_interval=match, wrong_interval=wrong)


def listing(table: Decisions, *, samples: Chosen | None = None) -> Orderings | None:
    """All orderings of the table's replacers, scored on all samples or some; None if there are too many to list."""
    if len(table.replacers) > MOST_LISTED:
        return None
    return all_orderings(table, Gains(table, samples))


def pareto(table: Decisions, listed: Orderings | None) -> list[tuple[int, ...]]:
    """One order for each point of the Pareto front of correct against wrong, by increasing `wrong`."""
    if listed is None:
        return [point.order for point in front(table)]
    rows = np.lexsort((listed.code, listed.length, -listed.correct, listed.wrong))
    correct = listed.correct[rows]
    higher = np.concatenate([[True], correct[1:] > np.maximum.accumulate(correct)[:-1]])
    return [listed.order(int(row)) for row in rows[higher]]


def best(table: Decisions, listed: Orderings | None, aim: Aim, *, top: int) -> list[Scored]:
    """The best allowed orderings by decreasing score, one for each (correct, wrong).

    Of those with the same counts it is the shortest, then the first by the order of the table's replacers: no latency,
    which another run measures otherwise.

    If there are too many orderings to list, those on the Pareto front, which includes the best one.
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
    """Cross-validation over repositories; None if there are fewer repositories than folds.

    Repositories, sorted by size, are assigned to the folds in turn, so that folds are of similar size.
    """
    sizes = np.bincount(table.clusters.code[table.labelled], minlength=int(table.clusters.code.max(initial=0)) + 1)
    if n_folds < 2 or np.count_nonzero(sizes) < n_folds:
        return None
    turn = np.empty(len(sizes), dtype=np.int64)
    turn[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    fold = turn[table.clusters.code] % n_folds
    under = np.zeros(len(table.samples), dtype=np.int8)
    orders = []
    for held_out in range(n_folds):
        rest = fold != held_out
        chosen = _chosen(table, aim, rest)
        np.copyto(under, table.under(chosen), where=~rest)
        orders.append(tuple(table.replacers[place] for place in chosen))
    worth = worth_of(under, aim)
    differences = np.where(table.labelled, worth - worth_of(table.under(reference), aim), 0)
    by_cluster, among = table.clusters.sums(differences, table.labelled)
    gain = float(differences.sum())
    half = float(half_widths(by_cluster[None, among > 0], among[among > 0])[0])
    score = float(worth[table.labelled].sum())
    return CrossValidation(
        n_folds=n_folds,
        orders=tuple(orders),
        correct=int((under[table.labelled] == CORRECT).sum()),
        wrong=int((under[table.labelled] == WRONG).sum()),
        score=score,
        loss=promised - score,
        gain=gain,
        gain_interval=(gain - half, gain + half),
    )


def _chosen(table: Decisions, aim: Aim, samples: Chosen) -> tuple[int, ...]:
    """The columns of the best order on some samples; empty if no order is allowed."""
    n_labelled = int((table.labelled & samples).sum())
    listed = listing(table, samples=samples)
    if listed is not None:
        rows = np.flatnonzero(listed.wrong <= aim.most_wrong(n_labelled))
        return listed.order(int(rows[listed.ranked(rows, aim.wrong_cost)[0]])) if len(rows) else ()
    points = [point for point in front(table, samples=samples) if point.wrong <= aim.most_wrong(n_labelled)]
    best_of_them = max(points, key=lambda point: point.correct - aim.wrong_cost * point.wrong, default=None)
    return best_of_them.order if best_of_them else ()


def worth_of(under: npt.NDArray[np.int8], aim: Aim) -> npt.NDArray[np.float64]:
    """(samples,) the part of the score that each sample adds."""
    worth: npt.NDArray[np.float64] = (under == CORRECT) - aim.wrong_cost * (under == WRONG)
    return worth
