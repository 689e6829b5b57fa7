"""`show`: everything a run recorded about one sample."""

from __future__ import annotations

from pathlib import Path

import click

from editcore.quoting import printable


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.argument("sample_id", metavar="SAMPLE")
def show(folder: Path, sample_id: str) -> None:
    """Show the outcomes of one sample of a run.

    Prints the outcome under every strategy, the edit as written, and the diffs of wrong edits.
    """
    from harness.commands.runs.sample_details import lines_about

    for line in lines_about(folder, sample_id):
        click.echo(printable(line))
