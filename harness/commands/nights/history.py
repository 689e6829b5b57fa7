"""`history`: the nights of a history with the rates of each strategy, or one sample over all nights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.commands.options import JSON
from harness.strategies.registry import matching_names
from harness.terminal import print_json, print_lines
from reports.history.nights import History
from reports.measurements.interval import rate_with_interval
from reports.wording import counted

if TYPE_CHECKING:
    from reports.history.trends import NightTurned, Trend

_MOST_SHOWN = 10
"""Number of a night's changed verdicts that are printed."""


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.argument("sample_id", required=False, metavar="[SAMPLE]")
@click.option(
    "-s", "--strategy", "patterns", multiple=True, metavar="NAME",
    help="Show the rates of this strategy for each night, and the samples that turned; globs and repeats work.",
)  # fmt: skip
@JSON
def history(folder: Path, sample_id: str | None, patterns: Sequence[str], as_json: bool) -> None:
    """Show the nights of a history, or one sample over its nights.

    Prints one line for each night, with the rates of one strategy and the gate's result. The strategy is
    cascade/recommended, or the best one of the baseline if that was not run. Then prints one line for each strategy:
    its match rate and wrong rate over the nights, both rates on the last night, and the gate's result there. The
    rates are those of `editgauge table`. With SAMPLE, prints the nights on which its verdict changed, for each
    strategy.
    """
    from reports.history.trends import verdict_changes

    found = History(folder)
    found.check_begun()
    if sample_id:
        if patterns:
            raise UsageError("-s is not for a SAMPLE", "Leave one of them out; a sample is shown for each strategy.")
        changes = verdict_changes(found, sample_id)
        if as_json:
            print_json({"schema_version": 1, "turnings": [asdict(row) for row in changes]})
        else:
            print_lines(row.line() for row in changes)
    elif patterns:
        _print_strategies(found, patterns, as_json=as_json)
    else:
        _print_nights(found, as_json=as_json)


def _print_nights(history: History, *, as_json: bool) -> None:
    from reports.history.trends import overview, summarised, trends

    nightly = summarised(history)
    nights, found = overview(history, nightly), trends(nightly)
    if as_json:
        print_json(
            {
                "schema_version": 2,
                "nights": [asdict(row) for row in nights],
                "strategies": [asdict(row) for row in found],
            }
        )
        return
    print_lines(row.line() for row in nights)
    click.echo()
    width = max((len(trend.strategy) for trend in found), default=0)
    for trend in found:
        night = trend.nights[-1].night
        judged = history.judged(night)
        passed = ["passed"] if judged and judged.is_comparable else []
        state = _marks(history, night, trend.strategy) or passed
        click.echo(printable("  ".join([trend.line(width=width), *state])))


def _print_strategies(history: History, patterns: Sequence[str], *, as_json: bool) -> None:
    from reports.history.trends import summarised, trends, turned

    known = {one.strategy: one for one in trends(summarised(history))}
    names = matching_names(list(known), patterns)
    changes = turned(history, names)
    if as_json:
        print_json(
            {
                "schema_version": 2,
                "strategies": [asdict(known[name]) for name in names],
                "turned": [asdict(one) for one in changes],
            }
        )
        return
    for number, name in enumerate(names):
        if number:
            click.echo()
        _print_strategy(history, known[name], {one.night: one for one in changes if one.strategy == name})


def _print_strategy(history: History, trend: Trend, changes: dict[str, NightTurned]) -> None:
    click.echo(printable(trend.line()))
    for one in trend.nights:
        rates = f"match rate {rate_with_interval(one.match_rate)}, wrong rate {rate_with_interval(one.wrong_rate)}"
        counts = f"{one.night}  {rates}, {counted(one.n_samples, 'sample')}"
        click.echo(printable("  ".join([counts, *_marks(history, one.night, trend.strategy)])))
        turned = changes[one.night].changes if one.night in changes else ()
        for sample_id, before, now in turned[:_MOST_SHOWN]:
            click.echo(printable(f"    {sample_id}: {before} -> {now}"))
        if len(turned) > _MOST_SHOWN:
            click.echo(f"    and {len(turned) - _MOST_SHOWN:,} more; --json has all")


def _marks(history: History, night: str, strategy: str) -> list[str]:
    """Marks of a night: `baseline`, and the gate's failures of this strategy."""
    baseline, judged = history.baseline(), history.judged(night)
    failures = judged.messages(strategy) if judged else []
    marks = ["baseline"] if baseline and baseline.night == night else []
    return marks + ([f"FAILED: {'; '.join(failures)}"] if failures else [])
