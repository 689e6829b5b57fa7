"""`fuzz`: search for inputs that break a property that should always hold; `shrink`: make a wrong edit small."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from editcore.errors import UsageError
from harness.commands.options import JOBS, JSON, QUIET, RUN, SECONDS, Option, Output, group, seed
from harness.terminal import tell

if TYPE_CHECKING:
    from harness.fuzz.engine.worker import CampaignSettings
    from harness.fuzz.target import Target
    from reports.runs.run_folder import RunFolder


class _FuzzGroup(click.Group):
    """A group with a default command, which gets the arguments if the first one names no command."""

    default_command = "run"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] not in [[name] for name in (*self.commands, *ctx.help_option_names)]:
            args = [self.default_command, *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(self.commands)  # In the order in which they stand below.


@click.group(cls=_FuzzGroup, subcommand_metavar="[run] TARGET... | COMMAND")
def fuzz() -> None:
    """Search for inputs that break a property that should always hold.

    `editgauge fuzz TARGET...` is short for `editgauge fuzz run TARGET...`.
    """


# Options that several of its commands share

TARGETS = click.argument("names", nargs=-1, metavar="[TARGET]...")
ENGINE = click.option(
    "--engine", type=click.Choice(["atheris", "hypothesis"]),
    help="What makes the inputs: guided by coverage, or drawn. Default: atheris if installed, else hypothesis; "
    "for programs (cmd:), hypothesis.",
)  # fmt: skip
RUNS = click.option("--runs", type=click.IntRange(min=1), metavar="N", help="At most this many inputs for each target.")
SEEDS = click.option(
    "--seeds", type=click.Path(exists=True, path_type=Path), metavar="DIR",
    help="A folder of more inputs to start from.",
)  # fmt: skip
STRATEGIES = click.option(
    "-s", "--strategy", "specs", multiple=True, metavar="NAME",
    help="A strategy, or cmd:NAME=COMMAND, as the target; for differential, name two. "
    "parse:NAME[FORMAT]=MODULE:FUNCTION or =COMMAND is a parser of patches, mcp:NAME=COMMAND a server.",
)  # fmt: skip
FOLDER = click.option(
    "-o", "--out", "folder", type=Output(file_okay=False), default="fuzz", show_default=True,
    metavar="DIR", help="The folder of corpus/ and findings/; what it holds is continued.",
)  # fmt: skip


def selected_targets(names: Sequence[str], specs: Sequence[str]) -> Sequence[Target]:
    """The targets that match names and globs, or the targets of strategies. Raises UsageError."""
    from harness.fuzz.targets import differential_targets, select_targets, strategy_targets

    if specs and not names:
        return [target for spec in specs for target in strategy_targets(spec)]
    if not names:
        raise UsageError("No fuzz target is named", "Name targets, see `editgauge ls targets`; '*' is all of them.")
    from harness.fuzz.drills import DRILLS, RENAMED  # Half a second, for which no program has to wait.

    for name in names:
        if (drill := RENAMED.get(name, name)) in DRILLS:
            raise UsageError(f"{name} is a drill, not a fuzz target", f"Run `editgauge fuzz drill {drill}`.")
    if specs:
        if list(names) == ["differential"]:
            return differential_targets(specs)
        raise UsageError("A TARGET and -s exclude each other", "Only `differential` takes strategies.")
    commands = click.get_current_context().parent
    assert commands is not None
    assert isinstance(commands.command, click.Group)
    return select_targets(names, similar=(*commands.command.commands, *DRILLS))


def _settings(
    engine: str | None, seconds: float, runs: int | None, jobs: int | None, seeds: Path | None, folder: Path, seed: int
) -> CampaignSettings:
    from harness.fuzz.engine.worker import CampaignSettings

    return CampaignSettings(engine, seconds, runs, jobs or os.cpu_count() or 1, seed, folder, seeds)


def campaign(*, seconds: float, limit_of: str, seed_of: str = "Seed of the inputs.") -> Option:
    """Options of a campaign, as one `settings`. The parameters make the help texts that differ between commands."""
    time = click.option("--seconds", type=SECONDS, default=seconds, show_default=True, metavar="S", help=limit_of)
    return group("settings", _settings, ENGINE, time, RUNS, JOBS, SEEDS, FOLDER, seed(seed_of))


@fuzz.command()
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
    from harness.fuzz.engine.worker import start_early

    if specs and not names:
        start_early(settings.jobs if len(specs) == 1 else 1)
    from harness.fuzz.engine import report as fuzz_report
    from harness.fuzz.engine.campaign import Campaign
    from reports.history.fuzz_nights import tell

    campaign = Campaign(selected_targets(names, specs), settings)
    try:
        with fuzz_report.progress(quiet=quiet) as report:
            campaign.run(report)
    finally:  # An interrupt, or a failure at the end, does not hide what was found.
        found = campaign.results
        fuzz_report.print_campaign(found, settings.folder, as_json=as_json)
        tell(settings.folder, [finding.id for one in found for finding in one.found])
    sys.exit(fuzz_report.exit_code(found))


@fuzz.command()
@click.argument("place", type=click.Path(path_type=Path), metavar="FILE|FOLDER")
@STRATEGIES
@JSON
def reproduce(place: Path, specs: Sequence[str], as_json: bool) -> None:
    """Try findings again: those in a .jsonl file, or in a folder of them, such as that of -o.

    Findings of a strategy that is not built in need -s with that strategy. Exit code 0: every property holds now.
    1: one still fails in the same way.
    """
    from harness.fuzz.engine.reproduce import reproduce_findings

    sys.exit(reproduce_findings(place, specs, as_json=as_json))


@fuzz.command()
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
    from harness.fuzz.engine.campaign import write_coverage
    from harness.fuzz.inputs import slug

    targets = selected_targets(names, specs)
    for target in targets:
        click.echo(write_coverage(target, folder, html / slug(target.name) if len(targets) > 1 else html))


@fuzz.command()
@click.argument("names", nargs=-1, required=True, metavar="DRILL...")
@click.option("--seconds", type=SECONDS, metavar="S", help="Time limit for each drill. Default: until it is done.")
@click.option("--runs", type=click.IntRange(min=1), metavar="N", help="At most this many trials of each drill.")
@click.option(
    "--repo", "repository", type=click.Path(exists=True, path_type=Path), metavar="PATH",
    help="The git repository for history. Default: that of the current folder.",
)  # fmt: skip
@click.option(
    "-s", "--strategy", "strategies", multiple=True, metavar="NAME",
    help="For oracle a strategy or a glob, for parallel a tool/NAME, cmd:NAME=COMMAND or mcp:NAME=COMMAND; repeatable. "
    "Default: cascades, tiers, readings and rules for stale edits; our own tools.",
)  # fmt: skip
@click.option(
    "--calls", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="How a server's tools are called, for parallel: see docs/fuzzing.md.",
)  # fmt: skip
@seed("Seed of faults, agreement, oracle and parallel.")
@JSON
@QUIET
@click.pass_context
def drill(
    context: click.Context, names: Sequence[str], seconds: float | None, runs: int | None, repository: Path | None,
    strategies: Sequence[str], calls: Path | None, seed: int, as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Run trials that are not single inputs.

    A DRILL is one of these, or all: growth (time over the size of inputs), faults (failing calls to the file system),
    race (links swapped under a workspace), history (the diffs of a git repository),
    agreement (generated diffs, compared with GNU patch and git apply), oracle (drawn edits: was what is written
    meant?), processes (commands that flood, hang or leave daemons),
    parallel (many calls at once on one file and on several, through our
    tools, a program, or a server that its command line starts).
    docs/reliability.md says which promise each of them holds.

    Exit code 0: everything held. 1: something did not hold in at least one trial.
    """
    from harness.fuzz.drills import select_drills
    from harness.fuzz.drills.drill import DrillSettings, run_drills

    drills = select_drills(names)
    for option, setting in (("--repo", "repository"), ("--seed", "seed"), ("-s", "strategies"), ("--calls", "calls")):
        is_given = context.get_parameter_source(setting) is ParameterSource.COMMANDLINE
        if is_given and not any(setting in one.uses for one in drills):
            raise UsageError(f"{option} has no effect on {', '.join(one.name for one in drills)}", "Leave it out.")
    program = context.find_root().command.main
    settings = DrillSettings(seconds, runs, seed, repository, program, tuple(strategies), calls)
    sys.exit(run_drills(drills, settings, as_json=as_json, quiet=quiet))


