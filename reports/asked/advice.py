"""Advice on format and rule for a model: the best pair at each cost of a wrong edit, and the pairs that tie with it.

A task counts once, however often it was repeated: repetitions resemble each other. Pairs are compared task by task.
The loss of a pair is missed + cost x wrong, as a share of its replies. A pair ties with the best one if the 95 %
interval of the difference of their losses includes 0 (`reports.compare.costs`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reports.asked.replies import AskedReply, Compared, Numbers, Pair
from reports.compare.costs import COSTS, Range, ranges, tied_with_best
from reports.measurements.interval import Estimate, clustered, student
from reports.statistics.sentence import RUNGS

_PREFERRED = "recommended"
FEWEST_TASKS = 10
"""With fewer tasks no advice is given."""


@dataclass(frozen=True, slots=True)
class Row:
    """A format with its best rule at one cost of a wrong edit."""

    format: str
    strategy: str
    right: Estimate
    wrong: Estimate
    missed: Estimate
    no_edit: float
    """The share of replies without a readable edit, though one was asked for."""
    tokens_per_right: float | None
    """Input and output; None if nothing is right. `usd_per_right` is None also without a price."""
    usd_per_right: float | None
    loss: float
    is_tied: bool
    """True if the difference from the best pair may be chance."""
    right_later: Estimate | None
    """After one retry with the rule's refusal; None if none was asked for."""
    wrong_later: Estimate | None


@dataclass(frozen=True, slots=True)
class Retried:
    """The effect of sending the refusals of a rule back to the model."""

    format: str
    strategy: str
    n_retried: int
    n_rescued: int
    """Additional right results; negative if a rightful refusal was answered by an edit."""
    n_wrong: int
    """Additional wrong results."""


@dataclass(frozen=True, slots=True)
class Advice:
    rows: tuple[Row, ...]
    """A row for each format, the best first."""
    cost: float
    """The cost of a wrong edit, in missed ones, for which `rows` are the best."""
    others: tuple[tuple[Range, str, str], ...]
    """Ranges of costs with their format and strategy; empty if one pair is best at every cost."""
    retried: tuple[Retried, ...]
    n_tasks: int
    n_left_out: int
    n_needed: int | None
    """Estimated number of tasks that would tell the first two formats apart; None if they differ already, or not at
    all.
    """


def advice(found: Compared, cost: float) -> Advice:
    whole = [pair for pair in found.pairs if not pair.strategy.startswith(RUNGS)]
    if {pair.format for pair in whole} == {pair.format for pair in found.pairs}:
        found = replace(found, pairs=tuple(whole))  # A lone tier is no advice: it is a part of a rule.
    missed, wrong = (np.array([side / pair.asked for pair, side in one]) for one in _sides(found.pairs))
    tied = tied_with_best(missed, wrong, np.ones(found.n_tasks))
    at = int(np.argmin([abs(math.log(one / cost)) for one in COSTS]))
    losses = missed + cost * wrong
    best = {pair.format: _best(pair.format, found.pairs, losses) for pair in found.pairs}
    rated = [(_row(found, one, float(losses[one].mean()), bool(tied[at, one])), one) for one in best.values()]
    rated.sort(key=lambda both: (round(both[0].loss, 9), both[0].tokens_per_right or math.inf))
    rows, order = tuple(row for row, _ in rated), [one for _, one in rated]
    n_missed, n_wrong = ([round(float(side.sum())) for _, side in one] for one in _sides(found.pairs))
    everything = list(ranges(tied, n_missed, n_wrong, range(len(found.pairs))))
    others = tuple((one, found.pairs[one.strategy].format, found.pairs[one.strategy].strategy) for one in everything)
    needed = _needed(losses[order[0]], losses[order[1]]) if len(order) > 1 and rows[1].is_tied else None
    return Advice(
        rows, cost, others if len(others) > 1 else (), _retried(found.pairs), found.n_tasks, found.n_left_out, needed
    )


def _retried(pairs: Sequence[Pair]) -> tuple[Retried, ...]:
    return tuple(
        Retried(
            one.format, one.strategy, one.n_retried, round(float((one.right_later - one.right).sum())),
            round(float((one.wrong_later - one.wrong).sum())),
        )
        for one in pairs
        if one.right_later is not None and one.wrong_later is not None
    )  # fmt: skip


def _sides(pairs: Sequence[Pair]) -> tuple[list[tuple[Pair, Numbers]], list[tuple[Pair, Numbers]]]:
    return [(pair, pair.missed) for pair in pairs], [(pair, pair.wrong) for pair in pairs]


def _best(name: str, pairs: Sequence[Pair], losses: Numbers) -> int:
    """The index of a format's pair with the least loss; among equals, our own rule, then the first."""
    mine = [at for at, pair in enumerate(pairs) if pair.format == name]
    return min(mine, key=lambda at: (round(float(losses[at].sum()), 9), _PREFERRED not in pairs[at].strategy, at))


def _row(found: Compared, at: int, loss: float, is_tied: bool) -> Row:
    pair = found.pairs[at]
    replies = found.replies[pair.format]
    n_right = float(pair.right.sum())
    return Row(
        pair.format, pair.strategy, _rate("right", pair, pair.right), _rate("wrong", pair, pair.wrong),
        _rate("missed", pair, pair.missed), sum(not one.is_edit and one.must_change for one in replies) / len(replies),
        sum(one.n_input + one.n_output for one in replies) / n_right if n_right else None,
        _price(replies, n_right), loss, is_tied,
        None if pair.right_later is None else _rate("right", pair, pair.right_later),
        None if pair.wrong_later is None else _rate("wrong", pair, pair.wrong_later),
    )  # fmt: skip


def _rate(metric: str, pair: Pair, hits: Numbers) -> Estimate:
    """A rate over the replies; its interval is clustered by task, since a task is worth one sample."""
    interval = clustered(hits, pair.asked, np.ones(len(hits)))
    n = int(pair.asked.sum())
    return Estimate(metric, pair.strategy, int(hits.sum()) / n, *interval, n)


def _price(replies: Sequence[AskedReply], n_right: float) -> float | None:
    costs = [one.cost_usd for one in replies]
    return sum(filter(None, costs)) / n_right if n_right and None not in costs else None


def _needed(one: Numbers, other: Numbers) -> int | None:
    """The number of tasks at which a difference of this size would be seen; None for no difference."""
    difference = other - one
    mean, spread = float(difference.mean()), float(difference.std(ddof=1)) if len(difference) > 1 else 0.0
    if mean <= 0 or not spread:
        return None
    return math.ceil((student(100) * spread / mean) ** 2)
