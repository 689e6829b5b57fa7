"""The sweep of a replacer's parameter: the score of a cascade at each value, and the best value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reports.orderings.choice import Aim, Scored, scored, with_intervals
from reports.orderings.decisions import CORRECT, WRONG, Decisions
from reports.statistics.significance import cluster_weights


@dataclass(frozen=True, slots=True)
class Setting:
    """One value of the parameter."""

    value: float
    variant: str
    """Name of the replacer with that value."""
    alone: Scored
    """The variant by itself."""
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
    """Lower end of the 95 % bootstrap interval of the best value, over repositories."""
    chosen_high: float
    """Upper end of that interval."""


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
    low, high = _spread(table, orders, aim, [setting.value for setting in settings])
    # A value may be the best on all samples and in hardly any replicate.
    low, high = min(low, best.value), max(high, best.value)
    return Curve(
        replacer,
        parameter,
        aim,
        table.n_labelled,
        int((table.to_apply & table.labelled).sum()),
        tuple(settings),
        with_intervals(table, scored(table, table.places(reference), aim)),
        best.value,
        low,
        high,
    )


def _spread(
    table: Decisions, orders: Sequence[Sequence[str]], aim: Aim, values: Sequence[float]
) -> tuple[float, float]:
    """The 95 % bootstrap interval of the best value; if several values are best, both ends of their range count."""
    sums = []
    for order in orders:
        under = table.under(table.places(order))
        worth = np.where(table.labelled, (under == CORRECT) - aim.wrong_cost * (under == WRONG), 0)
        sums.append(np.bincount(table.clusters.code, weights=worth))
    per_cluster = np.stack(sums, axis=1)
    totals = cluster_weights(len(per_cluster)) @ per_cluster
    is_best = totals >= totals.max(axis=1, keepdims=True) - 1e-9
    first = is_best.argmax(axis=1)
    last = is_best.shape[1] - 1 - is_best[:, ::-1].argmax(axis=1)
    low = np.quantile(first, 0.025, method="inverted_cdf")
    high = np.quantile(last, 0.975, method="inverted_cdf")
    return values[int(low)], values[int(high)]
