"""Tables of runs: their columns, their rendering in a terminal, and the same numbers as JSON documents.

The page shows the same columns, so terminal and page cannot differ.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TextIO, TypeVar

from editcore.quoting import printable
from reports.measurements.interval import Estimate, percent
from reports.measurements.measurement import Measurement, Shown, Unit
from reports.measurements.table import (
    CORRECT,
    CRASHED,
    DAMAGE,
    LINES_LOST,
    MATCH_RATE,
    MATCH_RATE_BY_TEXT,
    MATCH_RATE_BY_TREE,
    MEASUREMENTS,
    MISSED,
    OTHER_TREE,
    P50,
    REFUSED,
    SAME_TREE,
    SAMPLES,
    SEVERITY,
    TIMED_OUT,
    UNKNOWN,
    UNMEASURED,
    UNPARSABLE,
    UNSTABLE,
    WRONG,
    WRONG_RATE,
)
from reports.runs.manifest import Manifest
from reports.runs.rows import Equality
from reports.statistics.breakdown import Breakdown, Cell
from reports.statistics.summary import Summary, best_first, sentence

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
from reports.measurements.interval import rate_with_interval

_ODD = re.compile(
    # C0 and C1 controls, spaces that look alike, invisible joiners, direction overrides, surrogates.
    "[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u061c\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ud800-\udfff]"
)


def visible(text: str) -> str:
    """A name or path with each invisible character replaced by its code point, as in `U+202E`."""
    if text.isascii() and text.isprintable():
        return text
    return _ODD.sub(lambda found: f"U+{ord(found[0]):04X}", text)


SCHEMA_VERSION = 1
"""Schema version of the JSON documents; the run folder has its own."""
ABSENT = "-"
"""The text of a cell without a measurement; a zero would be a claim."""


Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """A column of a table."""

    heading: str
    meaning: str
    """One line, with the denominator of a rate."""
    text: Callable[[Row], str]
    number: Callable[[Row], float | None] | None = None
    """Sort key, which also makes the column numeric; None to sort by the text."""
    style: Callable[[Row], str] | None = None
    """Colour of a cell in a terminal."""


def duration(ns: int | None) -> str:
    """A latency in a readable unit: `850 ns`, `12.3 us`, `4.56 ms`, `1.20 s`."""
    if ns is None:
        return ABSENT
    for unit, size in (("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)):
        if ns >= 0.9995 * size:
            return f"{_three_digits(ns / size)} {unit}"
    return f"{ns} ns"


def _three_digits(number: float) -> str:
    digits = 2 if number < 9.995 else 1 if number < 99.95 else 0
    return f"{number:.{digits}f}"


def rate(estimate: Estimate | None) -> str:
    return percent(estimate.value) if estimate else ABSENT


def measured(measurement: Measurement[Any], *, heading: str = "") -> Column[Summary]:
    """The column of a measurement; match rate and wrong rate with their intervals."""

    def number(summary: Summary) -> float | None:
        value = summary[measurement]
        return value.value if isinstance(value, Estimate) else value

    def style(summary: Summary) -> str:
        return "red" if measurement.unit == Unit.COUNT and measurement.better == "less" and summary[measurement] else ""

    return Column(heading or measurement.heading, measurement.meaning, partial(_cell_text, measurement), number, style)


def _cell_text(measurement: Measurement[Any], summary: Summary) -> str:
    value = summary[measurement]
    if value is None or (measurement.out_of and summary.values[measurement.out_of] is None):
        return ABSENT
    match measurement.unit:
        case Unit.SHARE:
            return rate_with_interval(value) if measurement in (MATCH_RATE, WRONG_RATE) else rate(value)
        case Unit.NANOSECONDS:
            return duration(value)
        case _:
            return f"{value} of {summary.values[measurement.out_of]}" if measurement.out_of else str(value)


STRATEGY: Column[Summary] = Column("strategy", "what applied the edits", lambda summary: summary.strategy)


_FIRST: tuple[Measurement[Any], ...] = (
    SAMPLES, MATCH_RATE, WRONG_RATE, CORRECT, WRONG, MISSED, REFUSED, P50, CRASHED, TIMED_OUT, UNSTABLE, UNMEASURED,
)  # fmt: skip
"""Measurements of the table that is not wide; in the wide one they stand first."""


def columns(summaries: Sequence[Summary], *, wide: bool = True) -> list[Column[Summary]]:
    """The columns to show: rates and counts, and if `wide` every other one with a value for some strategy."""

    def has_any(measurement: Measurement[Any]) -> bool:
        name = measurement.out_of or measurement.name
        return any(summary.values[name] for summary in summaries)

    shown = [
        one
        for one in (*_FIRST, *(one for one in MEASUREMENTS if wide and one not in _FIRST))
        if one.in_table == Shown.ALWAYS or (one.in_table == Shown.WHERE_ANY and has_any(one))
    ]
    return [STRATEGY, *map(measured, shown)]


def print_summary(summaries: Sequence[Summary], *, wide: bool = False, file: TextIO | None = None) -> None:
    """Print the table of strategies, the best of those that ran on the same samples first."""
    print_rows(best_first(summaries), columns(summaries, wide=wide), dropped_first=_DROPPED_FIRST, file=file)


def print_rows(
    rows: Sequence[Row],
    columns: Sequence[Column[Row]],
    *,
    dropped_first: Sequence[str] = (),
    file: TextIO | None = None,
) -> frozenset[str]:
    """Print a table whose cells are never cut or wrapped, and return the headings of its columns.

    In a pipe, rows are as long as needed. On a narrow terminal whole columns are left out, those of `dropped_first` and
    then numbers from the last to the first, and a line below names them.
    """
    from rich.text import Text

    file = file or sys.stdout
    shown = columns
    ruler = _console(file, width=1_000_000)
    if file.isatty():
        console = _console(file)
        numbers = [column.heading for column in reversed(columns) if column.number]
        for heading in (*dropped_first, *numbers):
            if ruler.measure(_table(rows, shown)).maximum <= console.width:
                break
            shown = [column for column in shown if column.heading != heading]
    else:
        # Ignoring COLUMNS and FORCE_COLOR: the output will be processed line by line.
        width = ruler.measure(_table(rows, shown)).maximum
        console = _console(file, width=width, force_terminal=False)
    console.print(_table(rows, shown))
    if left_out := [column.heading for column in columns if column not in shown]:
        names = printable(", ".join(dict.fromkeys(left_out)))
        console.print(Text(f"left out, as the terminal is too narrow (a pipe gets all): {names}", style="dim italic"))
    return frozenset(column.heading for column in shown)


def _console(file: TextIO, **options: Any) -> Console:
    """A console on a file. A closed pipe raises BrokenPipeError, where Rich would end the process."""
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError from None

    return Piped(file=file, **options)


def row_columns(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> list[Column[Sequence[object]]]:
    """Columns for rows that are sequences; all but the first are right-aligned if they hold numbers."""

    def column(place: int, heading: str) -> Column[Sequence[object]]:
        def text(row: Sequence[object]) -> str:
            return ABSENT if row[place] is None else printable(str(row[place]))

        is_number = place > 0 and all(text(row) == ABSENT or text(row).lstrip("+-*")[:1].isdigit() for row in rows)
        return Column(printable(heading), "", text, (lambda _: None) if is_number else None)

    return [column(place, heading) for place, heading in enumerate(headings)]


_DROPPED_FIRST = (
    "bytes changed", "half made", "other tree", "broken", "unlabelled", "precision", "p99", "p50", "samples", "refused",
    "missed", "correct", "crashed", "timed out", "unstable", "wrong",
)  # fmt: skip


def _table(rows: Sequence[Row], shown: Sequence[Column[Row]]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in shown:
        table.add_column(Text(printable(column.heading)), justify="right" if column.number else "left", no_wrap=True)
    for row in rows:
        table.add_row(
            *(Text(printable(column.text(row)), style=column.style(row) if column.style else "") for column in shown)
        )
    return table


def summary_document(summaries: Sequence[Summary], manifest: Manifest, *, advice: str = "") -> dict[str, Any]:
    """All numbers of a run, for `--json`; a rate with denominator 0 is null."""
    run = {key: value for key, value in asdict(manifest).items() if key not in ("schema_version", "machine")}
    return {
        "schema_version": SCHEMA_VERSION,
        "run": run,
        "strategies": [document(summary) for summary in summaries],
        "sentence": sentence(summaries, manifest, advice=advice),
    }


def document(summary: Summary, measurements: Sequence[Measurement[Any]] = MEASUREMENTS) -> dict[str, Any]:
    """The measurements of a strategy for JSON, with latencies under a key of their own."""
    found: dict[str, Any] = {"strategy": summary.strategy}
    latency = {one.name: summary[one] for one in measurements if one.unit == Unit.NANOSECONDS}
    for one in measurements:
        value = summary[one]
        if isinstance(value, Estimate):
            found[one.name] = {"value": value.value, "low": value.low, "high": value.high, "n": value.n}
        elif one.unit != Unit.NANOSECONDS:
            found[one.name] = value
    return found | ({"latency": latency} if latency else {})


def print_breakdown(found: Breakdown, *, file: TextIO | None = None) -> None:
    """Print one row for each group and one column for each strategy; cells are match rate / wrong rate in percent.

    On a terminal that is too narrow for all strategies, the table is repeated for the next ones.
    """
    file = file or sys.stdout
    ruler = _console(file, width=1_000_000)
    fits = _console(file).width if file.isatty() else ruler.width
    left = list(found.strategies)
    while True:
        n = len(left)
        while n > 1 and ruler.measure(_breakdown_table(found, left[:n])).maximum > fits:
            n -= 1
        table, left = _breakdown_table(found, left[:n]), left[n:]
        width = ruler.measure(table).maximum
        _console(file, width=width, force_terminal=None if file.isatty() else False).print(table)
        if not left:
            break
        print(file=file)
    small = f"; {found.n_small} smaller group{'s' if found.n_small > 1 else ''} left out" if found.n_small else ""
    print(f"match rate / wrong rate, in percent{small}", file=file)


def _breakdown_table(found: Breakdown, strategies: Sequence[str]) -> Table:
    def of_strategy(name: str) -> Column[str]:
        return Column(name, "", lambda group: _cell(found.groups[group].get(name)), lambda _: None)

    samples: Column[str] = Column("samples", "", lambda group: str(found.n_samples[group]), lambda _: None)
    return _table(list(found.groups), [Column(visible(found.key), "", visible), samples, *map(of_strategy, strategies)])


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return ABSENT
    return " / ".join(ABSENT if one is None else f"{100 * one:.0f}" for one in (cell.match_rate, cell.wrong_rate))


def breakdown_document(found: Breakdown) -> dict[str, Any]:
    """All numbers of a breakdown, for `--json`; a rate with denominator 0 is null."""
    groups = []
    for group, cells in found.groups.items():
        strategies = {
            name: {**asdict(cell), "match_rate": cell.match_rate, "wrong_rate": cell.wrong_rate}
            for name, cell in cells.items()
        }
        groups.append({found.key: group, "n_samples": found.n_samples[group], "strategies": strategies})
    return {"schema_version": SCHEMA_VERSION, "by": found.key, "groups": groups, "n_groups_left_out": found.n_small}


# CSV, for a spreadsheet

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters of a cell that spreadsheets would run."""


