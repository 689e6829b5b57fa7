"""How far a run is, on stderr: a bar with an estimate on a terminal, a line every ten seconds elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from harness.runner import Progress

_EVERY_S = 10.0


@contextmanager
def shown(*, quiet: bool = False) -> Iterator[Callable[[Progress], None]]:
    """A callback that shows progress for as long as the block lasts."""
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty() and not os.environ.get("CI"):
        with _bar() as report:
            yield report
    else:
        yield _lines()


@contextmanager
def _bar() -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("samples"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("samples", total=None)

        def report(progress: Progress) -> None:
            bar.update(task, total=progress.n_samples, completed=progress.n_samples_done)

        yield report


def _lines() -> Callable[[Progress], None]:
    started = told = monotonic()

    def report(progress: Progress) -> None:
        nonlocal told
        now = monotonic()
        if now - told < _EVERY_S:
            return
        told = now
        share = progress.n_samples_done / max(progress.n_samples, 1)
        left = f", about {(now - started) * (1 - share) / share:.0f} s left" if share else ""
        print(f"{progress.n_samples_done:,} of {progress.n_samples:,} samples{left}", file=sys.stderr, flush=True)

    return report
