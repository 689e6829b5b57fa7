"""`run`: score strategies on corpora."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import click

from editcore.errors import UsageError
from harness.commands.options import JSON, QUIET, REQUEST, WIDE
from harness.commands.runs.show import outcomes_document, print_outcomes
from harness.commands.runs.summary import exit_if_nothing_was_measured, note_if_severities_are_unknown, print_run
from harness.progress import show_progress
from harness.run.plan import Request, Shard
from harness.run.pool import WENT_WRONG
from harness.run.runner import WentWrong
from harness.run.runner import run as run_all
from harness.terminal import print_json, tell, warn
from reports.runs.remote import mirror
from reports.runs.run_folder import RunFolder, chosen, ids_with


@click.command()
@REQUEST
@click.option(
    "-o", "--out", metavar="DIR", help="Run folder to write, or a URL (see fsspec). Default: runs/<time>-<hash>."
)
@click.option("--resume", is_flag=True, help="Resume the run in -o.")
@click.option("--replace", is_flag=True, help="Delete the run in -o first; -o may hold nothing else.")
@click.option("--skip-bad", is_flag=True, help="Leave out malformed samples and count them, instead of stopping.")
@click.option(
    "--last-wrong", "before", type=click.Path(path_type=Path), metavar="RUN",
    help="Only the samples on which one of these strategies was wrong, crashed or timed out in RUN.",
)  # fmt: skip
@click.option("-x", "--stop", is_flag=True, help="Stop at the first wrong edit, crash or time-out: --maxfail 1.")
@click.option(
    "--maxfail", type=click.IntRange(min=1), metavar="N",
    help="Stop after N of them, list them, and exit with 1; with -j 1 they are the first ones of the corpus.",
)  # fmt: skip
@WIDE
@JSON
@click.option("--shard", metavar="I/N", help="Run the I-th of N shares of the samples; `editgauge merge` joins them.")
@click.option("--scheduler", metavar="ADDRESS", help="Run on a dask cluster: tcp://HOST:PORT.")
@QUIET
def run(
    request: Request, out: str | None, resume: bool, replace: bool, skip_bad: bool, before: Path | None, stop: bool,
    maxfail: int | None, wide: bool, as_json: bool, shard: str | None, scheduler: str | None, quiet: bool,
) -> None:  # fmt: skip
    """Score strategies on corpora.

    A CORPUS is a name (see `editgauge ls corpora`), a .jsonl or .parquet file, a folder of them, or hub:OWNER/NAME.
    Default: house. The outcomes do not depend on -j or on interruptions. The exit code is 1 if nothing was measured: no
    sample was run, or every call crashed or timed out.
    """
    if out is None and (resume or replace):
        raise UsageError(f"--{'resume' if resume else 'replace'} needs the run folder", "Name it with -o DIR.")
    if resume and replace:
        raise UsageError("--resume and --replace exclude each other", "Leave one of them out.")
    if request.n_workers and scheduler:
        raise UsageError("-j and --scheduler exclude each other", "Leave out -j: the cluster sets the number.")
    max_failed = 1 if stop else maxfail
    if max_failed and scheduler:
        raise UsageError("--maxfail and --scheduler exclude each other", "A cluster runs all it is given.")
    with mirror(out) as (local, remote):
        asked = dataclasses.replace(
            request, folder=local, skip_bad=skip_bad, resume=resume, replace=replace,
            shard=Shard.parse(shard) if shard else None, scheduler=scheduler, remote=remote, max_failed=max_failed,
            **(_wrong_before(request, before) if before else {}),
        )  # fmt: skip
        try:
            with show_progress(quiet=quiet) as report:
                folder = run_all(asked, report=report, warn=warn)
        except WentWrong as stopped:
            _print_wrong(stopped.folder, out, max_failed or 1, as_json=as_json)
            sys.exit(1)
        finished = RunFolder(folder)
        print_run(finished, place=out or folder, as_json=as_json, wide=wide)
        if not scheduler:
            note_if_severities_are_unknown(finished)
        if not shard:  # A share says nothing about the run: it may be a single sample, or none.
            exit_if_nothing_was_measured(finished)


def _wrong_before(request: Request, before: Path) -> dict[str, Any]:
    """The request's changes for `--last-wrong`: the samples that went wrong in that run, by default of its corpora."""
    names = [one.name for one in request.strategies]
    run = RunFolder(before)
    ids = ids_with(run, WENT_WRONG, names)
    if not ids:
        raise UsageError(
            f"In {before}, nothing went wrong under these strategies", "Leave --last-wrong out, or name others with -s."
        )
    corpora = request.corpora
    if not click.get_current_context().params["corpora"]:
        corpora = [one.name for one in run.manifest.corpora]
    return {"selection": dataclasses.replace(request.selection, ids=ids), "corpora": corpora}


def _print_wrong(folder: Path, out: str | None, n: int, *, as_json: bool) -> None:
    """Print the outcomes at which the run stopped."""
    run = RunFolder(folder)
    found = chosen(run, WENT_WRONG, run.strategies, ids=None, limit=n)
    if as_json:
        print_json(outcomes_document(found))
    else:
        print_outcomes(run, found)
    tell(f"stopped, unfinished, after {found.n:,}: {out or str(folder)}; --resume -o there runs the rest")
