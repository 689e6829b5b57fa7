"""What `run` and `merge` print about a finished run."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from editcore.quoting import printable
from harness.terminal import pipe_may_close, print_json


def print_rates(folder: Path) -> None:
    """Print the table of a run's rates, and the sentence that sums them up."""
    from reports.runs.manifest import read_manifest
    from reports.statistics.sentence import sentence
    from reports.statistics.summary import run_summaries
    from reports.views.tables import print_summary

    manifest, rows = read_manifest(folder), run_summaries(folder)
    with pipe_may_close():
        print_summary(rows)
    click.echo(f"\n{printable(sentence(rows, manifest))}")


def print_run(folder: Path, *, place: str | Path, as_json: bool) -> None:
    """Print the table and the summary sentence, or one JSON document; on stderr, skipped samples and the folder."""
    from reports.runs.manifest import read_manifest
    from reports.statistics.summary import run_summaries
    from reports.views.tables import summary_document

    manifest = read_manifest(folder)
    if as_json:
        print_json(summary_document(run_summaries(folder), manifest))
    else:
        print_rates(folder)
    for n, which in (
        (manifest.n_left_out, "that none of these strategies takes"),
        (manifest.n_bad, "that cannot be read"),
    ):
        if n:
            click.echo(f"left out: {n:,} sample{'' if n == 1 else 's'} {which}", err=True)
    click.echo(f"run: {printable(str(place))}", err=True)


def exit_if_nothing_was_measured(folder: Path) -> None:
    """Exit with 1, and the reason on stderr, where no sample was run or no call ended in a result."""
    from reports.statistics.measured import why_nothing_was_measured

    if reason := why_nothing_was_measured(folder):
        click.echo(printable(f"error: nothing was measured: {reason}"), err=True)
        sys.exit(1)
