"""Progress on stderr: a bar with an estimate on a terminal, a line every ten seconds elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

_INTERVAL_S = 10.0

Report = Callable[[int, int], None]
"""Called with the number of units that are done, and of all units."""


@contextmanager
def show_progress(what: str = "samples", *, quiet: bool = False) -> Iterator[Report]:
    """A callback that shows progress while the block lasts. `what` names the units: "samples"."""
    if quiet:
        yield lambda *_: None
    elif sys.stderr.isatty() and not os.environ.get("CI"):
        with _bar(what) as report:
            yield report
    else:
        yield _lines(what)


@contextmanager
def _bar(what: str) -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def report(n_done: int, n: int) -> None:
            bar.update(task, total=n, completed=n_done)

        yield report


def _lines(what: str) -> Report:
    started = reported = monotonic()

    def report(n_done: int, n: int) -> None:
        nonlocal reported
        now = monotonic()
        if now - reported < _INTERVAL_S:
            return
        reported = now
        share = n_done / max(n, 1)
        left = f", about {(now - started) * (1 - share) / share:.0f} s left" if share else ""
        print(f"{n_done:,} of {n:,} {what}{left}", file=sys.stderr, flush=True)

    return report
