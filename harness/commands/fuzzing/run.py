"""`fuzz run`: fuzz targets for some time."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from harness.commands.fuzzing.options import (
    ENGINE,
    FOLDER,
    RUNS,
    SEEDS,
    STRATEGIES,
    TARGETS,
    campaign_settings,
    selected_targets,
)
from harness.commands.options import JOBS, JSON, QUIET, SECONDS, seed
from harness.terminal import pipe_may_close


@click.command()
@TARGETS
@ENGINE
@click.option(
    "--seconds", type=SECONDS, default=60.0, show_default=True, metavar="S",
    help="Time limit for each target.",
)  # fmt: skip
@RUNS
@JOBS
@SEEDS
@STRATEGIES
@FOLDER
@seed("Seed of the inputs.")
@JSON
@QUIET
def run(
    names: Sequence[str],
    engine: str | None,
    seconds: float,
    runs: int | None,
    jobs: int | None,
    seeds: Path | None,
    specs: Sequence[str],
    folder: Path,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Fuzz targets for some time.

    A TARGET is a name or a glob of `editgauge ls targets`: a strategy, checked against the properties it promises; a
    parser; tool calls on a real workspace; differential, which compares two strategies, or our readings of unified
    diffs with GNU patch and git apply.

    Exit code 0: no new finding. 1: a new finding is in findings/, as small as it could be made, as a sample and as a
    text case; or the coverage of a target is below its floor.
    """
    from harness.fuzz.engine import report as fuzz_report
    from harness.fuzz.engine.campaign import run_campaign

    targets = selected_targets(names, specs)
    settings = campaign_settings(
        engine=engine, seconds=seconds, runs=runs, jobs=jobs, seed=seed, folder=folder, seeds=seeds
    )
    with fuzz_report.progress(quiet=quiet) as report:
        found = run_campaign(targets, settings, report)
    with pipe_may_close():
        fuzz_report.print_campaign(found, folder, as_json=as_json)
    sys.exit(fuzz_report.exit_code(found))
