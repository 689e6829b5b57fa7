"""`fuzz`: look for inputs on which a promised property does not hold."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from editcore.errors import UsageError
from harness.commands.options import JOBS, JSON, QUIET, seed
from harness.terminal import pipe_may_close

if TYPE_CHECKING:
    from harness.fuzz.engine.campaign import Plan
    from harness.fuzz.engine.target import Target


_FOLDER = "fuzz"


@click.command()
@click.argument("names", nargs=-1, metavar="[TARGET]...")
@click.option(
    "--engine", type=click.Choice(["atheris", "hypothesis", "bytes"]),
    help="Who makes the inputs. Default: atheris if installed, else hypothesis; bytes is atheris on plain bytes.",
)  # fmt: skip
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), metavar="S",
    help="Time for each target. Default: 60; of drills: until they are done.",
)  # fmt: skip
@click.option("--runs", type=click.IntRange(min=1), metavar="N", help="Inputs for each target, at most.")
@JOBS
@click.option("--seeds", type=click.Path(exists=True, path_type=Path), metavar="DIR", help="More inputs to begin with.")
@click.option(
    "-s", "--strategy", "specs", multiple=True, metavar="NAME",
    help="A strategy, or cmd:NAME=COMMAND, as the target; with differential, name two.",
)  # fmt: skip
@click.option(
    "-o", "--out", "folder", type=click.Path(path_type=Path, file_okay=False), default=_FOLDER, show_default=True,
    metavar="DIR", help="Gets corpus/ and findings/; what lies there is gone on with.",
)  # fmt: skip
@seed("Seed of the inputs.")
@click.option("--reproduce", type=click.Path(path_type=Path), metavar="FILE", help="Try the findings in a file again.")
@click.option("--merge", is_flag=True, help="Keep of the corpus in -o the few inputs that reach all it reaches.")
@click.option(
    "--coverage-html", "html", type=click.Path(path_type=Path), metavar="DIR", help="Write what the corpus covers."
)
@click.option("--nightly", "is_nightly", is_flag=True, help="Share --seconds among all targets, and tell what is new.")
@click.option("--bench", "is_bench", is_flag=True, help="Plant bugs, and time how long each engine takes to find them.")
@click.option("--trials", type=click.IntRange(min=1), default=10, show_default=True, metavar="N", help="For --bench.")
@click.option(
    "--repo", type=click.Path(exists=True, path_type=Path), metavar="PATH", help="For history. Default: here."
)
@JSON
@QUIET
def fuzz(
    names: Sequence[str],
    engine: str | None,
    seconds: float | None,
    runs: int | None,
    jobs: int | None,
    seeds: Path | None,
    specs: Sequence[str],
    folder: Path,
    seed: int,
    reproduce: Path | None,
    merge: bool,
    html: Path | None,
    is_nightly: bool,
    is_bench: bool,
    trials: int,
    repo: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Look for inputs on which something that should hold does not.

    A TARGET is a name or a glob of `editgauge ls targets`: a strategy, held to the properties it promises; a parser;
    tool calls on a real workspace; differential, two strategies or our readings against GNU patch and git apply.
    growth, faults, strace, race, history and jury are drills: trials of their own.

    Exit code 0 where nothing new was found, 1 where something was: it lies in findings/, as small as it could be made,
    as a sample and as a text case.
    """
    from harness.fuzz.drills import DRILLS
    from harness.fuzz.engine import report as fuzz_report
    from harness.fuzz.engine.campaign import Plan
    from harness.fuzz.engine.campaign import fuzz as run_all

    if reproduce is not None:
        sys.exit(fuzz_report.reproduced(reproduce, specs, as_json=as_json))
    plan = Plan(engine, seconds or 60.0, runs, jobs or os.cpu_count() or 1, seed, folder, seeds)
    if is_bench:
        sys.exit(_bench(plan, names, trials, has_engine=engine is not None, as_json=as_json, quiet=quiet))
    if is_nightly:
        sys.exit(_nightly(plan, seconds or 600.0, as_json=as_json, quiet=quiet))
    drills = [name for name in names if name in DRILLS]
    if drills:
        _refuse_mixture(names, drills)
        sys.exit(
            fuzz_report.drilled(
                [DRILLS[name] for name in drills], seconds, runs, seed, repo, as_json=as_json, quiet=quiet
            )
        )
    targets = _targets(names, specs)
    if merge:
        sys.exit(fuzz_report.merged(targets, folder))
    if html is not None:
        sys.exit(fuzz_report.covered(targets, folder, html))
    with fuzz_report.progress(quiet=quiet) as report:
        found = run_all(targets, plan, report)
    with pipe_may_close():
        fuzz_report.print_campaign(found, folder, as_json=as_json)
    sys.exit(fuzz_report.exit_code(found))


def _targets(names: Sequence[str], specs: Sequence[str]) -> Sequence[Target]:
    from harness.fuzz.targets import rival_targets, select_targets, targets_of

    if specs:
        if list(names) == ["differential"]:
            return rival_targets(specs)
        if names:
            raise UsageError("A TARGET and -s exclude each other", "Only `differential` takes strategies.")
        return [target for spec in specs for target in targets_of(spec)]
    if not names:
        raise UsageError("Nothing to fuzz is named", "Name targets, see `editgauge ls targets`; '*' is all of them.")
    return select_targets(names)


def _refuse_mixture(names: Sequence[str], drills: Sequence[str]) -> None:
    if len(drills) < len(names):
        other = next(name for name in names if name not in drills)
        raise UsageError(f"{drills[0]} is a drill, {other} is not", "Give them a command each.")


def _bench(plan: Plan, names: Sequence[str], trials: int, *, has_engine: bool, as_json: bool, quiet: bool) -> int:
    from harness.fuzz.finder_bench.finder_bench import print_bench

    code: int = print_bench(plan, names, trials, has_engine=has_engine, as_json=as_json, quiet=quiet)
    return code


def _nightly(plan: Plan, seconds: float, *, as_json: bool, quiet: bool) -> int:
    from dataclasses import replace

    from harness.fuzz.engine import report as fuzz_report
    from harness.fuzz.engine.campaign import fuzz as run_all
    from harness.fuzz.engine.nights import keep_night, tonight

    chosen = tonight(plan.folder)
    share = max(seconds * plan.jobs / len(chosen.targets), 2.0)
    with fuzz_report.progress(quiet=quiet) as report:
        found = run_all(chosen.targets, replace(plan, seconds=share, seed=plan.seed + chosen.number), report)
    keep_night(plan.folder, chosen, found)
    with pipe_may_close():
        fuzz_report.print_campaign(found, plan.folder, as_json=as_json)
    return fuzz_report.exit_code(found)
