"""`bench`: measure the CPU time of replacers, patches and outputs."""

from __future__ import annotations

import click

from harness.commands.options import JSON, seed


@click.command()
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=100, show_default=True, metavar="N",
    help="Number of search texts.",
)  # fmt: skip
@seed("Seed of the search texts.")
@JSON
def bench(limit: int, seed: int, as_json: bool) -> None:
    """Measure the CPU time of replacers, patches and outputs.

    The replacers are compared with a literal port on the standard library's sources, and run on the worst cases known;
    `recommended` is timed on edits of these sources that no exact place takes.
    """
    from harness.bench.tables import print_bench

    print_bench(limit, seed, as_json=as_json)
