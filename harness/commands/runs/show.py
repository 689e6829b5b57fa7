"""`show`: everything a run recorded about one sample."""

from __future__ import annotations

from pathlib import Path

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.commands.options import JSON
from harness.terminal import pipe_may_close, print_json


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.argument("sample_id", metavar="SAMPLE")
@click.option("--diff", "strategy", metavar="STRATEGY", help="Only what this strategy made of it, as diffs.")
@JSON
def show(folder: Path, sample_id: str, strategy: str | None, as_json: bool) -> None:
    """Show one sample of a run, and what every strategy made of it.

    Prints the edit as written, the file around its place, the right answer, every strategy's outcome with the message
    of its refusal, and each result that is not right as diffs from the file before and from the right answer.
    """
    from harness.commands.runs.sample_details import diff_lines, document, lines_about, no_such_sample
    from reports.runs.manifest import read_manifest
    from reports.runs.one_sample import sample_record

    if strategy and as_json:
        raise UsageError("--diff and --json exclude each other", "Leave one of them out: the document has all diffs.")
    read_manifest(folder)
    record = sample_record(folder, sample_id)
    if not record.outcomes:
        raise no_such_sample(folder, sample_id)
    if as_json:
        print_json(document(record))
        return
    with pipe_may_close():
        for line in diff_lines(record, strategy) if strategy else lines_about(record):
            click.echo(printable(line))