_MIN_SECONDS = 2.0
"""Least time for each target."""


@fuzz.command()
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
    from harness.fuzz.engine.campaign import Campaign
    from harness.fuzz.engine.nights import next_night, record_night

    folder = settings.folder
    night, targets = next_night(folder)
    share = max(settings.seconds * settings.jobs / len(targets), _MIN_SECONDS)
    campaign = Campaign(targets, replace(settings, seconds=share, seed=settings.seed + night))
    try:
        with fuzz_report.progress(quiet=quiet) as report:
            campaign.run(report)
    finally:
        found = campaign.results
        fuzz_report.print_campaign(found, folder, as_json=as_json)
    record_night(folder, night, found)  # Last: what it records counts as known.
    sys.exit(fuzz_report.exit_code(found))


@click.command()
@RUN
@click.argument("sample_id", metavar="SAMPLE")
@click.option(
    "-s", "--strategy", "spec", metavar="NAME", help="The strategy that edited it wrongly. Default: the first one."
)
@click.option("--seconds", type=SECONDS, default=20.0, show_default=True, metavar="S", help="Time limit.")
@click.option("-o", "--out", type=Output(), metavar="FILE", help="Also write the sample, as JSONL.")
@click.option("--json", "as_json", is_flag=True, help="Print the sample instead of the text case.")
def shrink(run: RunFolder, sample_id: str, spec: str | None, seconds: float, out: Path | None, as_json: bool) -> None:
    """Make a wrong edit of a run as small as possible.

    Verdict, damage and the deciding replacer stay the same. A line is removed from the file, the right answer and the
    edit alike: the right answer stays right.
    """
    from corpora.sample import encode
    from editcore.errors import check_installed
    from harness.commands.runs.show import no_such_sample

    check_installed("hypothesis", extra="fuzz", needed_by="shrinking")
    from harness.fuzz.engine.shrink_sample import shrink_wrong_edit
    from reports.runs.manifest import write_atomically
    from reports.runs.parts import outcomes

    _ = run.manifest  # Raises where there is no run.
    found = [one for one in outcomes(run.folder) if one.sample_id == sample_id]
    if not found:
        raise no_such_sample(run, sample_id)
    small = shrink_wrong_edit(run.folder, found, spec, seconds=seconds)
    if out is not None:
        write_atomically(out, f"{encode(small.sample)}\n".encode())
    click.echo(encode(small.sample) if as_json else small.case, nl=as_json)
    tell(small.summary)
