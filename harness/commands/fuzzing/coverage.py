"""`fuzz coverage`: which lines and branches a corpus covers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from harness.commands.fuzzing.options import FOLDER, STRATEGIES, TARGETS, selected_targets
from harness.commands.options import Output


@click.command()
@TARGETS
@STRATEGIES
@FOLDER
@click.option(
    "--html", type=Output(file_okay=False), default="coverage", show_default=True, metavar="DIR",
    help="Where the pages go; of several targets, each gets a subfolder.",
)  # fmt: skip
def coverage(names: Sequence[str], specs: Sequence[str], folder: Path, html: Path) -> None:
    """Write the coverage of a corpus as HTML pages.

    They show which lines and branches the seeds and the corpus of a target reach."""
    from harness.fuzz.engine.coverage import write_coverage
    from harness.fuzz.inputs import slug

    targets = selected_targets(names, specs)
    for target in targets:
        click.echo(write_coverage(target, folder, html / slug(target.name) if len(targets) > 1 else html))
