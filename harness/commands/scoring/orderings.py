"""`orderings`: every ordering of a cascade, scored."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from editcore.replacers import REPLACERS
from harness.commands.options import JOBS, JSON, LIMIT, MATCHING, QUIET, RUN_FOLDER, seed
from harness.commands.scoring.replacer_runs import COST, PLACES, drawing, run_of, table_of
from harness.progress import show_progress
from harness.terminal import pipe_may_close

if TYPE_CHECKING:
    from reports.orderings.decisions import Decisions


@click.command()
@PLACES
@click.option(
    "--replacers", metavar="A,B,...", help="Which, in the order to compare with. Default: the nine of the reference."
)
@COST
@click.option(
    "--max-wrong-rate",
    type=click.FloatRange(min=0, max=1),
    metavar="R",
    help="Only orderings that are wrong on no larger share of the labelled samples.",
)
@click.option("--top", type=click.IntRange(min=1), default=10, show_default=True, metavar="N", help="Orderings shown.")
@click.option(
    "--folds", type=click.IntRange(min=2), default=5, show_default=True, metavar="K", help="For cross-validation."
)
@click.option(
    "--verify", type=click.IntRange(min=1), metavar="N", help="Also run N random orderings for real, and compare."
)
@LIMIT
@MATCHING
@seed("Seed of -n and --verify.")
@JOBS
@RUN_FOLDER
@JSON
@QUIET
def orderings(
    places: Sequence[str],
    replacers: str | None,
    wrong_cost: float,
    max_wrong_rate: float | None,
    top: int,
    folds: int,
    verify: int | None,
    limit: int | None,
    matching: str | None,
    seed: int,
    jobs: int | None,
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Score every ordering of a cascade's replacers.

    From the outcomes of single replacers in a RUN, or on a CORPUS, all 986,409 ordered choices of the nine are
    scored exactly; of up to twenty, variants such as block_anchor@similarity=0.5 among them, the best for every
    cost of a wrong edit. Shows the best, the rank of the reference order, the Pareto front, and what each replacer
    is worth. Exit code 1 where --verify finds a sample that turns out otherwise.
    """
    from harness.run import verification
    from harness.run.selection import Selection
    from reports.orderings.choice import Aim, listing
    from reports.orderings.curves import draw_cloud
    from reports.orderings.study import study
    from reports.orderings.tables import print_study

    # A comma before NAME= is one between the parameters of a variant.
    wanted = re.split(r",(?!\w+=)", replacers) if replacers else list(REPLACERS)
    _check(wanted)
    folder = run_of(places, wanted, limit, matching, seed, jobs, out, quiet=quiet)
    table = table_of(folder, wanted)
    found = study(table, wanted, Aim(wrong_cost, max_wrong_rate), top=top, n_folds=folds)
    if not found.best:
        raise UsageError(
            f"No ordering is wrong on at most {max_wrong_rate:g} of the samples", "Raise --max-wrong-rate."
        )
    differing, orders = None, _orders(table, verify or 0, seed)
    if orders:
        with show_progress(quiet=quiet) as report:
            differing = verification.mispredictions(
                folder, table, orders, Selection(matching, limit, seed), jobs, report
            )
    if as_json:
        document = asdict(found)
        document["reference"]["rank"] = document.pop("rank")
        if differing is not None:
            document["verified"] = {"n_orderings": len(orders), "n_differing": len(differing), "differing": differing}
        click.echo(json.dumps({"schema_version": 1, **document}, indent=2))
    else:
        with pipe_may_close():
            print_study(found)
        for line in differing or ():
            click.echo(printable(line))
        if differing == []:
            click.echo(f"\n{len(orders)} random orderings, run for real, came out as predicted on every sample.")
    with drawing():
        for path in draw_cloud(folder, found, listing(table)):
            click.echo(f"plot: {printable(str(path))}", err=True)
    click.echo(f"run: {printable(str(folder))}", err=True)
    if differing:
        raise SystemExit(1)


def _check(names: Sequence[str]) -> None:
    """Raises UsageError for replacers that are not there, named twice, or too many."""
    from editcore.variants import named_replacer
    from reports.orderings.gains import MOST_REPLACERS

    for name in names:
        named_replacer(name)
    if len(set(names)) < len(names):
        raise UsageError("A replacer is named twice", "Name each once.")
    if len(names) > MOST_REPLACERS:
        raise UsageError(f"{len(names)} replacers are too many", f"Choose {MOST_REPLACERS} at most.")


def _orders(table: Decisions, n: int, seed: int) -> list[tuple[int, ...]]:
    """So many different orderings, at random."""
    from reports.orderings.enumeration import n_orderings

    rng, columns = random.Random(seed), range(len(table.replacers))
    orders: set[tuple[int, ...]] = set()
    while len(orders) < min(n, n_orderings(len(columns))):
        orders.add(tuple(rng.sample(columns, rng.randint(1, len(columns)))))
    return sorted(orders)
