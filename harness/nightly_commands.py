"""The commands of those who run every night: nightly, baseline, history, sql."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from editcore.errors import UsageError
from harness.compare_commands import gate_of, gated, print_comparison, print_notes, tell_github
from harness.progress import shown
from harness.terminal import pipe_may_close, printable

if TYPE_CHECKING:
    from harness.nightly import Night

_HISTORY = click.option(
    "--history",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="DIR",
    help="The history of nights; made by the first one.",
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")


@click.command()
@click.argument("corpora", nargs=-1, metavar="[CORPUS]...")
@_HISTORY
@click.option(
    "-s", "--strategy", "patterns", multiple=True, metavar="NAME", help="A strategy, or a glob; again for more."
)
@click.option("-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Worker processes. Default: one a core.")
@click.option("-n", "--limit", type=click.IntRange(min=1), metavar="LIMIT", help="At most so many samples a corpus.")
@click.option("-k", "matching", metavar="EXPR", help="Only samples whose id or tags hold this.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="For -n.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    show_default=True,
    metavar="S",
    help="Seconds a call may take.",
)
@gated
@click.option(
    "--fuzz",
    "fuzz_folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where `editgauge fuzz --nightly` fuzzed; what it found last is told too, and fails the night.",
)
@click.option("--resume", is_flag=True, help="Go on with a night that was interrupted.")
@_JSON
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def nightly(
    corpora: Sequence[str],
    folder: Path,
    patterns: Sequence[str],
    jobs: int | None,
    limit: int | None,
    matching: str | None,
    seed: int,
    timeout: float,
    findings: Sequence[str],
    latency_tolerance: float,
    fuzz_folder: Path | None,
    resume: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Run a night, and compare it with the baseline.

    The night is compared with the last one accepted, and added to the history. Writes report.html, summary.md,
    junit.xml and comparison.json into the night's folder. Exit code 1 where the gate fails; the first night has
    nothing to be compared with, and becomes the baseline. Later nights never move it: `editgauge baseline accept`
    does.
    """
    from corpora.load import DEFAULT
    from harness.nightly import night
    from harness.runner import Interrupted, Request
    from harness.selection import Selection
    from harness.strategies import select
    from reports.fuzzed import fuzz_markdown, last_fuzz_night
    from reports.history import History

    fuzzed = last_fuzz_night(fuzz_folder) if fuzz_folder else None
    request = Request(
        corpora or [DEFAULT],
        select(patterns),
        selection=Selection(matching, limit, seed),
        n_jobs=jobs,
        timeout_s=timeout,
        resume=resume,
        argv=sys.argv[1:],
    )
    history, gate = History(folder), gate_of(findings, latency_tolerance)
    try:
        with shown(quiet=quiet) as report:
            found = night(request, history, gate, fuzzed=fuzzed, report=report, warn=_warn)
    except Interrupted:
        raise Interrupted("go on with --resume and the same arguments") from None
    _tell(found, as_json=as_json)
    if found.not_comparable:
        accepting = f"editgauge baseline accept {found.name} --history {shlex.quote(str(folder))} --why '...'"
        raise UsageError(f"{found.not_comparable.message} (the night is kept)", f"If that is right: {accepting}")
    if fuzzed and not as_json:
        click.echo(fuzz_markdown(fuzzed), nl=False)
    sys.exit(1 if found.failures or (fuzzed and fuzzed.new) else 0)


def _warn(line: str) -> None:
    click.echo(f"warning: {printable(line)}", err=True)


def _tell(night: Night, *, as_json: bool) -> None:
    """Print what became of a night, and where it lies."""
    from reports import ci

    if night.comparison:
        print_notes(night.comparison)
        tell_github(night.comparison, night.failures, night.groups, annotated=False)
    if as_json:
        compared = night.comparison and ci.document(night.comparison, night.failures, night.groups)
        document = {
            "schema_version": 1,
            "night": night.name,
            "baseline": night.baseline,
            "not_comparable": night.not_comparable and night.not_comparable.message,
            "comparison": compared,
        }
        click.echo(json.dumps(document, indent=2))
    elif night.comparison:
        click.echo(f"night {night.name} against {night.baseline}\n")
        print_comparison(night.comparison, night.failures, night.groups, sys.stdout)
    elif night.baseline is None:
        click.echo(f"night {night.name}: there was no baseline; this night is it from now on.")
    click.echo(f"night: {night.folder}", err=True)


