"""`matrix`: programs, versions, defects and rates as one page, and results that others send."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from editcore.errors import UsageError
from harness.commands.options import QUIET, TIMEOUT, Output
from harness.defects import built_in, results_of
from harness.progress import show_progress
from harness.strategies.registry import select, strategies
from reports.matrix import DATE, badge, document, ordered, page, problems, read_result
from reports.runs.manifest import write_atomically


@click.group()
def matrix() -> None:
    """Programs, versions, defects and rates as one page; docs/matrix.md."""


@matrix.command()
@click.option("-o", "--out", type=Output(file_okay=False), required=True, metavar="DIR", help="Folder to write.")
@click.option(
    "--results", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="Folder of results, NAME.json, that join the page.",
)  # fmt: skip
@QUIET
def build(out: Path, results: Path | None, quiet: bool) -> None:
    """Run the rules of agents on the suite, and write index.html, matrix.json and badges.

    The suite is the corpora `house` and `defects`. It takes half a minute.
    """
    if results and not results.is_dir():
        raise UsageError(f"There is no folder {results}", "Name the folder of the results, or leave --results out.")
    foreign = [read_result(path) for path in sorted(results.glob("*.json"))] if results else []
    described = built_in(list(strategies().values()))
    with show_progress(quiet=quiet) as report:
        own = results_of([strategies()[name] for name in described], described, report=report)
    found = ordered([*own, *foreign])
    (out / "badges").mkdir(parents=True, exist_ok=True)
    texts = {out / "badges" / f"{one.anchor}.svg": badge(one) for one in found}
    if len(texts) < len(found):
        raise UsageError("Two results have the same program, version and rule", f"Look into {results}.")
    texts[out / "matrix.json"] = json.dumps(document(found), indent=1) + "\n"
    texts[out / "index.html"] = page(found, made=datetime.now(UTC).strftime("%Y-%m-%d"))
    for path, text in texts.items():
        write_atomically(path, text.encode())
    click.echo(f"{len(found)} results: {out / 'index.html'}")


@matrix.command("result")
@click.argument("strategy", metavar="STRATEGY")
@click.option("--program", required=True, metavar="NAME", help="The program's name.")
@click.option("--version", required=True, metavar="V", help="Its version.")
@click.option("--date", default="", metavar="DATE", help="The version's day, month or year: 2026-11-28.")
@click.option("-o", "--out", type=Output(dir_okay=False), required=True, metavar="FILE", help="JSON file to write.")
@TIMEOUT
@QUIET
def result_(strategy: str, program: str, version: str, date: str, out: Path, timeout: float, quiet: bool) -> None:
    """Run a program on the suite, and write its result, which a matrix takes: 'cmd:mine=node edit.js'."""
    if date and not DATE.fullmatch(date):
        raise UsageError(f"--date {date} is not a date", "Write a day, a month or a year: 2026-11-28.")
    chosen = select([strategy])
    if len(chosen) != 1:
        raise UsageError(f"{strategy} names {len(chosen)} strategies", "A result is of one: name it.")
    with show_progress(quiet=quiet) as report:
        (found,) = results_of(chosen, {chosen[0].name: (program, version, date)}, timeout_s=timeout, report=report)
    for problem in problems(found):
        raise UsageError(f"The result is not valid: {problem}", "Correct --date, --program or --version.")
    write_atomically(out, msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    n = found.counts
    click.echo(f"{out}: {n.right} right, {n.wrong} wrong, {n.missed} missed, {len(found.defects)} defects")


@matrix.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
def check(files: tuple[Path, ...]) -> None:
    """Check results of others: their form, edition, counts, defects and digest."""
    for path in files:
        one = read_result(path)
        click.echo(f"{path}: {one.program} {one.version}, {one.suite}, as its outcomes say")
