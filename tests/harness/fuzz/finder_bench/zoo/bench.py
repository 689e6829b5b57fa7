"""The seconds that fuzzing takes to the first finding of each flawed program. `make finder-bench [ZOO=FOLDER]`."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import NamedTuple

import click

from editcore.errors import UsageError
from editcore.quoting import quoted
from harness.fuzz.engine.campaign import Campaign, CampaignSettings, Progress
from harness.fuzz.finding import Finding
from harness.fuzz.targets import strategy_targets
from reports.views.tables import ABSENT, Column, print_rows
from tests.harness.fuzz.finder_bench.zoo import CORRECT, FLAWED

_RUNS = {".py": "python3", ".js": "node"}


class Program(NamedTuple):
    path: Path
    format: str
    bug: str


class Searched(NamedTuple):
    program: Program
    seconds: float
    """Seconds to the first finding, or of the whole search."""
    n_executions: int
    finding: Finding | None


class _Found(Exception):
    """The campaign has a finding."""


@click.command()
@click.argument("folder", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--seconds", default=45.0, show_default=True, help="Time limit for each program.")
@click.option("--correct", is_flag=True, help="Fuzz the correct program instead, which must have no finding.")
def main(folder: Path | None, seconds: float, correct: bool) -> None:
    """Fuzz each program of a FOLDER until its first finding; by default, the programs of the project's own zoo.

    A FOLDER has programs in Python and Node that speak the line protocol. `ZOO.tsv` in it, or above it, has the columns
    `name`, `format` and `bug`. Exit code 1: a program has no finding, or with --correct, it has one.
    """
    with TemporaryDirectory(prefix="editgauge-zoo-") as scratch:
        programs = _own(Path(scratch), correct=correct) if folder is None else _listed(folder)
        rows = []
        for program in programs:
            rows.append(searched(program, seconds))
            click.echo(f"{program.path.stem}: {_outcome(rows[-1])}", err=True)
    _print(rows)
    sys.exit(any((row.finding is None) is not correct for row in rows))


def _own(scratch: Path, *, correct: bool) -> list[Program]:
    if correct:
        formats = dict.fromkeys(one.format for one in FLAWED)
        return [Program(CORRECT, format, "") for format in formats]
    return [Program(one.write(scratch), one.format, one.bug) for one in FLAWED]


def _listed(folder: Path) -> Iterator[Program]:
    """The programs of a folder that a table describes. Raises UsageError without a table."""
    table = next((one / "ZOO.tsv" for one in (folder, folder.parent) if (one / "ZOO.tsv").exists()), None)
    if table is None:
        raise UsageError(f"{folder} has no ZOO.tsv", "Write one, with the columns name, format and bug.")
    with table.open(encoding="utf-8", newline="") as file:
        rows = {row["name"]: row for row in csv.DictReader(file, delimiter="\t")}
    for path in sorted(folder.iterdir()):
        if path.suffix in _RUNS and path.stem in rows:
            yield Program(path, rows[path.stem]["format"].split()[0], rows[path.stem]["bug"])


def searched(program: Program, seconds: float) -> Searched:
    """Fuzz a program until its first finding, or until the time is over."""
    command = f"{_RUNS[program.path.suffix]} {program.path}"
    (target,) = strategy_targets(f"cmd:{program.path.stem}[{program.format}]={command}")
    with TemporaryDirectory(prefix="editgauge-zoo-") as folder:
        campaign = Campaign([target], CampaignSettings(seconds=seconds, folder=Path(folder)))
        started = monotonic()
        with suppress(_Found):
            campaign.run(_stop_at_the_first)
        took = monotonic() - started
        (progress,) = campaign.results
    return Searched(program, took, progress.total.n_executions, progress.found[0] if progress.found else None)


def _stop_at_the_first(all_progress: Sequence[Progress]) -> None:
    if any(one.found for one in all_progress):
        raise _Found


def _outcome(row: Searched) -> str:
    if row.finding is None:
        return f"no finding in {row.seconds:.0f} s, {row.n_executions:,} executions"
    return f"{row.seconds:.1f} s, {row.finding.property}: {quoted(row.finding.detail, limit=80)}"


def _print(rows: Sequence[Searched]) -> None:
    print_rows(rows, [
        Column("program", "The program.", lambda row: row.program.path.stem),
        Column("format", "The format that it reads.", lambda row: row.program.format),
        Column("s", "Seconds to the first finding, with start-up and shrinking.",
               lambda row: ABSENT if row.finding is None else f"{row.seconds:.1f}"),
        Column("property", "The property that failed.",
               lambda row: ABSENT if row.finding is None else row.finding.property),
        Column("bug", "The bug.", lambda row: row.program.bug),
    ])  # fmt: skip
    click.echo(f"{sum(row.finding is not None for row in rows)} of {len(rows)} programs have a finding")


if __name__ == "__main__":
    main()
