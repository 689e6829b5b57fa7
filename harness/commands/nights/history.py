"""`history`: one line for each night, or one sample over all nights."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.commands.options import JSON
from harness.terminal import print_json


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.argument("sample_id", required=False, metavar="[SAMPLE]")
@JSON
def history(folder: Path, sample_id: str | None, as_json: bool) -> None:
    """Show the nights of a history, or one sample over its nights.

    Without SAMPLE, prints one line for each night: the rates of the reference cascade and the gate's result. With
    SAMPLE, prints the nights on which its verdict changed, for each strategy.
    """
    from reports.history.history_view import overview, verdict_changes
    from reports.history.nights import History

    found = History(folder)
    if not found.nights():
        raise UsageError(f"{folder} has no nights", "Run `editgauge nightly` first, or name another folder.")
    rows: list[Any] = verdict_changes(found, sample_id) if sample_id else overview(found)
    if as_json:
        key = "turnings" if sample_id else "nights"
        print_json({"schema_version": 1, key: [asdict(row) for row in rows]})
        return
    for row in rows:
        click.echo(printable(row.line()))
