"""`orderings`: every ordering of a cascade, scored."""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click
import numpy as np

from editcore.errors import UsageError
from editcore.replacers import REPLACERS
from editcore.tiers import TIERS
from editcore.variants import named_replacer, named_tier
from harness.commands.options import JSON, Number
from harness.commands.scoring.cascades import COST, REPLACER, TIER, Source, drawing, run_of, source, table_of
from harness.progress import Report, show_progress
from harness.run.plan import Request, Selection
from harness.run.runner import run
from harness.strategies.registry import strategy
from harness.strategies.rule_strategies import THEN
from harness.strategies.rung_strategies import RUNG, rung_specs
from harness.terminal import print_json, print_lines, tell
from reports.orderings.decisions import CORRECT, NOTHING, UNLABELLED, WRONG, Decisions, decision_of
from reports.orderings.gains import MOST_REPLACERS, n_orderings
from reports.orderings.study import Aim, listing, study
from reports.orderings.tables import print_study
from reports.runs.manifest import read_manifest
from reports.runs.parts import outcomes

# `orderings --verify`: run some orderings as cascades, and compare their outcomes with the predicted ones.

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


_MOST_VERIFIED = 10_000
"""Most orderings to verify; each is run on all samples."""


@click.command()
@click.option(
    "--replacers", metavar="A,B,...", help="Replacers, in the order to compare with. Default: those of `reference`."
)
@click.option(
    "--tiers", metavar="A,B,...",
    help="Tiers, instead of replacers, in the order to compare with; `all` for those of `recommended`.",
)  # fmt: skip
@click.option(
    "--rungs", multiple=True, metavar="FILE.py|STRATEGY",
    help="Your own rungs instead, in the order to compare with: a Python file with a function for each, or a strategy "
    "('cmd:mine=./mine', a plug-in, replacer/simple); repeatable.",
)  # fmt: skip
@COST
@click.option(
    "--max-wrong-rate", type=Number(min=0, max=1), metavar="R",
    help="Only orderings whose share of wrong edits among labelled samples is at most R.",
)  # fmt: skip
@click.option(
    "--top", type=click.IntRange(min=1), default=10, show_default=True, metavar="N", help="Orderings to show."
)
@click.option(
    "--folds", type=click.IntRange(min=2), default=5, show_default=True, metavar="K",
    help="Folds of the cross-validation.",
)  # fmt: skip
@click.option(
    "--verify",
    type=click.IntRange(1, _MOST_VERIFIED),
    metavar="N",
    help="Also run N random orderings, to check the prediction.",
)
@source("Seed of the samples drawn by -n and the orderings drawn by --verify.")
@JSON
def orderings(
    source: Source, replacers: str | None, tiers: str | None, rungs: Sequence[str], wrong_cost: float,
    max_wrong_rate: float | None, top: int, folds: int, verify: int | None, as_json: bool,
) -> None:  # fmt: skip
    """Score every ordering of a cascade's replacers or tiers.

    Takes the outcomes of single replacers (or tiers) from a RUN, or runs them on a CORPUS. Of up to nine, every
    ordered choice is scored exactly (986,409 for nine); of up to twenty, variants such as
    block_anchor@similarity=0.5 among them, the best is found for every cost of a wrong edit. Shows the best
    orderings, the rank of the reference order, the Pareto front, and the gain from each replacer. Exit code 1 if
    --verify finds a sample whose outcome was not predicted.
    """
    from reports.orderings.curves import draw_cloud

    if rungs:
        family, specs, wanted = _rungs(rungs, is_other_given=bool(replacers or tiers or verify))
    else:
        family, wanted = _wanted(replacers, tiers)
        specs = wanted
    folder = run_of(source, specs, family=family)
    table = table_of(folder, wanted, family=family)
    found = study(table, wanted, Aim(wrong_cost, max_wrong_rate), top=top, n_folds=folds)
    if not found.best:
        raise UsageError(
            f"Every ordering is wrong on more than {max_wrong_rate:g} of the samples", "Raise --max-wrong-rate."
        )
    differing, orders = None, _orders(table, verify or 0, source.selection.seed)
    if orders:
        with show_progress(quiet=source.quiet) as report:
            differing = mispredictions(folder, table, orders, source.selection, source.jobs, report, family=family)
    if as_json:
        document = asdict(found)
        document["reference"]["rank"] = document.pop("rank")
        if differing is not None:
            document["verified"] = {"n_orderings": len(orders), "n_differing": len(differing), "differing": differing}
        print_json({"schema_version": 1, **document})
    else:
        print_study(found)
        print_lines(differing or ())
        if differing == []:
            click.echo(f"\n{len(orders)} random orderings, run as cascades, had the predicted outcome on every sample.")
    with drawing():
        for path in draw_cloud(folder, found, listing(table)):
            tell(f"plot: {path}")
    tell(f"run: {folder}")
    if differing:
        raise SystemExit(1)


def _wanted(replacers: str | None, tiers: str | None) -> tuple[str, list[str]]:
    """Family and members of what is ordered. Raises UsageError for unknown, repeated or too many members."""
    if replacers and tiers:
        raise UsageError("--replacers and --tiers are given", "Give either: no cascade has both.")
    option, named = ("--tiers", named_tier) if tiers else ("--replacers", named_replacer)
    usual = list(TIERS) if tiers else list(REPLACERS)
    given = None if tiers == "all" else replacers or tiers
    # A comma before NAME= separates parameters of one variant, not two names.
    wanted = re.split(r",(?!\w+=)", given) if given else usual
    for name in wanted:
        named(name)
    _check_number(wanted, option)
    return (TIER if tiers else REPLACER), wanted


def _rungs(named: Sequence[str], *, is_other_given: bool) -> tuple[str, list[str], list[str]]:
    """Family, specs and names of one's own rungs. Raises UsageError."""
    if is_other_given:
        raise UsageError("--rungs goes without --replacers, --tiers and --verify", "Leave those out.")
    specs = [spec for one in named for spec in rung_specs(one)]
    names = [strategy(spec).name.removeprefix(RUNG) for spec in specs]
    _check_number(names, "--rungs")
    return RUNG, specs, names


def _check_number(wanted: Sequence[str], option: str) -> None:
    if len(set(wanted)) < len(wanted):
        raise UsageError(f"{option} names a {option[2:-1]} twice", "Name each once.")
    if len(wanted) > MOST_REPLACERS:
        raise UsageError(f"{len(wanted)} {option[2:]} are too many", f"Name at most {MOST_REPLACERS} with {option}.")


def _orders(table: Decisions, n: int, seed: int) -> list[tuple[int, ...]]:
    """`n` different random orderings, or all if there are fewer."""
    rng, columns = random.Random(seed), range(len(table.replacers))
    orders: set[tuple[int, ...]] = set()
    while len(orders) < min(n, n_orderings(len(columns))):
        orders.add(tuple(rng.sample(columns, rng.randint(1, len(columns)))))
    return sorted(orders)
