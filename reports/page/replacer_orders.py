"""What a page says about orderings of the nine replacers, where a run has the outcomes of each by itself."""

from __future__ import annotations

from typing import Any

from editcore.replacers import REPLACERS
from reports.orderings.choice import Aim, Scored
from reports.orderings.decisions import decisions
from reports.orderings.study import study
from reports.page.columns import Columns

_MOST_SAMPLES = 60_000
"""Samples of a run whose orderings a page has: all of them are scored."""
_MOST_NAMED = 20
"""Samples that are named of a clash."""


def replacer_orders(columns: Columns) -> dict[str, Any] | None:
    """The front, the reference order, what each replacer brings and harms, and clashes; None without the nine."""
    names = [f"replacer/{name}" for name in REPLACERS]
    if len(columns.ids) > _MOST_SAMPLES or not set(names) <= set(columns.strategies):
        return None
    table = decisions(columns.folder)
    if not table.n_labelled:
        return None
    found = study(table, list(REPLACERS), Aim(), top=1)
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
    }


def _scored(one: Scored) -> dict[str, Any]:
    return {"order": list(one.order), "correct": one.correct, "wrong": one.wrong, "missed": one.missed}
