"""The command that makes one run of the shards of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click

from editcore.errors import UsageError
from harness.commands.options import JSON


@click.command()
@click.argument("places", nargs=-1, required=True, metavar="RUN...")
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True, metavar="DIR", help="The run folder.")
@click.option("--partial", is_flag=True, help="Make do with the shards there are.")
@JSON
def merge(places: Sequence[str], out: Path, partial: bool, as_json: bool) -> None:
    """Make one run of its shards.

    A RUN is a folder, or a URL, that `editgauge run --shard I/N -o RUN` filled. But for times and machine, the result
    is what `editgauge run` without --shard leaves, to the byte. A single RUN at a URL is fetched.
    """
    from harness.commands.runs.summary import print_run
    from reports.runs.merge import merge as merge_runs

    with ExitStack() as stack:
        merge_runs({place: stack.enter_context(_fetched(place)) for place in places}, out, partial=partial)
    print_run(out, place=out, as_json=as_json)


@contextmanager
def _fetched(place: str) -> Iterator[Path]:
    """The folder of a run; for as long as the block lasts, where the run is at a URL."""
    from reports.runs.remote import MANIFEST, mirror

    with mirror(place) as (folder, remote):
        assert folder
        if remote:
            remote.pull(folder)
            if not (folder / MANIFEST).exists():
                raise UsageError(f"{place} is not a run folder: it has no {MANIFEST}", "Is the address right?")
        yield folder
