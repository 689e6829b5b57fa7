"""`sql`: query runs or a history."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from harness.terminal import pipe_may_close, print_json


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
    import msgspec

    from reports.runs.sql import query
    from reports.views.tables import print_rows, row_columns

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
        with pipe_may_close():
            print_rows(answer.rows, row_columns(answer.columns, answer.rows))
