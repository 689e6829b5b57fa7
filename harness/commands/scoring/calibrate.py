"""`calibrate`: how often each tier of a cascade is right, and whether its confidence holds."""

from __future__ import annotations

from dataclasses import asdict

import click

from editcore.errors import UsageError
from harness.commands.options import JSON
from harness.commands.scoring.replacer_runs import CASCADE, Source, run_of, source
from harness.terminal import pipe_may_close, print_json


@click.command()
@click.option("--folds", type=click.IntRange(min=2), default=5, show_default=True, metavar="K", help="Folds.")
@source()
@JSON
def calibrate(source: Source, folds: int, as_json: bool) -> None:
    """Count how often each tier is right, and check confidence.

    Takes the outcomes of cascade/recommended from a RUN, or runs it on a CORPUS. Confidence is fitted on all
    repositories but those of one fold, and compared with the share of right edits in that fold. The counts are what
    editcore/tiers/confidence.py holds.
    """
    from reports.runs.parts import outcomes, samples_used
    from reports.statistics.deciders import calibration

    name = "cascade/recommended"
    folder = run_of(source, ["recommended"], family=CASCADE)
    found = calibration(samples_used(folder), (one for one in outcomes(folder) if one.strategy == name), n_folds=folds)
    if not found.reliability:
        raise UsageError(
            f"In {folder}, no tier of {name} made an edit whose right answer is known",
            "Name a run, or a corpus, with more labelled edits.",
        )
    if found.n_folds < 2:
        raise UsageError(
            f"In {folder}, all edits of known answers are in one fold of repositories, so none are held out",
            "Name a run, or a corpus, of more repositories, or raise --folds.",
        )
    if as_json:
        print_json({"schema_version": 1, **asdict(found)})
        return
    with pipe_may_close():
        click.echo(f"{'tier':<14}{'edits':>7}{'stated':>9}{'right':>9}")
        for one in found.reliability:
            click.echo(f"{one.tier:<14}{one.n:>7}{one.stated:>9.2%}{one.right:>9.2%}")
        click.echo(f"expected calibration error on {found.n_folds} held-out folds of repositories: {found.error:.2%}")
