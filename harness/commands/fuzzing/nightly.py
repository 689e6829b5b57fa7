"""`fuzz nightly`: one night of fuzzing over all targets."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from harness.commands.fuzzing.options import ENGINE, FOLDER, RUNS, SEEDS, campaign_settings
from harness.commands.options import JOBS, JSON, QUIET, SECONDS, seed
from harness.terminal import pipe_may_close

_MIN_SECONDS = 2.0
"""The least time for each target."""


@click.command()
@ENGINE
@click.option(
    "--seconds", type=SECONDS, default=600.0, show_default=True, metavar="S",
    help="Time for all targets together.",
)  # fmt: skip
@RUNS
@JOBS
@SEEDS
@FOLDER
@seed("Seed of the inputs; the number of the night is added.")
@JSON
@QUIET
def nightly(
    engine: str | None,
    seconds: float,
    runs: int | None,
    jobs: int | None,
    seeds: Path | None,
    folder: Path,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Fuzz all targets for a night.

    Reported is what is new since the nights before. Targets that reached something new the night before go first.
    `editgauge nightly --fuzz DIR` reads the result.
    """
    from harness.fuzz.engine import report as fuzz_report
    from harness.fuzz.engine.campaign import run_campaign
    from harness.fuzz.engine.nights import next_night, record_night

    settings = campaign_settings(
        engine=engine, seconds=seconds, runs=runs, jobs=jobs, seed=seed, folder=folder, seeds=seeds
    )
    night = next_night(folder)
    share = max(seconds * settings.jobs / len(night.targets), _MIN_SECONDS)
    with fuzz_report.progress(quiet=quiet) as report:
        found = run_campaign(night.targets, replace(settings, seconds=share, seed=seed + night.number), report)
    record_night(folder, night, found)
    with pipe_may_close():
        fuzz_report.print_campaign(found, folder, as_json=as_json)
    sys.exit(fuzz_report.exit_code(found))
