"""`fuzz bench`: how long the engines take to find planted bugs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from harness.commands.fuzzing.options import ENGINE, SEEDS, campaign_settings
from harness.commands.options import JOBS, JSON, QUIET, SECONDS, seed


@click.command()
@click.argument("names", nargs=-1, metavar="[BUG]...")
@ENGINE
@click.option(
    "--seconds", type=SECONDS, default=60.0, show_default=True, metavar="S",
    help="CPU time limit for each trial.",
)  # fmt: skip
@click.option(
    "--trials", type=click.IntRange(min=1), default=10, show_default=True, metavar="N",
    help="Trials for each bug; engines that are only compared with get at most three.",
)  # fmt: skip
@JOBS
@SEEDS
@seed("Seed of the inputs of the first trial.")
@JSON
@QUIET
def bench(
    names: Sequence[str],
    engine: str | None,
    seconds: float,
    trials: int,
    jobs: int | None,
    seeds: Path | None,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Measure how long engines take to find planted bugs.

    A BUG is a name or a glob of a bug, of a fuzz target, or of an area. Default: all bugs. With --engine, only that
    engine is measured. Exit code 0: every bug was found in every trial. 1: one was missed.
    """
    from harness.fuzz.finder_bench.finder_bench import print_bench

    settings = campaign_settings(engine=engine, seconds=seconds, jobs=jobs, seed=seed, seeds=seeds)
    sys.exit(print_bench(settings, names, trials, has_engine=engine is not None, as_json=as_json, quiet=quiet))
