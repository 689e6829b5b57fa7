"""`run`: score strategies on corpora."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click

from editcore.errors import UsageError
from harness.commands.options import JSON, QUIET, REQUEST
from harness.progress import show_progress
from harness.terminal import warn

if TYPE_CHECKING:
    from harness.run.runner import Request


@click.command()
@REQUEST
@click.option(
    "-o", "--out", metavar="DIR", help="Run folder to write, or a URL (see fsspec). Default: runs/<time>-<hash>."
)
@click.option("--resume", is_flag=True, help="Resume the run in -o.")
@click.option("--replace", is_flag=True, help="Delete the run in -o first; -o may hold nothing else.")
@click.option("--skip-bad", is_flag=True, help="Leave out malformed samples and count them, instead of stopping.")
@JSON
@click.option("--shard", metavar="I/N", help="Run the I-th of N shares of the samples; `editgauge merge` joins them.")
@click.option("--scheduler", metavar="ADDRESS", help="Run on a dask cluster: tcp://HOST:PORT.")
@QUIET
def run(
    request: Request, out: str | None, resume: bool, replace: bool, skip_bad: bool, as_json: bool, shard: str | None,
    scheduler: str | None, quiet: bool,
) -> None:  # fmt: skip
    """Score strategies on corpora.

    A CORPUS is a name (see `editgauge ls corpora`), a .jsonl or .parquet file, a folder of them, or hub:OWNER/NAME.
    Default: house, under every strategy. The outcomes do not depend on -j or on interruptions. The exit code is 1 if
    nothing was measured: no sample was run, or every call crashed or timed out.
    """
    from harness.commands.runs.summary import exit_if_nothing_was_measured, print_run
    from harness.run.runner import run as run_all
    from harness.run.selection import Shard
    from harness.run.syntax.severity import why_unknown
    from reports.runs.remote import mirror

    if out is None and (resume or replace):
        raise UsageError(f"--{'resume' if resume else 'replace'} needs the run folder", "Name it with -o DIR.")
    if resume and replace:
        raise UsageError("--resume and --replace exclude each other", "Leave one of them out.")
    if request.n_jobs and scheduler:
        raise UsageError("-j and --scheduler exclude each other", "Leave out -j: the cluster sets the number.")
    with mirror(out) as (local, remote):
        asked = dataclasses.replace(
            request, folder=local, skip_bad=skip_bad, resume=resume, replace=replace,
            shard=Shard.parse(shard) if shard else None, scheduler=scheduler, remote=remote,
        )  # fmt: skip
        with show_progress(quiet=quiet) as report:
            folder = run_all(asked, report=report, warn=warn)
        print_run(folder, place=out or folder, as_json=as_json)
        if (why := why_unknown()) and not scheduler:
            click.echo(why, err=True)
        if not shard:  # A share says nothing about the run: it may be a single sample, or none.
            exit_if_nothing_was_measured(folder)
