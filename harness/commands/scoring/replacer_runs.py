"""What `orderings` and `sweep` share: a run of single replacers, and the table of their decisions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.progress import show_progress

if TYPE_CHECKING:
    from reports.orderings.decisions import Decisions


PLACES = click.argument("places", nargs=-1, type=str, metavar="[RUN|CORPUS]...")


COST = click.option(
    "--wrong-cost",
    type=click.FloatRange(min=0),
    default=5.0,
    show_default=True,
    metavar="W",
    help="What a wrong edit costs, in correct ones.",
)


@contextmanager
def drawing() -> Iterator[None]:
    """A picture that cannot be written is no reason to withhold the numbers."""
    try:
        yield
    except OSError as error:
        click.echo(f"warning: no picture: {error.filename} cannot be written: {error.strerror}", err=True)


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
) -> Path:
    """The run that was named, or one of the replacers over the corpora that were."""
    from corpora.load import DEFAULT
    from harness.fuzz.engine.known import safety
    from harness.run.runner import Request, run
    from harness.run.selection import Selection
    from harness.strategies.registry import strategy

    folders = [Path(place) for place in places if (Path(place) / "manifest.json").is_file()]
    if folders:
        if len(places) > 1:
            raise UsageError("A run stands for itself", "Name one run, or corpora.")
        return folders[0]
    chosen = [strategy(f"replacer/{name}") for name in dict.fromkeys(replacers)]
    with show_progress(quiet=quiet) as report:
        return run(
            Request(places or [DEFAULT], chosen, out, Selection(matching, limit, seed), jobs, known_breaks=safety),
            report=report,
            warn=lambda line: click.echo(f"warning: {printable(line)}", err=True),
        )


def table_of(folder: Path, replacers: Sequence[str]) -> Decisions:
    """The run's decisions of just these replacers."""
    from reports.orderings.decisions import decisions

    table = decisions(folder)
    return table.only(table.places(replacers))
