"""`report`: write the page of a run."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), metavar="FILE", help="The page. Default: RUN/report.html."
)
@click.option(
    "--against",
    "base",
    type=click.Path(path_type=Path),
    metavar="BASE",
    help="A run to compare it with, as `editgauge compare` does; the page begins with it.",
)
def report(folder: Path, out: Path | None, base: Path | None) -> None:
    """Write the page of a run, and its plots.

    report.html is one file that needs no other; the plots lie beside it as PNG and SVG.
    """
    from reports.compare.comparison import compare as compare_runs
    from reports.compare.gate import Gate, failures
    from reports.views.page import write_page

    comparison = compare_runs(base, folder) if base else None
    failed = failures(comparison, Gate()) if comparison else None
    for path in write_page(folder, out or folder / "report.html", comparison=comparison, failures=failed):
        click.echo(path)
