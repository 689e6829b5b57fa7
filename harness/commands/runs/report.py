"""`report`: write the page of a run."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), metavar="FILE", help="Page to write. Default: RUN/report.html."
)
@click.option(
    "--against",
    "base",
    type=click.Path(path_type=Path),
    metavar="BASE",
    help="Baseline run: the page begins with the comparison that `editgauge compare` makes.",
)
def report(folder: Path, out: Path | None, base: Path | None) -> None:
    """Write the page of a run, and its plots.

    The page is one self-contained HTML file. The plots are also written as PNG and SVG, in `plots` beside the page.
    """
    from reports.compare.comparison import compare as compare_runs
    from reports.compare.gate import Gate, failures
    from reports.views.page import write_page

    comparison = compare_runs(base, folder) if base else None
    failed = failures(comparison, Gate()) if comparison else None
    for path in write_page(folder, out or folder / "report.html", comparison=comparison, failures=failed):
        click.echo(path)
