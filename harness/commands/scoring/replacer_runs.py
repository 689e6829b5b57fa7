"""What `orderings` and `sweep` share: a run of single replacers, and the table of their decisions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.commands.options import Number
from harness.progress import show_progress

if TYPE_CHECKING:
    from reports.orderings.decisions import Decisions


REPLACER, TIER, AGENT = "replacer/", "tier/", "agent/"
"""Families of strategies whose members are run by themselves."""
PLACES = click.argument("places", nargs=-1, type=str, metavar="[RUN|CORPUS]...")


COST = click.option(
    "--wrong-cost",
    type=Number(min=0),
    default=5.0,
    show_default=True,
    metavar="W",
    help="Cost of a wrong edit, in correct edits.",
)


@contextmanager
def drawing() -> Iterator[None]:
    """Turn a failure to write a plot into a warning, since the numbers are printed anyway."""
    try:
        yield
    except OSError as error:
        click.echo(f"warning: no plot: {error.filename} cannot be written: {error.strerror}", err=True)


def run_of(
    places: Sequence[str],
    replacers: Sequence[str],
    limit: int | None,
    matching: str | None,
    seed: int,
    jobs: int | None,
    out: Path | None,
    *,
    quiet: bool,
    family: str = REPLACER,
) -> Path:
    """The run folder among `places`, or a new run of the replacers, or of another family, on the corpora they name."""
    from corpora.load import DEFAULT
    from harness.fuzz.engine.known import safety
    from harness.run.runner import Request, run
    from harness.run.selection import Selection
    from harness.strategies.registry import strategy

    folders = [Path(place) for place in places if (Path(place) / "manifest.json").is_file()]
    if folders:
        if len(places) > 1:
            raise UsageError("Several places are given, and one is a run", "Name one run, or corpora only.")
        return folders[0]
    chosen = [strategy(f"{family}{name}") for name in dict.fromkeys(replacers)]
    with show_progress(quiet=quiet) as report:
        return run(
            Request(places or [DEFAULT], chosen, out, Selection(matching, limit, seed), jobs, known_breaks=safety),
            report=report,
            warn=lambda line: click.echo(f"warning: {printable(line)}", err=True),
        )


def table_of(folder: Path, replacers: Sequence[str], *, family: str = REPLACER) -> Decisions:
    """The decisions of these replacers in a run, or of members of another family."""
    from reports.orderings.decisions import decisions

    table = decisions(folder, family=family)
    return table.only(table.places(replacers))
