"""Options that several commands of `fuzz` share, and the settings of a campaign that they make."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from editcore.errors import UsageError
from harness.commands.options import JOBS, SECONDS, Option, Output, group, seed

if TYPE_CHECKING:
    from harness.fuzz.engine.campaign import CampaignSettings
    from harness.fuzz.target import Target

TARGETS = click.argument("names", nargs=-1, metavar="[TARGET]...")
ENGINE = click.option(
    "--engine", type=click.Choice(["atheris", "hypothesis", "bytes"]),
    help="What makes the inputs; bytes is atheris on plain bytes. Default: atheris if installed, else hypothesis.",
)  # fmt: skip
RUNS = click.option("--runs", type=click.IntRange(min=1), metavar="N", help="At most this many inputs for each target.")
SEEDS = click.option(
    "--seeds", type=click.Path(exists=True, path_type=Path), metavar="DIR",
    help="A folder of more inputs to start from.",
)  # fmt: skip
STRATEGIES = click.option(
    "-s", "--strategy", "specs", multiple=True, metavar="NAME",
    help="A strategy, or cmd:NAME=COMMAND, as the target; for differential, name two.",
)  # fmt: skip
FOLDER = click.option(
    "-o", "--out", "folder", type=Output(file_okay=False), default="fuzz", show_default=True,
    metavar="DIR", help="The folder of corpus/ and findings/; what it holds is continued.",
)  # fmt: skip


def selected_targets(names: Sequence[str], specs: Sequence[str]) -> Sequence[Target]:
    """The targets that names and globs, or strategies, stand for. Raises UsageError."""
    from harness.fuzz.drills import DRILLS, RENAMED
    from harness.fuzz.targets import differential_targets, select_targets, strategy_targets

    for name in names:
        if (drill := RENAMED.get(name, name)) in DRILLS:
            raise UsageError(f"{name} is a drill, not a fuzz target", f"Run `editgauge fuzz drill {drill}`.")
    if specs:
        if list(names) == ["differential"]:
            return differential_targets(specs)
        if names:
            raise UsageError("A TARGET and -s exclude each other", "Only `differential` takes strategies.")
        return [target for spec in specs for target in strategy_targets(spec)]
    if not names:
        raise UsageError("No fuzz target is named", "Name targets, see `editgauge ls targets`; '*' is all of them.")
    commands = click.get_current_context().parent
    assert commands is not None
    assert isinstance(commands.command, click.Group)
    return select_targets(names, similar=(*commands.command.commands, *DRILLS))


def _settings(
    engine: str | None, seconds: float, runs: int | None, jobs: int | None, seeds: Path | None, folder: Path, seed: int
) -> CampaignSettings:
    from harness.fuzz.engine.campaign import CampaignSettings

    return CampaignSettings(engine, seconds, runs, jobs or os.cpu_count() or 1, seed, folder, seeds)


def campaign(*, seconds: float, limit_of: str, seed_of: str = "Seed of the inputs.") -> Option:
    """The options that say how to fuzz, as one `settings`; their texts say of what the time and the seed are."""
    time = click.option("--seconds", type=SECONDS, default=seconds, show_default=True, metavar="S", help=limit_of)
    return group("settings", _settings, ENGINE, time, RUNS, JOBS, SEEDS, FOLDER, seed(seed_of))
