"""`fuzz run`: fuzz targets for some time."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from harness.commands.fuzzing.options import STRATEGIES, TARGETS, campaign, selected_targets
from harness.commands.options import JSON, QUIET
from harness.terminal import pipe_may_close

if TYPE_CHECKING:
    from harness.fuzz.engine.campaign import CampaignSettings


@click.command()
@TARGETS
@campaign(seconds=60.0, limit_of="Time limit for each target.")
@STRATEGIES
@JSON
@QUIET
def run(names: Sequence[str], settings: CampaignSettings, specs: Sequence[str], as_json: bool, quiet: bool) -> None:
    """Fuzz targets for some time.

    A TARGET is a name or a glob of `editgauge ls targets`: a strategy, checked against the properties it promises; a
    parser; tool calls on a real workspace; differential, which compares two strategies, or our readings of unified
    diffs with GNU patch and git apply.

    Exit code 0: no new finding. 1: a new finding is in findings/, as small as it could be made, as a sample and as a
    text case; or the coverage of a target is below its floor.
    """
    from harness.fuzz.engine import report as fuzz_report
    from harness.fuzz.engine.campaign import run_campaign
    from reports.history.fuzz_nights import tell

    targets = selected_targets(names, specs)
    with fuzz_report.progress(quiet=quiet) as report:
        found = run_campaign(targets, settings, report)
    with pipe_may_close():
        fuzz_report.print_campaign(found, settings.folder, as_json=as_json)
    tell(settings.folder, [finding.id for one in found for finding in one.found])
    sys.exit(fuzz_report.exit_code(found))
