"""`orderings --verify`: run some orderings as cascades, and compare their outcomes with the predicted ones."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from harness.progress import Report
from harness.run.plan import Request, Selection
from harness.run.runner import run
from harness.strategies.registry import strategy
from harness.strategies.rule_strategies import THEN
from reports.orderings.decisions import CORRECT, NOTHING, UNLABELLED, WRONG, Decisions, decision_of
from reports.runs.manifest import read_manifest
from reports.runs.parts import outcomes

_WORDS = {NOTHING: "refused", CORRECT: "correct", WRONG: "a wrong edit", UNLABELLED: "applied"}


def mispredictions(
    folder: Path, table: Decisions, orders: Sequence[Sequence[int]], selection: Selection, n_workers: int | None,
    report: Report, *, family: str,
) -> list[str]:  # fmt: skip
    """A line for each ordering and sample whose outcome differs from the prediction.

    `family` is `replacer/` or `tier/`, whichever is ordered. The corpora of the run are read again. Samples of the
    table that the corpora no longer hold have a line too.
    """
    names = {_cascade([table.replacers[column] for column in order], family): order for order in orders}
    place = {name: number for number, name in enumerate(table.samples)}
    found = []
    with tempfile.TemporaryDirectory(prefix="editgauge-") as scratch:
        corpora = [corpus.name for corpus in read_manifest(folder).corpora]
        chosen = [strategy(name) for name in names]
        verified = run(
            Request(corpora, chosen, Path(scratch) / "run", selection=selection, n_workers=n_workers), report=report
        )
        predicted = {name: table.under(order) for name, order in names.items()}
        seen = {name: np.zeros(len(place), dtype=np.bool_) for name in names}
        for outcome in outcomes(verified):
            sample = place.get(outcome.sample_id)
            if sample is None:
                continue
            seen[outcome.strategy][sample] = True
            expected, real = int(predicted[outcome.strategy][sample]), decision_of(outcome)
            if expected != real:
                found.append(
                    f"{outcome.sample_id} under {outcome.strategy}: predicted {_WORDS[expected]}, is {outcome.verdict}"
                )
    for name, present in seen.items():
        if not present.all():
            found.append(f"{name}: {int((~present).sum())} of the samples are no longer in {', '.join(corpora)}")
    return found


def _cascade(order: Sequence[str], family: str) -> str:
    """The strategy of an ordering. A single tier is named `tier/NAME`, because a cascade may have the same name."""
    return f"{family}{order[0]}" if len(order) == 1 else f"cascade/{THEN.join(order)}"
