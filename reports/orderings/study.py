"""The choice of an ordering, and a study of all: the best, the rank of the reference, the worth of each replacer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from reports.compare.costs import half_widths, ties
from reports.measurements.interval import Interval, clustered
from reports.orderings.decisions import CORRECT, NOTHING, WRONG, Codes, Decisions
from reports.orderings.front import Chosen, front
from reports.orderings.gains import MOST_LISTED, Gains, Orderings, all_orderings, n_orderings

# The choice of an ordering: scores, the best orderings, and cross-validation.
#
# Only labelled samples count. The score of an ordering is its correct samples - `wrong_cost` x its wrong edits.


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


@dataclass(frozen=True, slots=True)
class Worth:
    """A replacer's effect at its place in the reference order."""

    replacer: str
    gain: int
    """Samples with one edit that it decides correctly."""
    harm: int
    """Samples with one edit that it decides wrongly."""
    correct_without: int
    """Correct samples without it - correct samples with it."""
    wrong_without: int
    """Wrong edits without it - wrong edits with it."""
    saves: tuple[str, ...]
    """Samples that are correct only with it."""
    spoils: tuple[str, ...]
    """Samples that are wrong only with it."""


@dataclass(frozen=True, slots=True)
class Clash:
    """Two replacers that decide some samples with one edit differently, so that their order matters."""

    first: str
    """The earlier one in the reference order."""
    second: str
    better: tuple[str, ...]
    """Samples that the first replacer decides and the second one would decide better."""
    worse: tuple[str, ...]
    """Samples that the first replacer decides and the second one would decide worse."""


@dataclass(frozen=True, slots=True)
class Study:
    aim: Aim
    replacers: tuple[str, ...]
    n_labelled: int
    n_to_apply: int
    n_clusters: int
    """Repositories, or clusters of samples without one."""
    n_several: int
    n_failed: int
    """Samples left out because a replacer crashed or timed out."""
    n_not_followed: int
    """Samples left out because their edits lead to too many texts."""
    n_orderings: int
    best: tuple[Scored, ...]
    """By decreasing score, one for each (correct, wrong); of more than nine replacers, those on the Pareto front."""
    tied: tuple[bool, ...]
    """For each of `best`: True if the 95 % interval of the difference of its score from the first one's has 0 in it."""
    reference: Scored
    rank: int | None
    """1 + number of orderings that score better than the reference; None if there are too many to list."""
    pareto: tuple[Scored, ...]
    """By increasing `wrong`."""
    marginal: tuple[Worth, ...]
    clashes: tuple[Clash, ...]
    dead: tuple[str, ...]
    """Replacers without which the reference order would decide the same."""
    cross_validation: CrossValidation | None
    """None if there are fewer repositories than folds."""


def study(table: Decisions, reference: Sequence[str], aim: Aim, *, top: int = 10, n_folds: int = 5) -> Study:
    """Study the orderings of the table's replacers, relative to a reference order of all or some of them."""
    places = table.places(reference)
    listed = listing(table)
    leading = best(table, listed, aim, top=top)
    known = with_intervals(table, scored(table, places, aim))
    if listed:
        known = replace(known, expected_ns=float(listed.expected_ns[listed.row(places)]))
    marginal = [_worth(table, places, place) for place in places]
    return Study(
        aim=aim,
        replacers=table.replacers,
        n_labelled=table.n_labelled,
        n_to_apply=int((table.to_apply & table.labelled).sum()),
        n_clusters=len(np.unique(table.clusters.code[table.labelled])),
        n_several=len(table.several),
        n_failed=table.n_failed,
        n_not_followed=table.n_not_followed,
        n_orderings=n_orderings(len(table.replacers)),
        best=tuple(with_intervals(table, one) for one in leading),
        tied=_tied(table, leading, aim),
        reference=known,
        rank=1 + int((listed.score(aim.wrong_cost) > known.score + 1e-9).sum()) if listed else None,
        pareto=tuple(scored(table, order, aim) for order in pareto(table, listed)),
        marginal=tuple(marginal),
        clashes=tuple(_clashes(table, places, aim)),
        dead=tuple(
            table.replacers[place]
            for place in places
            if np.array_equal(table.under(places), table.under(_without(places, place)))
        ),
        cross_validation=cross_validated(
            table, places, aim, n_folds=n_folds, promised=leading[0].score if leading else 0.0
        ),
    )


