"""`ls`: list strategies, corpora, cascades and everything else that has a name."""

from __future__ import annotations

import click

from editcore.quoting import printable
from harness.commands.options import JSON
from harness.commands.strategies.listing import KINDS, document
from harness.terminal import print_json


@click.command("ls", help=f"List everything of one kind, a line each.\n\nKIND is one of: {', '.join(KINDS)}.")
@click.argument("kind", type=click.Choice(list(KINDS)), metavar="KIND")
@JSON
def ls(kind: str, as_json: bool) -> None:
    print_listing(kind, as_json=as_json)


def print_listing(kind: str, *, as_json: bool) -> None:
    """Print everything of one kind of `KINDS`, a line each or as one JSON document."""
    if as_json:
        print_json({"schema_version": 1, kind: document(kind)})
        return
    rows = KINDS[kind]()
    width = max(len(name) for name, _ in rows)
    for name, summary in rows:
        click.echo(f"{name:<{width}}  {printable(summary)}")
