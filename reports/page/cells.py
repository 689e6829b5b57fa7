"""Rates by groups of samples, and strategies against each other, as a page's matrices show them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from reports.compare.matrix import matrix_of
from reports.measurements.counts import LABELLED
from reports.measurements.estimate import Estimate, wilson
from reports.page.columns import Columns, Facet
from reports.runs.rows import Damage, Verdict

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
    """For each strategy the cells of all groups."""
    verdicts = np.array([kind.verdict for kind in columns.kinds])
    unasked = np.array([kind.damage == Damage.UNASKED for kind in columns.kinds])
    correct, wrong = verdicts == Verdict.CORRECT, verdicts == Verdict.WRONG_EDIT
    labelled = np.isin(verdicts, LABELLED)
    asked = labelled & ~unasked & (verdicts != Verdict.REFUSED)
    shape = (len(facet.words), len(columns.kinds))
    first = facet.codes.astype(np.int64) * shape[1]
    for row in columns.kind:
        counts = np.bincount(first + row, minlength=shape[0] * shape[1]).reshape(shape)
        by_group = [counts[:, mask].sum(axis=1).tolist() for mask in (correct, asked, wrong, labelled)]
        yield [
            [interval(n_correct, n_asked), interval(n_wrong, n_labelled)] if n_asked or n_labelled else None
            for n_correct, n_asked, n_wrong, n_labelled in zip(*by_group, strict=True)
        ]


def interval(successes: int, n: int) -> list[float] | None:
    """[value, low, high, n] of a rate with its 95 % Wilson interval; None where n is 0."""
    if not n:
        return None
    low, high = wilson(successes, n)
    return [round(successes / n, 5), round(low, 5), round(high, 5), n]


def estimate(found: Estimate | None) -> list[float] | None:
    """The same of an estimate."""
    return None if found is None else [round(found.value, 5), round(found.low, 5), round(found.high, 5), found.n]


def discordance(columns: Columns) -> list[list[list[float] | None]]:
    """By row and column: [samples on which only the row's is right, only the column's, samples that count for both,
    corrected p-value]; null on the diagonal and where no sample counts for both."""
    labelled = columns.where(*LABELLED)
    right = columns.where(Verdict.CORRECT, Verdict.REFUSED)
    found = matrix_of(columns.strategies, labelled, right)
    return [
        [
            None if cell is None else [cell.n_only_row, cell.n_only_column, cell.n, float(f"{cell.corrected_p:.3g}")]
            for cell in row
        ]
        for row in found.cells
    ]
