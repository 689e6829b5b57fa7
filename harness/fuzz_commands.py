"""The commands of those who fuzz: fuzz and shrink."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from editcore.errors import UsageError
from harness.terminal import pipe_may_close, printable

if TYPE_CHECKING:
    from harness.fuzz.campaign import Plan
    from harness.fuzz.target import Target

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
@click.option("-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Worker processes. Default: one a core.")
@click.option("--seeds", type=click.Path(exists=True, path_type=Path), metavar="DIR", help="More inputs to begin with.")
@click.option(
    "-s", "--strategy", "specs", multiple=True, metavar="NAME",
    help="A strategy, or cmd:NAME=COMMAND, as the target; with differential, name two.",
)  # fmt: skip
@click.option(
    "-o", "--out", "folder", type=click.Path(path_type=Path, file_okay=False), default=_FOLDER, show_default=True,
    metavar="DIR", help="Gets corpus/ and findings/; what lies there is gone on with.",
)  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Other seeds make other inputs.")
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
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of the table.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
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
    from harness.fuzz import telling
    from harness.fuzz.campaign import Plan
    from harness.fuzz.campaign import fuzz as run_all
    from harness.fuzz.drills import DRILLS

    if reproduce is not None:
        sys.exit(telling.reproduced(reproduce, specs, as_json=as_json))
    plan = Plan(engine, seconds or 60.0, runs, jobs or os.cpu_count() or 1, seed, folder, seeds)
    if is_bench:
        sys.exit(_bench(plan, names, trials, has_engine=engine is not None, as_json=as_json, quiet=quiet))
    if is_nightly:
        sys.exit(_nightly(plan, seconds or 600.0, as_json=as_json, quiet=quiet))
    drills = [name for name in names if name in DRILLS]
    if drills:
        _refuse_mixture(names, drills)
        sys.exit(
            telling.drilled([DRILLS[name] for name in drills], seconds, runs, seed, repo, as_json=as_json, quiet=quiet)
        )
    targets = _targets(names, specs)
    if merge:
        sys.exit(telling.merged(targets, folder))
    if html is not None:
        sys.exit(telling.covered(targets, folder, html))
    with telling.progress(quiet=quiet) as report:
        found = run_all(targets, plan, report)
    with pipe_may_close():
        telling.print_campaign(found, folder, as_json=as_json)
    sys.exit(telling.exit_code(found))


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
    from harness.fuzz.bench import print_bench

    code: int = print_bench(plan, names, trials, has_engine=has_engine, as_json=as_json, quiet=quiet)
    return code


def _nightly(plan: Plan, seconds: float, *, as_json: bool, quiet: bool) -> int:
    from dataclasses import replace

    from harness.fuzz import telling
    from harness.fuzz.campaign import fuzz as run_all
    from harness.fuzz.nights import keep_night, tonight

    chosen = tonight(plan.folder)
    share = max(seconds * plan.jobs / len(chosen.targets), 2.0)
    with telling.progress(quiet=quiet) as report:
        found = run_all(chosen.targets, replace(plan, seconds=share, seed=plan.seed + chosen.number), report)
    keep_night(plan.folder, chosen, found)
    with pipe_may_close():
        telling.print_campaign(found, plan.folder, as_json=as_json)
    return telling.exit_code(found)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.argument("sample_id", metavar="SAMPLE")
@click.option(
    "-s", "--strategy", "spec", metavar="NAME", help="Whose wrong edit. Default: the first that did it wrongly."
)
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), default=20.0, show_default=True, metavar="S",
    help="Time for it.",
)  # fmt: skip
@click.option("-o", "--out", type=click.Path(path_type=Path), metavar="FILE", help="Write the sample there, as JSONL.")
@click.option("--json", "as_json", is_flag=True, help="Print the sample instead of the text case.")
def shrink(folder: Path, sample_id: str, spec: str | None, seconds: float, out: Path | None, as_json: bool) -> None:
    """Make a wrong edit of a run as small as it can be.

    Verdict, damage and the replacer that decided stay what they are. A line that is left out is left out of the file,
    the right answer and what the model wrote alike, so that the right answer stays the right one.
    """
    from corpora.sample import encode
    from harness.fuzz.wrong import shrunk_wrong_edit

    small = shrunk_wrong_edit(folder, sample_id, spec, seconds=seconds)
    if out is not None:
        out.write_text(encode(small.sample) + "\n", encoding="ascii")
    click.echo(encode(small.sample) if as_json else small.case, nl=as_json)
    click.echo(printable(small.told), err=True)
