"""`run`: score strategies on corpora."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.commands.options import JOBS, JSON, LIMIT, MATCHING, QUIET, STRATEGIES, TIMEOUT, seed
from harness.progress import show_progress


@click.command()
@click.argument("corpora", nargs=-1, metavar="[CORPUS]...")
@STRATEGIES
@JOBS
@LIMIT
@MATCHING
@seed("Seed of the samples drawn by -n.")
@TIMEOUT
@click.option(
    "-o",
    "--out",
    metavar="DIR",
    help="Run folder to write, or a URL (see fsspec). Default: runs/<time>-<hash>.",
)
@click.option("--resume", is_flag=True, help="Resume the run in -o.")
@click.option("--replace", is_flag=True, help="Delete the run in -o first; -o may hold nothing else.")
@click.option("--skip-bad", is_flag=True, help="Leave out malformed samples and count them, instead of stopping.")
@JSON
@click.option("--shard", metavar="I/N", help="Run the I-th of N shares of the samples; `editgauge merge` joins them.")
@click.option("--scheduler", metavar="ADDRESS", help="Run on a dask cluster: tcp://HOST:PORT.")
@QUIET
def run(
    corpora: Sequence[str],
    patterns: Sequence[str],
    jobs: int | None,
    limit: int | None,
    matching: str | None,
    seed: int,
    timeout: float,
    out: str | None,
    resume: bool,
    replace: bool,
    skip_bad: bool,
    as_json: bool,
    shard: str | None,
    scheduler: str | None,
    quiet: bool,
) -> None:
    """Score strategies on corpora.

    A CORPUS is a name (see `editgauge ls corpora`), a .jsonl or .parquet file, a folder of them, or hub:OWNER/NAME.
    Default: house, under every strategy. The outcomes do not depend on -j or on interruptions. The exit code is 1 if
    nothing was measured: no sample was run, or every call crashed.
    """
    from corpora import load
    from harness.commands.runs.summary import exit_if_nothing_was_measured, print_run
    from harness.fuzz.engine.known import safety
    from harness.run.runner import Request
    from harness.run.runner import run as run_all
    from harness.run.selection import Selection, Shard
    from harness.run.syntax.severity import why_unknown
    from harness.strategies.registry import select
    from reports.runs.remote import mirror

    if out is None and (resume or replace):
        raise UsageError(f"--{'resume' if resume else 'replace'} needs the run folder", "Name it with -o DIR.")
    if resume and replace:
        raise UsageError("--resume and --replace exclude each other", "Leave one of them out.")
    if jobs and scheduler:
        raise UsageError("-j and --scheduler exclude each other", "Leave out -j: the cluster sets the number.")
    with mirror(out) as (local, remote):
        request = Request(
            corpora or [load.DEFAULT],
            select(patterns),
            local,
            Selection(matching, limit, seed),
            jobs,
            timeout,
            skip_bad,
            resume,
            replace,
            sys.argv[1:],
            Shard.parse(shard) if shard else None,
            scheduler,
            remote,
            known_breaks=safety,
        )
        with show_progress(quiet=quiet) as report:
            folder = run_all(
                request, report=report, warn=lambda line: click.echo(f"warning: {printable(line)}", err=True)
            )
        print_run(folder, place=out or folder, as_json=as_json)
        if (why := why_unknown()) and not scheduler:
            click.echo(why, err=True)
        if not shard:  # A share says nothing about the run: it may be a single sample, or none.
            exit_if_nothing_was_measured(folder)
