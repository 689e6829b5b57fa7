"""`table`: rates of a run by a property of its samples, or its wrong edits by severity."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from editcore.errors import UsageError
from harness.commands.options import JSON, STRATEGIES
from harness.terminal import pipe_may_close, print_json


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.option("--by", "key", metavar="KEY", help="Property: mutator, agent, model, repo, or the key of a tag.")
@click.option("--min-n", type=click.IntRange(min=1), metavar="N", help="With --by: leave out groups of fewer samples.")
@click.option("--wrong", is_flag=True, help="Instead: wrong edits by severity, and match rates by three comparisons.")
@STRATEGIES
@JSON
def table(
    folder: Path, key: str | None, min_n: int | None, wrong: bool, patterns: Sequence[str], as_json: bool
) -> None:
    """Print a run's rates, also by group, or its wrong edits by severity.

    Alone, prints the table that the run printed. With --by, the table has a row for each value of the property
    (mutator, language, drift, model, ...) and a column for each strategy. With --wrong, it has a row for each
    strategy: how many wrong edits have the syntax tree of the right answer, another one, are broken, or unknown;
    the lines that they lose; and the match rate where equal means byte for byte, as text (but for whitespace at
    line ends and final line feeds), and by tree.
    """
    from harness.commands.runs.summary import note_if_unfinished
    from harness.strategies.registry import matching_names
    from reports.runs.manifest import read_manifest
    from reports.statistics.breakdown import breakdown
    from reports.views.tables import breakdown_document, print_breakdown

    if key is not None and wrong:
        raise UsageError("--by and --wrong exclude each other", "Leave one of them out.")
    if key is None and min_n:
        raise UsageError("--min-n goes with --by alone", "Leave it out: it is for groups.")
    used = [one.name for one in read_manifest(folder).strategies]
    note_if_unfinished(folder)
    if key is None and not wrong:
        _print_rates(folder, matching_names(used, patterns), as_json)
        return
    if key is None:
        _print_wrong_edits(folder, matching_names(used, patterns) or used, as_json)
        return
    found = breakdown(folder, key, strategies=matching_names(used, patterns), min_n=min_n or 1)
    if as_json:
        print_json(breakdown_document(found))
    else:
        with pipe_may_close():
            print_breakdown(found)


def _print_rates(folder: Path, strategies: Sequence[str], as_json: bool) -> None:
    from reports.runs.manifest import read_manifest
    from reports.statistics.summary import run_summaries
    from reports.views.tables import print_summary, summary_document

    rows = [summary for summary in run_summaries(folder) if summary.strategy in strategies]
    if as_json:
        print_json(summary_document(rows, read_manifest(folder)))
    else:
        with pipe_may_close():
            print_summary(rows)


def _print_wrong_edits(folder: Path, strategies: Sequence[str], as_json: bool) -> None:
    from reports.statistics.summary import run_summaries
    from reports.views.tables import print_wrong_edits, wrong_edits_document

    rows = [summary for summary in run_summaries(folder) if summary.strategy in strategies]
    if as_json:
        print_json(wrong_edits_document(rows))
    else:
        with pipe_may_close():
            print_wrong_edits(rows)
