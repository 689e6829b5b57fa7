"""The report of a campaign: its progress, the result of each target, and the new findings."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from time import monotonic

import click

from editcore.quoting import printable
from harness.fuzz.engine.campaign import Progress
from harness.fuzz.engine.observer import together
from harness.fuzz.engine.telling import story
from harness.terminal import print_json

SCHEMA_VERSION = 1
_REPORTED_EVERY_S = 10.0

# Progress


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[Sequence[Progress]], None]]:
    """A callback that shows progress on stderr while the block lasts: one live line, or a line every ten seconds."""
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty() and not os.environ.get("CI"):
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        with Live(console=Console(stderr=True), transient=True, refresh_per_second=4) as live:
            yield lambda all_progress: live.update(Text(line_about(all_progress), no_wrap=True))
    else:
        yield _lines()


def _lines() -> Callable[[Sequence[Progress]], None]:
    reported_at = monotonic()

    def report(all_progress: Sequence[Progress]) -> None:
        nonlocal reported_at
        if monotonic() - reported_at >= _REPORTED_EVERY_S:
            reported_at = monotonic()
            print(line_about(all_progress), file=sys.stderr, flush=True)

    return report


def line_about(targets: Sequence[Progress]) -> str:
    """One line on a running campaign, from the progress of its targets.

    Executions, findings, and where coverage guides: edges, inputs in the corpus, the time since the last new edge.
    """
    started = [one for one in targets if one.counted]
    done = [one for one in targets if one.seconds]
    total = together([one.total for one in started])
    found = sum([len(one.found) for one in targets])
    known = sum([len(one.known) for one in targets])
    running = next((one.target for one in started if not one.seconds), targets[-1].target if targets else "")
    where = f"{len(done)} of {len(targets)} targets, {running}" if len(targets) > 1 else running
    if not started:
        return f"{where}: starting"
    seconds = total.fuzzing_s / max([one.n_workers for one in started])
    said = [
        f"{total.n_executions:,} executions" + (f", {total.n_executions / seconds:,.0f} a second" if seconds else "")
    ]
    guided = [one for one in started if one.n_edges is not None]
    if guided:
        n_edges, n_inputs = (sum([getattr(one, name) for one in guided]) for name in ("n_edges", "n_inputs"))
        said.append(f"{n_edges:,} edges, {n_inputs:,} inputs")
    said.append(f"{found} new findings, {known} known")
    if guided:
        said.append(f"last new edge {monotonic() - max([one.new_edge_at for one in guided]):.0f} s ago")
    return f"{where}: {', '.join(said)}"


# A campaign

_ABSENT = "-"
_COLUMNS: tuple[tuple[str, str, Callable[[Progress], str]], ...] = (
    ("target", "The fuzz target.", lambda one: one.target),
    ("engine", "The engine that made the inputs.", lambda one: one.engine),
    ("executions", "Number of inputs tried.", lambda one: f"{one.total.n_executions:,}"),
    ("per s", "Inputs per second of fuzzing.", lambda one: f"{one.per_s:,.0f}" if one.per_s else _ABSENT),
    ("start s", "Seconds until the first input, of all workers.", lambda one: f"{one.start_s:.1f}"),
    ("shrink s", "Seconds of shrinking, of all workers.", lambda one: f"{one.total.shrinking_s:.1f}"),
    ("edges", "Edges of the code reached.", lambda one: _ABSENT if one.n_edges is None else f"{one.n_edges:,}"),
    ("floor", "Edges that it should reach at least.", lambda one: _ABSENT if one.n_edges is None else f"{one.floor}"),
    ("corpus", "Inputs kept in the corpus.", lambda one: f"{one.n_inputs:,}" if one.n_inputs else _ABSENT),
    ("known", "Known findings that occurred again.", lambda one: str(len(one.known))),
    ("new", "New findings.", lambda one: str(len(one.found))),
)


def exit_code(found: Sequence[Progress]) -> int:
    """1 if there is a new finding, if coverage is below a floor, or if a target could not be fuzzed; else 0."""
    return int(any(one.found or one.failure or one.is_below_floor for one in found))


def print_campaign(found: Sequence[Progress], folder: Path, *, as_json: bool) -> None:
    """Print the result of each target, and the new findings."""
    if as_json:
        print_json(campaign_document(found, folder))
    else:
        from reports.views.tables import Column, print_rows  # The first request need not wait for numpy.

        print_rows(found, [Column(*one) for one in _COLUMNS])
        for one in found:
            for finding in one.found:
                click.echo()
                for line in story(finding, folder):
                    click.echo(printable(line))
    for one in found:
        if one.failure:
            click.echo(f"error: {one.target}: {printable(one.failure)}", err=True)
        if one.is_below_floor:
            click.echo(
                f"error: {one.target}: coverage is below its floor: {one.n_edges} of {one.floor} edges after "
                f"{one.total.n_executions:,} executions. Add better seeds with --seeds.", err=True,
            )  # fmt: skip
    if any(one.found for one in found):
        click.echo(f"findings: {folder / 'findings'}", err=True)


_DOCUMENTED = (
    "target", "engine", "per_s", "start_s", "n_edges", "floor", "n_inputs", "is_below_floor", "failure",
)  # fmt: skip


def campaign_document(found: Sequence[Progress], folder: Path) -> dict[str, object]:
    """The result of a campaign as a JSON document."""
    return {
        "schema_version": SCHEMA_VERSION,
        "findings_folder": str(folder / "findings"),
        "targets": [
            {
                **{name: getattr(one, name) for name in _DOCUMENTED},
                **one.total._asdict(),
                "known": [list(key) for key in sorted(one.known)],
                "new": [asdict(finding) for finding in one.found],
            }
            for one in found
        ],
    }