@click.group()
def baseline() -> None:
    """Say which night the next ones are compared with."""


@baseline.command()
@click.argument("run", metavar="NIGHT|RUN")
@_HISTORY
@click.option("--why", required=True, metavar="TEXT", help="What a reader of the history should know.")
def accept(run: str, folder: Path, why: str) -> None:
    """Make a night the baseline.

    A NIGHT is a name in the history, or `last`; a RUN folder is added to the history first.
    """
    from reports.history import History

    history = History(folder)
    if not why.strip():
        raise UsageError("--why is empty", "Say why: a reader of the history will ask.")
    nights = history.nights()
    name = run
    if run == "last" and nights:
        name = nights[-1]
    elif Path(run).name.removeprefix("night=") in nights:
        name = Path(run).name.removeprefix("night=")
    elif (Path(run) / "manifest.json").is_file():
        name = history.add(Path(run))
    accepted = history.accept(name, why.strip())
    click.echo(f"The baseline is {accepted.night}: {printable(accepted.why)}")


@baseline.command("show")
@_HISTORY
@_JSON
def show(folder: Path, as_json: bool) -> None:
    """Show every night that was accepted, the last one being the baseline."""
    from reports.history import History

    rows = [asdict(one) for one in History(folder).acceptances()]
    if as_json:
        click.echo(json.dumps({"schema_version": 1, "accepted": rows}, indent=2))
        return
    if not rows:
        raise UsageError(f"{folder} has no baseline yet", "The first night becomes it, or accept one.")
    for row in rows:
        click.echo(printable(f"{row['accepted']}  {row['night']}  {row['why']}"))


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.argument("sample_id", required=False, metavar="[SAMPLE]")
@_JSON
def history(folder: Path, sample_id: str | None, as_json: bool) -> None:
    """Show the nights of a history, or of a sample.

    Without SAMPLE a line a night: the rates of the strategy it is about, and what the gate said. With it, the nights
    on which the sample turned, under which strategy.
    """
    from reports.history import History
    from reports.turnings import overview, turnings

    found = History(folder)
    if not found.nights():
        raise UsageError(f"{folder} has no nights", "Run `editgauge nightly` first, or name another folder.")
    rows: list[Any] = turnings(found, sample_id) if sample_id else overview(found)
    if as_json:
        key = "turnings" if sample_id else "nights"
        click.echo(json.dumps({"schema_version": 1, key: [asdict(row) for row in rows]}, indent=2))
        return
    for row in rows:
        click.echo(printable(row.line()))


@click.command()
@click.argument("text", metavar="QUERY")
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN|HISTORY...")
@click.option(
    "--output-format",
    "form",
    type=click.Choice(["table", "csv", "json"]),
    default="table",
    show_default=True,
    help="What to print.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --output-format json.")
def sql(text: str, folders: Sequence[Path], form: str, as_json: bool) -> None:
    """Ask runs or a history in SQL, by duckdb.

    Tables: outcomes, wrong_edits, samples, steps and runs, each with a column `night` (of a history) or the run
    folder's name.

    \b
    editgauge sql "select strategy, verdict, count(*) from outcomes group by all" runs/latest
    editgauge sql "select night, count(*) from outcomes where verdict = 'wrong_edit' group by night" nights/
    """
    import msgspec

    from reports.sql import query
    from reports.tables import print_rows, row_columns

    answer = query(text, folders)
    if as_json or form == "json":
        rows = [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]
        # By way of msgspec, since JSON has no dates, and no number that is none.
        plain = msgspec.json.decode(msgspec.json.encode({"schema_version": 1, "rows": rows}, enc_hook=str))
        click.echo(json.dumps(plain, indent=2))
    elif form == "csv":
        import csv

        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(answer.columns)
        writer.writerows(answer.rows)
    else:
        with pipe_may_close():
            print_rows(answer.rows, row_columns(answer.columns, answer.rows))
