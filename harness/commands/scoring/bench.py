"""`bench`: time replacers, patches and outputs."""

from __future__ import annotations

import click

from harness.commands.options import JSON, seed


@click.command()
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=100, show_default=True, metavar="N", help="Finds to try."
)
@seed("Seed of the search texts.")
@JSON
def bench(limit: int, seed: int, as_json: bool) -> None:
    """Time the replacers.

    Against their literal port on the standard library's sources, and on the worst cases known.
    """
    from harness.bench.tables import print_bench

    print_bench(limit, seed, as_json=as_json)
