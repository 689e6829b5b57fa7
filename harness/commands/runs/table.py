"""`table`: rates of a run by a property of its samples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from harness.commands.options import JSON, STRATEGIES
from harness.terminal import pipe_may_close, print_json


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.option(
    "--by", "key", required=True, metavar="KEY", help="Property: mutator, agent, model, repo, or the key of a tag."
)
@STRATEGIES
@JSON
def table(folder: Path, key: str, patterns: Sequence[str], as_json: bool) -> None:
    """Print a run's rates by a property of its samples.

    The table has a row for each value of the property (mutator, language, severity, model, ...) and a column for each
    strategy.
    """
    from harness.strategies.registry import matching_names
    from reports.runs.manifest import read_manifest
    from reports.statistics.breakdown import breakdown
    from reports.views.tables import breakdown_document, print_breakdown

    used = [one.name for one in read_manifest(folder).strategies]
    found = breakdown(folder, key, strategies=matching_names(used, patterns))
    if as_json:
        print_json(breakdown_document(found))
    else:
        with pipe_may_close():
            print_breakdown(found)
