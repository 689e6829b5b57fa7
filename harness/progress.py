"""Progress on stderr: a bar, an estimate and counts on a terminal, a line every ten seconds elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Protocol

_INTERVAL_S = 10.0


class Report(Protocol):
    """Callback with the number of units done and of all units, and with lines that a terminal shows below the bar."""

    def __call__(self, n_done: int, n: int, /, *, below: Sequence[str] = ()) -> None: ...


@contextmanager
def show_progress(what: str = "samples", *, quiet: bool = False) -> Iterator[Report]:
    """Show progress while the block lasts, through the callback it yields. `what` names the units: "samples"."""
    if quiet:
        yield no_report
    elif sys.stderr.isatty() and not os.environ.get("CI"):
        with _bar(what) as report:
            yield report
    else:
        yield _lines(what)


def no_report(n_done: int, n: int, /, *, below: Sequence[str] = ()) -> None:
    """A callback that shows nothing."""


@contextmanager
def _bar(what: str) -> Iterator[Report]:
    from rich import progress as parts
    from rich.console import Console, Group
    from rich.live import Live
    from rich.text import Text

    columns = (
        parts.TextColumn(what), parts.BarColumn(), parts.MofNCompleteColumn(), parts.TimeElapsedColumn(),
        parts.TextColumn("elapsed,"), parts.TimeRemainingColumn(), parts.TextColumn("left"),
        parts.TextColumn("{task.fields[rate]}"),
    )  # fmt: skip
    console, started = Console(stderr=True), monotonic()
    bar = parts.Progress(*columns, console=console)
    task = bar.add_task(what, total=None, rate="")
    first: list[int] = []
    # Lines beyond the terminal's height would scroll, and stay when the bar is removed.
    fitting = max(console.height - 3, 0)

    with Live(bar, console=console, transient=True, refresh_per_second=10) as live:

        def report(n_done: int, n: int, /, *, below: Sequence[str] = ()) -> None:
            if not first:
                first.append(n_done)
            rate = (n_done - first[0]) / max(monotonic() - started, 1e-9)
            bar.update(task, total=n, completed=n_done, rate=f"{rate:,.0f} {what}/s" if rate else "")
            shown = [*below[:fitting], *([f"and {len(below) - fitting} more"] if len(below) > fitting else [])]
            lines = (Text(line, no_wrap=True, overflow="ellipsis") for line in shown)
            live.update(Group(bar, *lines))

        yield report


def _lines(what: str) -> Report:
    started = reported = monotonic()

    def report(n_done: int, n: int, /, *, below: Sequence[str] = ()) -> None:
        nonlocal reported
        del below  # A log cannot show lines that change.
        now = monotonic()
        if now - reported < _INTERVAL_S:
            return
        reported = now
        share = n_done / max(n, 1)
        left = f", about {(now - started) * (1 - share) / share:.0f} s left" if share else ""
        print(f"{n_done:,} of {n:,} {what}{left}", file=sys.stderr, flush=True)

    return report
