"""The commands that weigh cascades: orderings, sweep."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from editcore.errors import UsageError
from editcore.replacers import REPLACERS
from harness.progress import shown
from harness.terminal import pipe_may_close, printable

if TYPE_CHECKING:
    from reports.orderings.decisions import Decisions

_PLACES = click.argument("places", nargs=-1, type=str, metavar="[RUN|CORPUS]...")
_COST = click.option(
    "--wrong-cost",
    type=click.FloatRange(min=0),
    default=5.0,
    show_default=True,
    metavar="W",
    help="What a wrong edit costs, in correct ones.",
)
_LIMIT = click.option(
    "-n", "--limit", type=click.IntRange(min=1), metavar="LIMIT", help="Of a corpus: at most so many samples."
)
_MATCHING = click.option("-k", "matching", metavar="EXPR", help="Of a corpus: samples whose id or tags hold this.")
_SEED = click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="For -n and --verify.")
_JOBS = click.option(
    "-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Worker processes. Default: one a core."
)
_OUT = click.option(
    "-o", "--out", type=click.Path(path_type=Path), metavar="DIR", help="The run folder. Default: runs/<time>-<hash>."
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of the tables.")
_QUIET = click.option("-q", "--quiet", is_flag=True, help="No progress.")


@click.command()
@_PLACES
@click.option(
    "--replacers", metavar="A,B,...", help="Which, in the order to compare with. Default: the nine of the reference."
)
@_COST
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
@_LIMIT
@_MATCHING
@_SEED
@_JOBS
@_OUT
@_JSON
@_QUIET
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
    from harness import verifying
    from harness.selection import Selection
    from reports.orderings.choice import Aim, listing
    from reports.orderings.curves import draw_cloud
    from reports.orderings.study import study
    from reports.orderings.tables import print_study

    # A comma before NAME= is one between the parameters of a variant.
    wanted = re.split(r",(?!\w+=)", replacers) if replacers else list(REPLACERS)
    _check(wanted)
    folder = _run_of(places, wanted, limit, matching, seed, jobs, out, quiet=quiet)
    table = _table(folder, wanted)
    found = study(table, wanted, Aim(wrong_cost, max_wrong_rate), top=top, n_folds=folds)
    if not found.best:
        raise UsageError(
            f"No ordering is wrong on at most {max_wrong_rate:g} of the samples", "Raise --max-wrong-rate."
        )
    differing, orders = None, _orders(table, verify or 0, seed)
    if orders:
        with shown(quiet=quiet) as report:
            differing = verifying.differing(folder, table, orders, Selection(matching, limit, seed), jobs, report)
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
    with _told():
        for path in draw_cloud(folder, found, listing(table)):
            click.echo(f"plot: {printable(str(path))}", err=True)
    click.echo(f"run: {printable(str(folder))}", err=True)
    if differing:
        raise SystemExit(1)


@click.command()
@_PLACES
@click.option(
    "-p",
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME[=V,V,...]",
    help="Again for more; with values, those. Default: all of the replacer's.",
)
@click.option(
    "--replacer",
    type=click.Choice(list(REPLACERS)),
    default="block_anchor",
    show_default=True,
    help="Whose parameters.",
)
@_COST
@_LIMIT
@_MATCHING
@_SEED
@_JOBS
@_OUT
@_JSON
@_QUIET
def sweep(
    places: Sequence[str],
    parameters: Sequence[str],
    replacer: str,
    wrong_cost: float,
    limit: int | None,
    matching: str | None,
    seed: int,
    jobs: int | None,
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Try the thresholds and guards of a replacer over their range.

    Each value is a variant (block_anchor@similarity=0.5), run by itself and scored in the replacer's place in the
    reference order. Prints a curve per parameter and the best value with its interval; draws them beside the run.
    """
    from harness.sweeping import settings
    from reports.orderings.choice import Aim
    from reports.orderings.curves import draw_curve
    from reports.orderings.sweep import curve
    from reports.orderings.tables import print_curve

    asked = settings(replacer, parameters)
    variants = [variant for pairs in asked.values() for _, variant in pairs]
    folder = _run_of(places, [*REPLACERS, *variants], limit, matching, seed, jobs, out, quiet=quiet)
    table = _table(folder, [*REPLACERS, *dict.fromkeys(variants)])
    aim = Aim(wrong_cost)
    curves = [
        curve(table, list(REPLACERS), replacer=replacer, parameter=name, variants=pairs, aim=aim)
        for name, pairs in asked.items()
    ]
    if as_json:
        click.echo(json.dumps({"schema_version": 1, "curves": [asdict(one) for one in curves]}, indent=2))
    else:
        with pipe_may_close():
            for one in curves:
                print_curve(one)
    with _told():
        for one in curves:
            for path in draw_curve(folder, one):
                click.echo(f"plot: {printable(str(path))}", err=True)
    click.echo(f"run: {printable(str(folder))}", err=True)


@contextmanager
def _told() -> Iterator[None]:
    """A picture that cannot be written is no reason to withhold the numbers."""
    try:
        yield
    except OSError as error:
        click.echo(f"warning: no picture: {error.filename} cannot be written: {error.strerror}", err=True)


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


def _run_of(
    places: Sequence[str],
    replacers: Sequence[str],
    limit: int | None,
    matching: str | None,
    seed: int,
    jobs: int | None,
    out: Path | None,
    *,
    quiet: bool,
) -> Path:
    """The run that was named, or one of the replacers over the corpora that were."""
    from corpora.load import DEFAULT
    from harness.runner import Request, run
    from harness.selection import Selection
    from harness.strategies import strategy

    folders = [Path(place) for place in places if (Path(place) / "manifest.json").is_file()]
    if folders:
        if len(places) > 1:
            raise UsageError("A run stands for itself", "Name one run, or corpora.")
        return folders[0]
    chosen = [strategy(f"replacer/{name}") for name in dict.fromkeys(replacers)]
    with shown(quiet=quiet) as report:
        return run(
            Request(places or [DEFAULT], chosen, out, Selection(matching, limit, seed), jobs),
            report=report,
            warn=lambda line: click.echo(f"warning: {printable(line)}", err=True),
        )


def _table(folder: Path, replacers: Sequence[str]) -> Decisions:
    """The run's decisions of just these replacers."""
    from reports.orderings.decisions import decisions

    table = decisions(folder)
    return table.only(table.places(replacers))


def _orders(table: Decisions, n: int, seed: int) -> list[tuple[int, ...]]:
    """So many different orderings, at random."""
    from reports.orderings.enumeration import n_orderings

    rng, columns = random.Random(seed), range(len(table.replacers))
    orders: set[tuple[int, ...]] = set()
    while len(orders) < min(n, n_orderings(len(columns))):
        orders.add(tuple(rng.sample(columns, rng.randint(1, len(columns)))))
    return sorted(orders)
