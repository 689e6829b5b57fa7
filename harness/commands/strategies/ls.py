"""`ls`: list strategies, corpora, cascades and everything else that has a name."""

from __future__ import annotations

import click

from harness.commands.options import JSON


@click.command("ls")
@click.argument(
    "what", type=click.Choice(["strategies", "corpora", "cascades", "importers", "mutators", "tools", "targets"])
)
@JSON
def ls(what: str, as_json: bool) -> None:
    """List what there is, a line each."""
    from harness.commands.strategies.listing import print_listing

    print_listing(what, as_json=as_json)
