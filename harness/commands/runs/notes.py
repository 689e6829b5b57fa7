"""`notes`: what readers say of the samples of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.commands.options import JSON
from harness.terminal import pipe_may_close, print_json

if TYPE_CHECKING:
    from reports.runs.reviews import Review


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.argument("sample_id", metavar="[SAMPLE]", required=False)
@click.option("--reviewed/--open", "is_reviewed", default=None, help="Mark SAMPLE as looked at, or take that back.")
@click.option("-m", "--message", metavar="TEXT", help="Note on SAMPLE, in place of an older one; '' removes it.")
@JSON
def notes(folder: Path, sample_id: str | None, is_reviewed: bool | None, message: str | None, as_json: bool) -> None:
    """Show or write notes on samples, and which were reviewed.

    It is kept beside the run, in RUN.notes.jsonl, or in HISTORY/notes.jsonl for a night of a history: the pages of
    later runs and nights show it with the sample of that id.
    """
    from reports.runs.manifest import read_manifest
    from reports.runs.reviews import Review, read_reviews, write_review
    from reports.runs.sample_rows import sample_record

    read_manifest(folder)
    known = read_reviews(folder)
    if sample_id is None:
        if is_reviewed is not None or message is not None:
            raise UsageError("No sample is named", "Name one: editgauge notes RUN SAMPLE --reviewed")
        _show(list(known.values()), as_json)
        return
    old = known.get(sample_id)
    if is_reviewed is None and message is None:
        _show([old] if old else [], as_json)
        return
    if old is None and not sample_record(folder, sample_id).outcomes:
        from harness.commands.runs.sample_details import no_such_sample

        raise no_such_sample(folder, sample_id)
    review = Review(
        sample_id,
        is_reviewed if is_reviewed is not None else bool(old and old.is_reviewed),
        message if message is not None else old.note if old else "",
        datetime.now(UTC).isoformat(timespec="seconds"),
    )
    path = write_review(folder, review)
    click.echo(f"note: {printable(str(path))}", err=True)


def _show(reviews: Sequence[Review], as_json: bool) -> None:
    if as_json:
        print_json([asdict(one) for one in reviews])
        return
    with pipe_may_close():
        for one in reviews:
            state = "reviewed" if one.is_reviewed else "open"
            click.echo(printable(f"{one.sample_id}  {state}  {one.written[:10]}  {one.note}".rstrip()))
        if not reviews:
            click.echo("There are no notes: editgauge notes RUN SAMPLE --reviewed -m TEXT writes one.", err=True)
