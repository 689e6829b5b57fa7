"""The command that says whether a run is better than another: compare."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeVar

import click

from editcore.errors import UsageError
from harness.terminal import pipe_may_close, printable

if TYPE_CHECKING:
    from reports.compare.comparison import Comparison
    from reports.compare.gate import Failure, Gate
    from reports.compare.words import Group

_KINDS = ("wrong_edit", "match_rate", "crash", "latency", "regression")
_NEVER = "never"
_Command = TypeVar("_Command", bound=Callable[..., object])


def gated(command: _Command) -> _Command:
    """The options that say what a gate fails on."""
    fail_on = click.option(
        "--fail-on",
        "findings",
        multiple=True,
        type=click.Choice([*_KINDS, _NEVER]),
        help="What ends in exit code 1; again for more. Default: all but regression, which is any sample turned worse.",
    )
    tolerance = click.option(
        "--latency-tolerance",
        type=click.FloatRange(min=0),
        default=0.25,
        show_default=True,
        metavar="SHARE",
        help="By how much slower a strategy may be.",
    )
    return fail_on(tolerance(command))


def gate_of(findings: Sequence[str], latency_tolerance: float) -> Gate:
    """The gate that those options ask for. Raises UsageError where they contradict each other."""
    from reports.compare.gate import DEFAULT, Finding, Gate

    if _NEVER in findings and len(set(findings)) > 1:
        raise UsageError("--fail-on never excludes the others", "Leave it out, or leave them out.")
    fail_on = frozenset(map(Finding, set(findings) - {_NEVER})) if findings else DEFAULT
    return Gate(fail_on, latency_tolerance)


@click.command()
@click.argument("base", type=click.Path(path_type=Path), metavar="BASE")
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.option(
    "-s",
    "--strategy",
    "patterns",
    multiple=True,
    metavar="NAME",
    help="A strategy, or a glob; again for more. Default: all that both runs have.",
)
@gated
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    metavar="N",
    help="Diffs of at most so many samples turned worse, and so many turned better.",
)
@click.option(
    "--output-format",
    "form",
    type=click.Choice(["table", "json", "markdown", "junit", "github"]),
    default="table",
    show_default=True,
    help="What to print.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --output-format json.")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write there, print nothing."
)
def compare(
    base: Path,
    folder: Path,
    patterns: Sequence[str],
    findings: Sequence[str],
    latency_tolerance: float,
    limit: int,
    form: str,
    as_json: bool,
    out: Path | None,
) -> None:
    """Compare a run with a baseline, sample by sample.

    Shows which samples turned worse and better under which strategy, with both diffs, and how likely luck would do
    as much. Exit code 1 where the gate fails: by default on any new wrong edit, crash or time-out, on a match rate
    significantly lower, and on a latency clearly higher.
    """
    from reports.compare.comparison import compare as compare_runs
    from reports.compare.gate import failures
    from reports.compare.words import groups

    gate = gate_of(findings, latency_tolerance)
    comparison = compare_runs(base, folder, strategies=_shared(base, folder, patterns))
    failed = failures(comparison, gate)
    found = groups(comparison, n_diffs=limit)
    print_notes(comparison)
    _answer(comparison, failed, found, "json" if as_json else form, out)
    tell_github(comparison, failed, found, annotated=form == "github" and not as_json and out is None)
    sys.exit(1 if failed else 0)


def _shared(base: Path, folder: Path, patterns: Sequence[str]) -> list[str]:
    """The names of the strategies asked for, of those in both runs."""
    from harness.strategies import matching
    from reports.runs import read_manifest

    names, others = ([used.name for used in read_manifest(one).strategies] for one in (base, folder))
    return matching([name for name in names if name in others], patterns) if patterns else []


def _answer(
    comparison: Comparison, failed: Sequence[Failure] | None, found: Sequence[Group], form: str, out: Path | None
) -> None:
    """Print the answer, or write it; what the gate says goes to stderr too where people would not see it."""
    from reports import ci
    from reports.compare.words import gate_lines
    from reports.runs import write_atomically

    stream = sys.stdout if out is None else StringIO()
    match form:
        case "json":
            stream.write(json.dumps(ci.document(comparison, failed, found), indent=2) + "\n")
        case "markdown":
            stream.write(ci.markdown(comparison, failed, found))
        case "junit":
            stream.write(ci.junit(comparison, failed, found))
        case "github":
            stream.writelines(f"{line}\n" for line in ci.annotations(comparison, failed))
        case _:
            print_comparison(comparison, failed, found, stream)
    if isinstance(stream, StringIO):
        assert out is not None
        write_atomically(out, stream.getvalue().encode("utf-8", "backslashreplace"))
    if form != "table" or out is not None:
        for line in gate_lines(failed):
            click.echo(printable(line), err=True)


def print_notes(comparison: Comparison) -> None:
    """What to bear in mind, on stderr."""
    from reports.compare.words import notes

    for note in notes(comparison):
        click.echo(f"note: {printable(note)}", err=True)


def print_comparison(
    comparison: Comparison, failed: Sequence[Failure] | None, found: Sequence[Group], stream: TextIO
) -> None:
    from reports.compare.words import LEGEND, gate_lines, lines_about, print_table, sentence

    with pipe_may_close():
        print_table(comparison, file=stream)
    for line in ("", LEGEND, *lines_about(found), "", sentence(comparison), *gate_lines(failed)):
        stream.write(f"{printable(line)}\n")


def tell_github(
    comparison: Comparison, failed: Sequence[Failure] | None, found: Sequence[Group], *, annotated: bool
) -> None:
    """In a job on GitHub: append to its summary, and annotate it unless the answer has done so."""
    from reports import ci

    if os.environ.get("GITHUB_ACTIONS") == "true" and not annotated:
        for line in ci.annotations(comparison, failed):
            click.echo(line, err=True)
    if not (place := os.environ.get("GITHUB_STEP_SUMMARY")):
        return
    try:
        with open(place, "ab") as file:
            left = ci.SUMMARY_LIMIT - file.tell()
            file.write(ci.markdown(comparison, failed, found, limit=left).encode("utf-8", "backslashreplace"))
    except OSError as error:
        click.echo(f"warning: the job summary cannot be written: {error.strerror}", err=True)
