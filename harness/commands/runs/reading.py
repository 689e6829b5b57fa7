"""Small commands that read runs: `table`, `notes`, `sql`, `merge` and `serve`."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click
import msgspec

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.commands.options import JSON, RUN, STRATEGIES, WIDE, Output
from harness.commands.runs.summary import exit_if_nothing_was_measured, note_if_unfinished, page_progress, print_run
from harness.strategies.registry import matching_names
from harness.terminal import print_answer, print_json, tell
from reports.compare.costs import advised
from reports.history.nights import History, is_history
from reports.runs.manifest import MANIFEST
from reports.runs.merge import merge as merge_runs
from reports.runs.remote import mirror
from reports.runs.run_folder import Review, RunFolder, read_reviews, sample_record, write_review
from reports.runs.sql import query
from reports.statistics.breakdown import breakdown
from reports.views import tables
from reports.views.tables import print_rows, row_columns


@click.command()
@RUN
@click.option("--by", "key", metavar="KEY", help="Property: mutator, agent, model, repo, or the key of a tag.")
@click.option("--min-n", type=click.IntRange(min=1), metavar="N", help="With --by: leave out groups of fewer samples.")
@click.option("--wrong", is_flag=True, help="Instead: wrong edits by severity, and match rates by three comparisons.")
@STRATEGIES
@WIDE
@JSON
def table(
    run: RunFolder, key: str | None, min_n: int | None, wrong: bool, patterns: Sequence[str], wide: bool, as_json: bool
) -> None:
    """Print a run's rates, also by group, or its wrong edits by severity.

    Alone, prints the table that the run printed. With --by, the table has a row for each value of the property
    (mutator, language, drift, model, ...) and a column for each strategy. With --wrong, it has a row for each
    strategy: how many wrong edits have the syntax tree of the right answer, another one, are broken, or unknown;
    the lines that they lose; and the match rate where equal means byte for byte, as text (but for whitespace at
    line ends and final line feeds), and by tree.
    """
    if key is not None and wrong:
        raise UsageError("--by and --wrong exclude each other", "Leave one of them out.")
    if key is None and min_n:
        raise UsageError("--min-n goes with --by alone", "Leave it out: it is for groups.")
    note_if_unfinished(run)
    chosen = matching_names(run.strategies, patterns)
    if key is not None:
        found = breakdown(run, key, strategies=chosen, min_n=min_n or 1)
        document, text = partial(tables.breakdown_document, found), partial(tables.print_breakdown, found)
    else:
        rows, advice = advised(run, chosen)
        document, text = (
            partial(tables.summary_document, rows, run.manifest, advice=advice),
            partial(tables.print_summary, rows, wide=wide),
        )
        if wrong:
            document, text = partial(tables.wrong_edits_document, rows), partial(tables.print_wrong_edits, rows)
    print_answer(document, text, as_json=as_json)


@click.command()
@RUN
@click.argument("sample_id", metavar="[SAMPLE]", required=False)
@click.option("--reviewed/--open", "is_reviewed", default=None, help="Mark SAMPLE as looked at, or take that back.")
@click.option("-m", "--message", metavar="TEXT", help="Note on SAMPLE, in place of an older one; '' removes it.")
@JSON
def notes(run: RunFolder, sample_id: str | None, is_reviewed: bool | None, message: str | None, as_json: bool) -> None:
    """Show or write notes on samples, and which were reviewed.

    It is kept beside the run, in RUN.notes.jsonl, or in HISTORY/notes.jsonl for a night of a history: the pages of
    later runs and nights show it with the sample of that id.
    """
    _ = run.manifest  # Raises where there is no run.
    known = read_reviews(run.folder)
    if sample_id is None:
        if is_reviewed is not None or message is not None:
            raise UsageError("No sample is named", "Name one: editgauge notes RUN SAMPLE --reviewed")
        _show(list(known.values()), as_json)
        return
    old = known.get(sample_id)
    if is_reviewed is None and message is None:
        _show([old] if old else [], as_json)
        return
    if old is None and not sample_record(run, sample_id).outcomes:
        from harness.commands.runs.show import no_such_sample

        raise no_such_sample(run, sample_id)
    review = Review(
        sample_id,
        is_reviewed if is_reviewed is not None else bool(old and old.is_reviewed),
        message if message is not None else old.note if old else "",
        datetime.now(UTC).isoformat(timespec="seconds"),
    )
    path = write_review(run.folder, review)
    tell(f"note: {path}")


def _show(reviews: Sequence[Review], as_json: bool) -> None:
    if as_json:
        print_json([asdict(one) for one in reviews])
        return
    for one in reviews:
        state = "reviewed" if one.is_reviewed else "open"
        click.echo(printable(f"{one.sample_id}  {state}  {one.written[:10]}  {one.note}".rstrip()))
    if not reviews:
        tell("There are no notes: editgauge notes RUN SAMPLE --reviewed -m TEXT writes one.")


@click.command()
@click.argument("text", metavar="QUERY")
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN|HISTORY...")
@click.option(
    "--output-format", "form", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True,
    help="Format of the output.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Same as --output-format json.")
def sql(text: str, folders: Sequence[Path], form: str, as_json: bool) -> None:
    """Query runs or a history with SQL, through duckdb.

    Tables: outcomes, wrong_edits, samples, steps, texts, changes and runs. Each has a column `night`: the night of a
    history, or the name of the run folder. Needs pip install 'editgauge[sql]'.

    \b
    editgauge sql "select strategy, verdict, count(*) from outcomes group by all" runs/latest
    editgauge sql "select night, count(*) from outcomes where verdict = 'wrong_edit' group by night" nights/
    """
    answer = query(text, folders)
    if as_json or form == "json":
        rows = [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]
        # Through msgspec, which writes dates as strings and NaN as null.
        plain = msgspec.json.decode(msgspec.json.encode({"schema_version": 1, "rows": rows}, enc_hook=str))
        print_json(plain)
    elif form == "csv":
        import csv

        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(answer.columns)
        writer.writerows(answer.rows)
    else:
        print_rows(answer.rows, row_columns(answer.columns, answer.rows))


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
    with ExitStack() as stack:
        merge_runs({place: stack.enter_context(_fetched(place)) for place in places}, out, partial=partial)
    run = RunFolder(out)
    print_run(run, place=out, as_json=as_json)
    if not partial:
        exit_if_nothing_was_measured(run)


@contextmanager
def _fetched(place: str) -> Iterator[Path]:
    """The folder of a run; for a URL, a temporary folder with the downloaded run."""
    with mirror(place) as (folder, remote):
        assert folder
        if remote:
            remote.pull(folder)
            if not (folder / MANIFEST).exists():
                raise UsageError(f"{place} is not a run folder: it has no {MANIFEST}", "Check the address.")
        yield folder


@click.command()
@RUN
@click.option(
    "--port", type=click.IntRange(min=0, max=65535), default=0, show_default=True, metavar="N",
    help="Port on 127.0.0.1; 0 is any free port.",
)  # fmt: skip
def serve(run: RunFolder, port: int) -> None:
    """Serve the page of a run on this machine.

    The page is that of `editgauge report`, for runs too large for one file: samples are read from the run folder when
    they are looked at. If RUN is a history of nights, the page is its index, with links to the page of every night.
    The printed address has a token, works on 127.0.0.1 only and under that name only. Ctrl-C ends it.
    """
    from harness.commands.runs.serving import Nights, OneRun, Site, serve_site
    from harness.fuzz.properties import sentences
    from reports.history.trends import index_html
    from reports.page.served import ServedRun

    token = secrets.token_urlsafe(24)
    site: Site
    if is_history(run.folder):
        history = History(run.folder)
        history.check_begun()
        site = Nights(
            lambda: index_html(history, token=token).encode("utf-8", "backslashreplace"),
            history.nights,
            lambda name: ServedRun(RunFolder(history.night(name)), properties=sentences(), token=token),
        )
    else:
        with page_progress(run) as progress:
            site = OneRun(ServedRun(run, properties=sentences(), token=token, progress=progress))
    serve_site(site, token, port=port, announce=lambda url: click.echo(url))
