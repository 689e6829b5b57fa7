"""`report`: the page of a run, or its summary as Markdown, CSV or plots."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from editcore.errors import UsageError
from harness.commands.runs.summary import note_if_unfinished, page_progress
from harness.terminal import output
from reports.compare.comparison import compare
from reports.compare.costs import advised
from reports.compare.gate import Gate, failures, with_latencies
from reports.history.nights import History, is_history
from reports.runs.manifest import check_outside_runs, write_atomically
from reports.runs.run_folder import RunFolder
from reports.views.comment import COMMENT_LIMIT, comparison_markdown, run_markdown
from reports.views.comparison_wording import groups
from reports.views.tables import csv_text


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), metavar="FILE",
    help="File to write; for png a folder. Default: RUN/report.html, RUN/plots; md and csv to stdout.",
)  # fmt: skip
@click.option(
    "--against", "base", type=click.Path(path_type=Path), metavar="BASE",
    help="Baseline run: the report begins with the comparison that `editgauge compare` makes.",
)  # fmt: skip
@click.option(
    "--history", "nights", type=click.Path(path_type=Path), metavar="DIR",
    help="History of nights: the page shows how the rates moved.",
)  # fmt: skip
@click.option(
    "--format", "form", type=click.Choice(["html", "md", "csv", "png"]), default="html", show_default=True,
    help="What to write.",
)  # fmt: skip
def report(folders: Sequence[Path], out: Path | None, base: Path | None, nights: Path | None, form: str) -> None:
    """Write the page of a run, or its summary.

    The page is one HTML file that opens anywhere, without a network: which strategy to take, the strategies, every
    sample with what each strategy did to it, matrices, latencies. md is a summary of the size of a comment, csv a row
    for each strategy, png the plots as PNG and SVG. Equal runs give equal bytes.

    If RUN is a history of nights, the page is its index: every night with its gate, the trend of every strategy,
    links to the nights' pages. It is written to DIR/index.html.
    """
    if out and len(folders) > 1:
        raise UsageError("-o names one file, and there are several runs", "Leave -o out, or report one run at a time.")
    if base and form in ("csv", "png"):
        raise UsageError(f"--against has nothing to add to {form}", "Use it with --format html or md.")
    if nights and form != "html":
        raise UsageError(f"--history has nothing to add to {form}", "Use it with --format html.")
    if out:
        check_outside_runs(out / "rates.svg" if form == "png" else out)
    if out and out.exists() and out.is_dir() != (form == "png"):
        is_what, name_what = ("a folder", "a file") if out.is_dir() else ("a file", "a folder")
        raise UsageError(f"{out} is {is_what}, and {form} is written to {name_what}", f"Name {name_what} with -o.")
    for folder in folders:
        if is_history(folder):
            if form != "html" or base or nights:
                raise UsageError(f"{folder} is a history of nights", "Its index is HTML, and takes no further options.")
            click.echo(_index(folder, out))
            continue
        run = RunFolder(folder)
        note_if_unfinished(run)
        if form == "html":
            click.echo(_page(run, out or folder / "report.html", base, nights))
        elif form == "png":
            from reports.runs.manifest import PLOTS
            from reports.views.plots import write_plots

            for path in write_plots(run, out or folder / PLOTS):
                click.echo(path)
        else:
            with output(out) as stream:
                stream.write(_text(run, base, form))
            if out:
                click.echo(out)


def _index(folder: Path, out: Path | None) -> Path:
    from reports.history.trends import INDEX, index_html

    place, history = out or folder / INDEX, History(folder)
    history.check_begun()
    write_atomically(place, index_html(history).encode("utf-8", "backslashreplace"))
    return place


def _page(run: RunFolder, out: Path, base: Path | None, nights: Path | None) -> Path:
    from harness.fuzz.properties import sentences
    from reports.page.document import write_page

    history = History(nights) if nights else None
    if history:
        history.check_begun()
    comparison = with_latencies(compare(RunFolder(base), run), Gate()) if base else None
    failed = failures(comparison, Gate()) if comparison else None
    with page_progress(run) as progress:
        return write_page(
            run,
            out,
            comparison=comparison,
            failures=failed,
            properties=sentences(),
            history=history,
            progress=progress,
        )


def _text(run: RunFolder, base: Path | None, form: str) -> str:
    found, advice = advised(run)
    if form == "csv":
        return csv_text(found)
    if base is None:
        return run_markdown(found, run.manifest, run.folder, advice=advice)
    comparison = with_latencies(compare(RunFolder(base), run), Gate())
    rates = "\n" + run_markdown(found, run.manifest, run.folder, advice=advice, limit=COMMENT_LIMIT // 3)
    left = COMMENT_LIMIT - len(rates.encode())
    return comparison_markdown(comparison, failures(comparison, Gate()), groups(comparison), limit=left) + rates
