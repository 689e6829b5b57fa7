"""`nightly`: run strategies, compare with the baseline, add the run to the history."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.commands.options import HISTORY, JSON, QUIET, REQUEST
from harness.commands.runs.summary import note_if_severities_are_unknown, print_rates, warn_of_unmeasured
from harness.commands.scoring.gate import annotate, append_to_job_summary, gate_options, print_comparison, print_notes
from harness.configuration import FILE, TEMPLATE
from harness.progress import show_progress
from harness.run.plan import Request
from harness.run.runner import Interrupted
from harness.terminal import print_json, tell, warn
from reports.compare.gate import Gate
from reports.history.fuzz_nights import fuzz_lines
from reports.history.fuzz_nights import tell as mark_told
from reports.history.nights import History
from reports.runs.run_folder import RunFolder
from reports.views import ci

if TYPE_CHECKING:
    from harness.run.nightly import Night


@click.command()
@HISTORY
@REQUEST
@gate_options
@click.option(
    "--fuzz", "fuzz_folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="Folder of `editgauge fuzz nightly`: its last night is reported too, and fails this one by new findings, "
    "and by targets that could not be fuzzed.",
)  # fmt: skip
@click.option("--resume", is_flag=True, help="Resume an interrupted night.")
@JSON
@QUIET
def nightly(
    request: Request, folder: Path, gate: Gate, fuzz_folder: Path | None, resume: bool, as_json: bool, quiet: bool
) -> None:
    """Run strategies on corpora and compare the night with the baseline.

    The run is added to the history as a night, with report.html, summary.md, junit.xml, gate.sarif and comparison.json
    in its folder. The exit code is 1 if the gate fails or nothing was measured. The first night in which every
    strategy was measured becomes the baseline; later nights never change it, only `editgauge baseline accept` does.
    """
    from harness.fuzz.engine.nights import last_night
    from harness.fuzz.properties import sentences
    from harness.run.nightly import accepting, night, summary_markdown

    fuzzed = last_night(fuzz_folder) if fuzz_folder else None
    history, asked = History(folder), replace(request, resume=resume)
    try:
        with show_progress(quiet=quiet) as report:
            found = night(asked, history, gate, fuzzed=fuzzed, properties=sentences(), report=report, warn=warn)
    except Interrupted:
        raise Interrupted("resume with the same arguments and --resume") from None
    append_to_job_summary(lambda left: summary_markdown(found, fuzzed, limit=left))
    _print_night(found, as_json=as_json)
    if found.failures:
        tell(f"to accept it: {accepting(history, found.name)}")
    if fuzzed and fuzz_folder:
        click.echo("\n".join(["", *fuzz_lines(fuzzed)]), err=as_json)
        mark_told(fuzz_folder, [finding.id for _, finding in fuzzed.new])
    if found.not_comparable:
        tip = f"If that is intended: {accepting(history, found.name)}"
        raise UsageError(f"{found.not_comparable.message} (the night is kept)", tip)
    if found.not_measured:
        tell(f"error: {found.not_measured}")
    unmeasured = found.not_measured and gate.fail_on
    sys.exit(1 if found.failures or unmeasured or (fuzzed and fuzzed.fails) else 0)


@click.command()
def init() -> None:
    """Write an editgauge.toml with defaults for this folder."""
    try:
        with open(FILE, "x", encoding="utf-8") as file:
            file.write(TEMPLATE)
    except FileExistsError:
        raise UsageError(f"{FILE} exists already", "Edit it, or remove it first.") from None
    tell(f"settings: {FILE}")
    click.echo("editgauge nightly")


def _print_night(night: Night, *, as_json: bool) -> None:
    run = RunFolder(night.folder)
    if night.comparison:
        print_notes(night.comparison)
        annotate(night.comparison, night.failures)
    if as_json:
        compared = night.comparison and ci.document(night.comparison, night.failures, night.groups)
        document = {
            "schema_version": 1,
            "night": night.name,
            "baseline": night.baseline,
            "not_comparable": night.not_comparable and night.not_comparable.message,
            "comparison": compared,
        }
        print_json(document)
    elif night.comparison:
        click.echo(printable(f"night {night.name} against {night.baseline}") + "\n")
        print_comparison(night.comparison, night.failures, night.groups, sys.stdout)
    elif night.not_measured:
        click.echo(f"night {night.name}: not all was measured, so it is not the baseline.")
    elif night.baseline is None:
        print_rates(run)
        note_if_severities_are_unknown(run)
        click.echo(f"\nnight {night.name}: there was no baseline; this night is the baseline from now on.")
    if night.comparison is None:
        for one in night.open_findings:
            tell(f"error: {one.strategy}: {one.message}: {', '.join(one.sample_ids[:3])}")
    warn_of_unmeasured(run)
    tell(f"night: {night.folder}")
    tell(f"page: {night.folder / 'report.html'}")
