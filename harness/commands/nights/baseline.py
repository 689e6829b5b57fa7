"""`baseline`: set and show the night that later nights are compared with."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.commands.options import HISTORY, JSON
from harness.terminal import print_json

if TYPE_CHECKING:
    from reports.history.nights import Accepted, History


@click.group()
def baseline() -> None:
    """Set or show the night that later nights are compared with."""


@baseline.command()
@click.argument("run", metavar="NIGHT|RUN")
@HISTORY
@click.option("--why", required=True, metavar="TEXT", help="Reason, kept in the history.")
def accept(run: str, folder: Path, why: str) -> None:
    """Make a night the baseline.

    NIGHT is a name in the history, or `last`. A RUN folder is added to the history first.
    """
    from reports.history.nights import History

    history = History(folder)
    if not why.strip():
        raise UsageError("--why is empty", "Give the reason: readers of the history will ask for it.")
    accepted = _accepted(history, run, why.strip())
    click.echo(printable(f"The baseline is {accepted.night}: {accepted.why}"))


def _accepted(history: History, run: str, why: str) -> Accepted:
    nights = history.nights()
    name = Path(run).name.removeprefix("night=")
    if run == "last" and nights:
        name = nights[-1]
    if name not in nights and not (Path(run) / "manifest.json").is_file():
        return history.accept(run, why)  # Which raises the error for an unknown name.
    history.make()
    with history.locked():
        return history.accept(name if name in nights else history.add(Path(run)), why)


@baseline.command("show")
@HISTORY
@JSON
def show(folder: Path, as_json: bool) -> None:
    """Show the nights that were accepted as baseline; the last one is current."""
    from reports.history.nights import History

    rows = [asdict(one) for one in History(folder).acceptances()]
    if as_json:
        print_json({"schema_version": 1, "accepted": rows})
        return
    if not rows:
        raise UsageError(
            f"{folder} has no baseline yet",
            "Run `editgauge nightly`: the first night becomes the baseline; or accept a night.",
        )
    for row in rows:
        click.echo(printable(f"{row['accepted']}  {row['night']}  {row['why']}"))
