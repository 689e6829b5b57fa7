"""`baseline`: set and show the night that later nights are compared with."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.commands.options import HISTORY, JSON
from harness.commands.runs.summary import print_rates
from harness.terminal import print_json, print_lines
from reports.history.nights import History
from reports.runs.run_folder import RunFolder
from reports.statistics.summary import why_nothing_was_measured
from reports.views.comparison_wording import gate_lines


@click.group()
def baseline() -> None:
    """Set or show the night that later nights are compared with."""


@baseline.command()
@click.argument("run", metavar="NIGHT|RUN")
@HISTORY
@click.option("--why", required=True, metavar="TEXT", help="Reason, kept in the history.")
@click.option("--yes", is_flag=True, help="Accept a night that failed without asking.")
def accept(run: str, folder: Path, why: str, yes: bool) -> None:
    """Make a night the baseline.

    NIGHT is a name in the history, or `last`. A RUN folder is added to the history first. The rates that are accepted
    are printed; a night that failed the gate, or measured nothing, is accepted only after a question, or with --yes.
    """
    history = History(folder)
    if not why.strip():
        raise UsageError("--why is empty", "Give the reason: readers of the history will ask for it.")
    name = _named(history, run)
    print_rates(RunFolder(history.night(name)))
    _ask(history, name, yes=yes)
    with history.locked():
        accepted = history.accept(name, why.strip())
    click.echo()
    click.echo(printable(f"The baseline is {accepted.night}: {accepted.why}"))


def _named(history: History, run: str) -> str:
    """Name of the chosen night. A run folder is added to the history first. Raises UsageError for anything else."""
    nights = history.nights()
    name = nights[-1] if run == "last" and nights else Path(run).name.removeprefix("night=")
    if name in nights:
        return name
    if not (Path(run) / "manifest.json").is_file():
        history.night(run)  # Raises the error for an unknown name.
    history.make()
    with history.locked():
        return history.add(Path(run))


def _ask(history: History, name: str, *, yes: bool) -> None:
    """Print the failures of a night, and ask whether to accept it. Raises UsageError where nobody can answer."""
    judged = history.judged(name)
    unmeasured = why_nothing_was_measured(RunFolder(history.night(name)))
    lines = [f"Nothing was measured: {unmeasured}"] if unmeasured else []
    if judged and judged.failures:
        lines += [f"Against {judged.baseline}:", *gate_lines(judged.failures)]
    if not lines:
        return
    click.echo()
    print_lines(lines)
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("This night failed, and there is nobody to ask", "Add --yes to accept it all the same.")
    click.confirm("Accept it as the baseline all the same?", abort=True)


@baseline.command("show")
@HISTORY
@JSON
def show(folder: Path, as_json: bool) -> None:
    """Show the nights that were accepted as baseline; the last one is current."""
    history = History(folder)
    rows = [asdict(one) for one in history.acceptances()]
    if as_json:
        print_json({"schema_version": 1, "accepted": rows})
        return
    if not rows:
        if not folder.is_dir():
            raise UsageError(f"There is no folder {folder}", "Name the history: the --history of `editgauge nightly`.")
        nights = history.nights()
        raise UsageError(
            f"{folder} has no baseline yet",
            "Accept one of its nights: `editgauge baseline accept NIGHT`."
            if nights
            else "Run `editgauge nightly`: the first night becomes the baseline.",
        )
    for row in rows:
        click.echo(printable(f"{row['accepted']}  {row['night']}  {row['why']}"))
