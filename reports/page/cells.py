"""Rates by groups of samples, and strategies against each other, as a page's matrices show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from editcore.replacers import REPLACERS
from reports.compare.contrasts import matrix
from reports.measurements.interval import Estimate, Sums, clustered
from reports.orderings.decisions import Decisions, decisions
from reports.orderings.study import Aim, Scored, study
from reports.page.columns import Columns, Facet
from reports.runs.rows import Verdict

GROUPED_BY = (
    "mutator", "drift", "language", "format", "truth", "label_source", "agent", "model", "repo", "seen",
)  # fmt: skip
"""Facets for which a page has a matrix, if the samples differ in them."""
_MOST_GROUPS = 250


def groups(columns: Columns) -> list[dict[str, Any]]:
    """For each facet worth showing: its key, its groups with their sizes, and their cells by strategy.

    A cell is null, or [match rate or null, wrong rate or null], each [value, low, high, n] with a 95 % interval.
    """
    found = []
    for key in GROUPED_BY:
        facet = columns.facets.get(key)
        if facet is None:
            continue
        sizes = np.bincount(facet.codes, minlength=len(facet.words))
        there = [at for at in range(len(facet.words)) if sizes[at]]
        if 1 < len(there) <= _MOST_GROUPS and any(facet.words[at] for at in there):
            cells = list(_cells(columns, facet))
            rows = [
                {"group": facet.words[at], "n": int(sizes[at]), "cells": [row[at] for row in cells]}
                for at in sorted(there, key=lambda at: (not facet.words[at], facet.words[at]))
            ]
            found.append({"key": key, "groups": rows})
    return found


def _cells(columns: Columns, facet: Facet) -> Iterator[list[list[list[float] | None] | None]]:
    # A group is divided into its clusters; those of one group are neighbours.
    key = facet.codes.astype(np.int64) * (int(columns.clusters.code.max(initial=0)) + 1) + columns.clusters.code
    places, place = np.unique(key, return_inverse=True)
    ends = np.searchsorted(places, np.arange(len(facet.words) + 1) * (int(columns.clusters.code.max(initial=0)) + 1))
    masks = (columns.where(Verdict.CORRECT), columns.to_apply, columns.wrong, columns.labelled)
    for correct, asked, wrong, labelled in zip(*masks, strict=True):
        sums = [
            np.bincount(place, weights, minlength=len(places))
            for hits, among in ((correct, asked), (wrong, labelled))
            for weights in (hits, among, among * columns.clusters.share)
        ]
        groups = [[column[start:end] for column in sums] for start, end in pairwise(ends)]
        yield [[_rate(*some[:3]), _rate(*some[3:])] if some[1].any() or some[4].any() else None for some in groups]


def _rate(hits: Sums, asked: Sums, distinct: Sums) -> list[float] | None:
    """[value, low, high, n] of a rate with its 95 % interval, given its sums by cluster; None if n is 0."""
    n = int(asked.sum())
    return _rounded(float(hits.sum()) / n, *clustered(hits, asked, distinct), n) if n else None


def _rounded(value: float, low: float, high: float, n: int) -> list[float]:
    return [round(float(value), 5), round(float(low), 5), round(float(high), 5), n]


def estimate(found: Estimate | None) -> list[float] | None:
    """An estimate as [value, low, high, n]; None stays None."""
    return None if found is None else _rounded(found.value, found.low, found.high, found.n)


def discordance(columns: Columns) -> list[list[list[float | None] | None]]:
    """By row and column: [samples on which only the row's is right, only the column's, samples that count for both,
    corrected p-value or null]; null on the diagonal and where no sample counts for both."""
    found = matrix(columns)
    return [
        [
            None if cell is None else [cell.n_only_row, cell.n_only_column, cell.n, _three_digits(cell.corrected_p)]
            for cell in row
        ]
        for row in found.cells
    ]


def _three_digits(p_value: float | None) -> float | None:
    return None if p_value is None else float(f"{p_value:.3g}")


# Orderings of the nine replacers, where a run has the outcomes of each by itself

_MOST_SAMPLES = 60_000
"""Largest run whose page has orderings: all samples are scored."""
_MOST_NAMED = 20
"""Number of samples that a clash names."""


def replacer_orders(columns: Columns) -> dict[str, Any] | None:
    """The front, the reference order, what each replacer brings and harms, and clashes; None without the nine.

    `decided` is all that an ordering which a reader composes is scored from.
    """
    names = [f"replacer/{name}" for name in REPLACERS]
    if len(columns.ids) > _MOST_SAMPLES or not set(names) <= set(columns.strategies):
        return None
    table = decisions(columns.run)
    if not table.n_labelled:
        return None
    decided = _decided(table)
    found = study(table, list(REPLACERS), Aim(), top=1, n_folds=0)
    return {
        "n": found.n_labelled,
        "n_orderings": found.n_orderings,
        "rank": found.rank,
        "wrong_cost": found.aim.wrong_cost,
        "reference": _scored(found.reference),
        "best": [_scored(one) for one in found.best],
        "front": [_scored(one) for one in found.pareto],
        "replacers": [
            [one.replacer, one.gain, one.harm, one.correct_without, one.wrong_without] for one in found.marginal
        ],
        "dead": list(found.dead),
        "clashes": [
            [one.first, one.second, len(one.better), len(one.worse), [*one.better, *one.worse][:_MOST_NAMED]]
            for one in found.clashes
        ],
        "decided": decided,
    }


def _scored(one: Scored) -> dict[str, Any]:
    return {"order": list(one.order), "correct": one.correct, "wrong": one.wrong, "missed": one.missed}


def _decided(table: Decisions) -> dict[str, Any]:
    """The decisions of single replacers, with equal rows counted together.

    `alike` has [a digit for each replacer, samples labelled apply, samples labelled refuse]; the digits are the
    decisions of `reports.orderings.decisions`. `several` has [node, ..., ...] for samples with several edits. `nodes`
    has the child of each replacer, -1 if it does not decide; children below 4 are ends, and node n is `nodes[n - 4]`.
    """
    one_edit = table.labelled.copy()
    one_edit[[*table.several]] = False
    rows, counts = np.unique(
        np.column_stack([table.decision, table.to_apply])[one_edit], axis=0, return_counts=True
    )  # fmt: skip
    alike: dict[str, list[int]] = {}
    for row, n in zip(rows.tolist(), counts.tolist(), strict=True):
        alike.setdefault("".join(map(str, row[:-1])), [0, 0])[1 - row[-1]] += n
    several = Counter(
        (root, bool(table.to_apply[sample])) for sample, root in table.several.items() if table.labelled[sample]
    )
    roots: dict[int, list[int]] = {}
    for (root, applies), n in several.items():
        roots.setdefault(root, [0, 0])[0 if applies else 1] += n
    return {
        "replacers": list(table.replacers),
        "alike": [[digits, *n] for digits, n in alike.items()],
        "nodes": [list(one) for one in zip(*map(table.diagrams.column, range(len(table.replacers))), strict=True)],
        "several": [[root, *n] for root, n in roots.items()],
    }
