"""What a page says about orderings of the nine replacers, where a run has the outcomes of each by itself."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from editcore.replacers import REPLACERS
from reports.orderings.choice import Aim, Scored
from reports.orderings.decisions import Decisions, decisions
from reports.orderings.study import study
from reports.page.columns import Columns

_MOST_SAMPLES = 60_000
"""Samples of a run whose orderings a page has: all of them are scored."""
_MOST_NAMED = 20
"""Samples that are named of a clash."""


def replacer_orders(columns: Columns) -> dict[str, Any] | None:
    """The front, the reference order, what each replacer brings and harms, and clashes; None without the nine.

    `decided` is all that an ordering which a reader composes is scored from.
    """
    names = [f"replacer/{name}" for name in REPLACERS]
    if len(columns.ids) > _MOST_SAMPLES or not set(names) <= set(columns.strategies):
        return None
    table = decisions(columns.folder)
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
    """The decisions of single replacers, samples that are alike together.

    `alike` has [a digit for each replacer, samples labelled apply, samples labelled refuse]; the digits are those of
    `reports.orderings.decisions`. `several` has [node, ..., ...] of samples with several edits: `nodes` has the child
    of each replacer, -1 where it does not decide; the children below 4 are ends, and node n is `nodes[n - 4]`.
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
