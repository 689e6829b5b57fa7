"""`compare`: which samples turned better or worse between two runs."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import click

from editcore.quoting import disarmed_json, printable
from harness.commands.options import STRATEGIES
from harness.commands.scoring.comparison_report import print_comparison, print_notes, report_to_github
from harness.commands.scoring.gate_options import gate_of, gate_options

if TYPE_CHECKING:
    from reports.compare.comparison import Comparison
    from reports.compare.gate import Failure
    from reports.compare.wording import Group


@click.command()
@click.argument("base", type=click.Path(path_type=Path), metavar="BASE")
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@STRATEGIES
@gate_options
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    metavar="N",
    help="Show the diffs of at most this many samples that turned worse, and as many that turned better.",
)
@click.option(
    "--output-format",
    "form",
    type=click.Choice(["table", "json", "markdown", "junit", "github"]),
    default="table",
    show_default=True,
    help="Format of the output.",
)
@click.option("--json", "as_json", is_flag=True, help="Same as --output-format json.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write to FILE instead of stdout.",
)
def compare(
    base: Path,
    folder: Path,
    patterns: Sequence[str],
    rules: Sequence[str],
    latency_tolerance: float,
    limit: int,
    form: str,
    as_json: bool,
    out: Path | None,
) -> None:
    """Compare a run with a baseline, sample by sample.

    Shows which samples turned worse or better under which strategy, with both diffs, and which differences are
    significant. The exit code is 1 if the gate fails: by default on any new wrong edit, crash or time-out, on a
    significantly lower match rate, and on a clearly higher latency. It is also 1 if nothing could be compared.
    """
    from reports.compare.comparison import compare as compare_runs
    from reports.compare.gate import failures
    from reports.compare.wording import groups

    gate = gate_of(rules, latency_tolerance)
    comparison = compare_runs(base, folder, strategies=_shared(base, folder, patterns))
    failed = failures(comparison, gate)
    found = groups(comparison, n_diffs=limit)
    print_notes(comparison)
    _write(comparison, failed, found, "json" if as_json else form, out)
    report_to_github(comparison, failed, found, annotated=form == "github" and not as_json and out is None)
    unmeasured = _why_not_comparable(comparison) if failed is not None else None
    if unmeasured:
        click.echo(printable(f"error: nothing was compared: {unmeasured}"), err=True)
    sys.exit(1 if failed or unmeasured else 0)


def _why_not_comparable(comparison: Comparison) -> str | None:
    """Why the comparison says nothing, in one line; None if it says something."""
    from reports.statistics.measured import why_nothing_was_measured

    names = [one.strategy for one in comparison.strategies]
    for folder in (comparison.base, comparison.run):
        if reason := why_nothing_was_measured(folder, strategies=names or None):
            return f"in {folder}, {reason}"
    return None if comparison.n_samples else "the runs have no sample and strategy in common"


def _shared(base: Path, folder: Path, patterns: Sequence[str]) -> list[str]:
    """The chosen strategies that both runs have."""
    from harness.strategies.registry import matching_names
    from reports.runs.manifest import read_manifest

    names, others = ([used.name for used in read_manifest(one).strategies] for one in (base, folder))
    return matching_names([name for name in names if name in others], patterns) if patterns else []


def _write(
    comparison: Comparison, failed: Sequence[Failure] | None, found: Sequence[Group], form: str, out: Path | None
) -> None:
    """Print or write the comparison; the gate's result also goes to stderr unless a table is printed."""
    from reports.compare.wording import gate_lines
    from reports.runs.manifest import write_atomically
    from reports.views import ci

    stream = sys.stdout if out is None else StringIO()
    match form:
        case "json":
            stream.write(disarmed_json(json.dumps(ci.document(comparison, failed, found), indent=2)) + "\n")
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