def _tied(table: Decisions, leading: Sequence[Scored], aim: Aim) -> tuple[bool, ...]:
    if not leading:
        return ()
    decided = np.stack([table.under(table.places(one.order)) for one in leading])
    missed = _by_cluster(table, (decided == NOTHING) & table.to_apply)
    wrong = _by_cluster(table, (decided == WRONG) & table.labelled)
    # A wrong edit that takes the place of a right one costs both; in a score of missed edits it costs one more.
    lost = _by_cluster(table, (decided == WRONG) & table.to_apply)
    sizes = _by_cluster(table, table.labelled[None, :])[0]
    is_any = sizes > 0
    return tuple(ties((missed + lost + aim.wrong_cost * wrong)[:, is_any], sizes[is_any]).tolist())


def _by_cluster(table: Decisions, masks: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    return np.stack([np.bincount(table.clusters.code, weights=one & table.labelled) for one in masks])


def _without(order: Sequence[int], place: int) -> list[int]:
    return [other for other in order if other != place]


def _worth(table: Decisions, order: Sequence[int], place: int) -> Worth:
    mine = (table.decider(order) == place) & table.labelled
    decision = table.decision[:, place]
    with_it, without = table.under(order), table.under(_without(order, place))

    def lost(what: int) -> tuple[str, ...]:
        return tuple(_ids(table, (with_it == what) & (without != what)))

    def change(what: int) -> int:
        return int((without == what).sum()) - int((with_it == what).sum())

    return Worth(
        table.replacers[place],
        int((decision[mine] == CORRECT).sum()),
        int((decision[mine] == WRONG).sum()),
        change(CORRECT),
        change(WRONG),
        lost(CORRECT),
        lost(WRONG),
    )


def _clashes(table: Decisions, order: Sequence[int], aim: Aim) -> Iterator[Clash]:
    worth = np.zeros(4)
    worth[[NOTHING, CORRECT, WRONG]] = 0, 1, -aim.wrong_cost
    decider = table.decider(order)
    for at, first in enumerate(order):
        mine = (decider == first) & table.labelled
        before = worth[table.decision[:, first]]
        for second in order[at + 1 :]:
            theirs: Codes = table.decision[:, second]
            both = mine & (theirs != NOTHING)
            better, worse = both & (worth[theirs] > before), both & (worth[theirs] < before)
            if better.any() or worse.any():
                yield Clash(
                    table.replacers[first],
                    table.replacers[second],
                    tuple(_ids(table, better)),
                    tuple(_ids(table, worse)),
                )


def _ids(table: Decisions, chosen: np.ndarray) -> list[str]:
    return [table.samples[place] for place in np.flatnonzero(chosen)]


# The sweep of a replacer's parameter: the score of a cascade at each value


@dataclass(frozen=True, slots=True)
class Setting:
    value: float
    variant: str
    """Name of the replacer with that value."""
    alone: Scored
    in_order: Scored
    """The reference order with the variant in place of the replacer."""


@dataclass(frozen=True, slots=True)
class Curve:
    """The scores of all values of a parameter."""

    replacer: str
    parameter: str
    aim: Aim
    n_labelled: int
    n_to_apply: int
    settings: tuple[Setting, ...]
    """By increasing value."""
    reference: Scored
    """The reference order with the unchanged replacer."""
    chosen: float
    """The value with the best score in the order; the lowest of equal ones."""
    chosen_low: float
    """The lowest value that ties with the best one: the interval of the difference of their scores has 0 in it."""
    chosen_high: float
    """The highest such value."""


def curve(
    table: Decisions,
    reference: Sequence[str],
    *,
    replacer: str,
    parameter: str,
    variants: Sequence[tuple[float, str]],
    aim: Aim,
) -> Curve:
    """The curve of a parameter from the outcomes of its variants, given as (value, name of the replacer variant)."""
    orders = [[variant if name == replacer else name for name in reference] for _, variant in variants]
    settings = [
        Setting(
            value,
            variant,
            with_intervals(table, scored(table, table.places([variant]), aim)),
            with_intervals(table, scored(table, table.places(order), aim)),
        )
        for (value, variant), order in zip(variants, orders, strict=True)
    ]
    best = max(settings, key=lambda setting: setting.in_order.score)
    tied = [one.value for one, is_tied in zip(settings, _tied(table, [s.in_order for s in settings], aim), strict=True)
            if is_tied]  # fmt: skip
    return Curve(
        replacer,
        parameter,
        aim,
        table.n_labelled,
        int((table.to_apply & table.labelled).sum()),
        tuple(settings),
        with_intervals(table, scored(table, table.places(reference), aim)),
        best.value,
        min(tied),
        max(tied),
    )
