"""`fuzz drill`: trials that are not single inputs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click
from click.core import ParameterSource

from editcore.errors import UsageError
from harness.commands.options import JSON, QUIET, SECONDS, seed


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="DRILL...")
@click.option(
    "--seconds", type=SECONDS, metavar="S",
    help="Time limit for each drill. Default: until it is done.",
)  # fmt: skip
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
    context: click.Context,
    names: Sequence[str],
    seconds: float | None,
    runs: int | None,
    repository: Path | None,
    strategies: Sequence[str],
    calls: Path | None,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Run trials that are not single inputs.

    A DRILL is one of these, or all: growth (time over the size of inputs), faults (failing calls to the file system),
    strace (failing system calls), race (links swapped under a workspace), history (the diffs of a git repository),
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
