"""`fuzz nightly`: one night of fuzzing over all targets."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from harness.commands.fuzzing.options import campaign
from harness.commands.options import JSON, QUIET
from harness.terminal import pipe_may_close

if TYPE_CHECKING:
    from harness.fuzz.engine.campaign import CampaignSettings

_MIN_SECONDS = 2.0
"""The least time for each target."""


@click.command()
@campaign(
    seconds=600.0, limit_of="Time for all targets together.",
    seed_of="Seed of the inputs; the number of the night is added.",
)  # fmt: skip
@JSON
@QUIET
def nightly(settings: CampaignSettings, as_json: bool, quiet: bool) -> None:
    """Fuzz all targets for a night.

    Reported is what is new since the nights before. Targets that reached something new the night before go first.
    `editgauge nightly --fuzz DIR` reads the result.
    """
    from harness.fuzz.engine import report as fuzz_report
    from harness.fuzz.engine.campaign import run_campaign
    from harness.fuzz.engine.nights import next_night, record_night

    folder = settings.folder
    night = next_night(folder)
    share = max(settings.seconds * settings.jobs / len(night.targets), _MIN_SECONDS)
    with fuzz_report.progress(quiet=quiet) as report:
        tonight = replace(settings, seconds=share, seed=settings.seed + night.number)
        found = run_campaign(night.targets, tonight, report)
    try:
        with pipe_may_close():
            fuzz_report.print_campaign(found, folder, as_json=as_json)
    finally:
        record_night(folder, night, found)  # Last: what it records counts as known.
    sys.exit(fuzz_report.exit_code(found))