def csv_text(summaries: Sequence[Summary]) -> str:
    """A row for each strategy: counts, latencies in nanoseconds, then rates with both ends of their 95 % intervals."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    plain = [one for one in MEASUREMENTS if one.unit not in (Unit.SHARE, Unit.COUNTS)]
    rates = [one for one in MEASUREMENTS if one.unit == Unit.SHARE]
    writer.writerow(
        [
            "strategy",
            *(one.name for one in plain),
            *(f"{one.name}{end}" for one in rates for end in ("", "_low", "_high")),
        ]
    )
    for summary in summaries:
        row: list[object] = [f"'{summary.strategy}" if summary.strategy.startswith(_FORMULA) else summary.strategy]
        row += [summary[one] for one in plain]
        for one in rates:
            found = summary[one]
            row += [found.value, found.low, found.high] if found else [None] * 3
        writer.writerow(row)
    return out.getvalue()


# Wrong edits: how bad they are, and the match rate by three comparisons

_BY_BYTES = replace(MATCH_RATE, heading=f"match by {Equality.BYTES}")
COLUMNS: tuple[Column[Summary], ...] = (
    STRATEGY,
    measured(replace(WRONG, meaning="wrong edits; the next four add up to it")),
    *map(measured, (SAME_TREE, OTHER_TREE, UNPARSABLE, UNKNOWN, LINES_LOST)),
    *map(measured, (_BY_BYTES, MATCH_RATE_BY_TEXT, MATCH_RATE_BY_TREE)),
)
_IN_DOCUMENT = (WRONG, DAMAGE, SEVERITY, LINES_LOST, MATCH_RATE, MATCH_RATE_BY_TEXT, MATCH_RATE_BY_TREE)


def print_wrong_edits(summaries: Sequence[Summary], *, file: TextIO | None = None) -> None:
    print_rows(summaries, COLUMNS, dropped_first=("match by bytes", "unknown", "lines lost"), file=file)


def wrong_edits_document(summaries: Sequence[Summary]) -> dict[str, Any]:
    return {"schema_version": SCHEMA_VERSION, "strategies": [document(one, _IN_DOCUMENT) for one in summaries]}
