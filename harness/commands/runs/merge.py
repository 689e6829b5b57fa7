"""`merge`: join the shards of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click

from editcore.errors import UsageError
from harness.commands.options import JSON, Output


@click.command()
@click.argument("places", nargs=-1, required=True, metavar="RUN...")
@click.option("-o", "--out", type=Output(), required=True, metavar="DIR", help="Run folder to write.")
@click.option("--partial", is_flag=True, help="Merge although shards are missing; the result is an unfinished run.")
@JSON
def merge(places: Sequence[str], out: Path, partial: bool, as_json: bool) -> None:
    """Merge the shards of a run into one run folder.

    A RUN is a folder or URL that `editgauge run --shard I/N -o RUN` wrote. Except for times and machine, the result
    equals the run without --shard byte for byte. A single RUN at a URL is downloaded.
    """
    from harness.commands.runs.summary import exit_if_nothing_was_measured, print_run
    from reports.runs.merge import merge as merge_runs

    with ExitStack() as stack:
        merge_runs({place: stack.enter_context(_fetched(place)) for place in places}, out, partial=partial)
    print_run(out, place=out, as_json=as_json)
    if not partial:
        exit_if_nothing_was_measured(out)


@contextmanager
def _fetched(place: str) -> Iterator[Path]:
    """The folder of a run; for a URL, a temporary folder with the downloaded run."""
    from reports.runs.manifest import MANIFEST
    from reports.runs.remote import mirror

    with mirror(place) as (folder, remote):
        assert folder
        if remote:
            remote.pull(folder)
            if not (folder / MANIFEST).exists():
                raise UsageError(f"{place} is not a run folder: it has no {MANIFEST}", "Check the address.")
        yield folder
