"""`replies`: what agents did after each kind of reply of their edit tools."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import click

from corpora.importers.importer import Surroundings
from corpora.importers.replies import Reply, distinct, replies_in_log, replies_in_samples
from corpora.load import load
from editcore.errors import UsageError
from harness.commands.corpora.import_ import sessions
from harness.commands.options import JSON, QUIET
from harness.progress import show_progress
from harness.terminal import print_json
from reports.measurements.interval import rate_with_interval
from reports.statistics.corpus_counts import NEXT, ReplyShares, reply_shares
from reports.views.tables import print_rows, row_columns

_BY = {
    "wording": ("agent", "kind", "wording"),
    "kind": ("agent", "kind"),
    "line": ("agent", "kind", "line"),
    "model": ("agent", "model", "kind"),
}
"""Groups by the name of the option `--by`, and the fields of a reply that tell them apart."""


@click.command()
@click.argument("places", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="LOG...")
@click.option(
    "--format", "form", default="auto", show_default=True, metavar="NAME",
    help="The agent whose logs they are: see `editgauge ls importers`. auto recognizes each log by its contents.",
)  # fmt: skip
@click.option(
    "--by", type=click.Choice(list(_BY)), default="kind", show_default=True,
    help="The groups of replies: by kind; by the message's words too; by the lines of the file that the message "
    "shows; or by model.",
)  # fmt: skip
@click.option(
    "-n", "--least", type=click.IntRange(min=1), default=1, show_default=True, help="Leave out smaller groups."
)
@JSON
@QUIET
def replies(places: Sequence[Path], form: str, by: str, least: int, as_json: bool, quiet: bool) -> None:
    """List what agents did after the replies of their edit tools.

    A LOG is the log of an agent's session, a folder of logs, or a corpus of recorded edits (`editgauge mcp --record`).
    A reply is the message of a refused edit, or of an edit that was applied although it did not fit exactly. The
    columns are shares of the replies, with 95 % intervals by session: the next call about the edit made it, failed,
    wrote the whole file, edited it by a shell command, or never came. Samples of a corpus have no session: the next
    call is not recorded unless it was made for the same text.
    """
    found: list[Reply] = []
    with show_progress("logs", quiet=quiet) as report:
        for n, some in enumerate(_replies(places, form)):
            found += some
            report(n + 1, n + 1)
    found = distinct(found)
    if not found:
        raise UsageError("No edit of these logs was refused", "Name other logs, or their format with --format.")
    names = _BY[by]
    rows = [row for row in reply_shares(found, names) if row.n >= least]
    if as_json:
        print_json({"schema_version": 1, "n": len(found), "groups": [row.document(names) for row in rows]})
    else:
        _print(rows, names)


def _replies(places: Sequence[Path], form: str) -> Iterator[list[Reply]]:
    """The replies of each log and of each corpus."""
    first = 0
    for place in places:
        if _is_corpus(place):
            some = list(replies_in_samples(load(place, skip_bad=True), first))
            yield some
            first = max((reply.session for reply in some), default=first) + 1
            continue
        for importer, log in sessions(form, [place]):
            with closing(Surroundings()) as surroundings:
                some = list(replies_in_log(importer.events(log, surroundings), importer.name, first))
            yield some
            first = max((reply.session for reply in some), default=first) + 1


def _is_corpus(place: Path) -> bool:
    """True for a file of samples: Parquet, or JSON Lines that begin as a sample does."""
    if place.suffix == ".parquet":
        return True
    if place.suffix != ".jsonl" or not place.is_file():
        return False
    with place.open("rb") as file:
        return file.read(6) == b'{"id":'


def _print(rows: Sequence[ReplyShares], names: Sequence[str]) -> None:
    shown = [n for n, _ in enumerate(NEXT) if any(row.shares[n].value for row in rows)]
    headings = (*names, "replies", "sessions", "read first", *(NEXT[n].replace("_", " ") for n in shown))
    cells = [
        (*row.group, row.n, row.n_sessions, row.n_looked, *(rate_with_interval(row.shares[n]) for n in shown))
        for row in rows
    ]
    print_rows(cells, row_columns(headings, cells), file=sys.stdout)
    click.echo(f"{sum(row.n for row in rows):,} replies")
