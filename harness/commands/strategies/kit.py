"""`kit`: write the conformance kit."""

from __future__ import annotations

from pathlib import Path

import click

from harness.commands.options import Output


@click.command()
@click.option(
    "-o", "--out", type=Output(file_okay=False), required=True, metavar="DIR", help="Folder to write; empty or new."
)
def kit(out: Path) -> None:
    """Write the cases that a rewrite of our rules has to pass.

    JSON files, one for each rule and, of `cascade/recommended`, for each tier: the input, the right result or the
    reason of a refusal, and what lies between. `editgauge protocol conform` sends them to a program. docs/kit.md says
    more.
    """
    from harness.conform.kit import cases, write_kit

    names = write_kit(out)
    click.echo(f"{len(cases()):,} cases in {len(names)} files")
