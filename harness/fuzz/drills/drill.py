"""Drills: trials that are not single inputs, such as growth, faults, races and git histories."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from math import inf
from multiprocessing import get_context
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.terminal import print_json
from reports.views.tables import ABSENT, Column, print_rows

Counted = TypeVar("Counted")

Program = Callable[[Sequence[str]], object]


@dataclass(frozen=True, slots=True)
class DrillSettings:
    seconds: float | None = None
    """Wall time after which no new trial starts; None for no limit."""
    runs: int | None = None
    """The most trials; None for as many as the drill has."""
    seed: int = 0
    repository: Path | None = None
    """The git repository whose history is applied; None for the repository of the current folder."""
    program: Program | None = None
    """The program whose commands are run under faults."""
    strategies: tuple[str, ...] = ()
    """Names or globs of the strategies that are asked; empty for the strategies of the drill."""
    calls: Path | None = None
    """A file that describes how a server's tools are called; None to call them as our own."""

    def deadline(self) -> float:
        """The time, by `monotonic`, after which no new trial starts; infinite if there is no limit."""
        return inf if self.seconds is None else monotonic() + self.seconds


def in_processes(
    drill: str, work: Callable[..., Counter[Counted]], jobs: Sequence[tuple[Any, ...]]
) -> Iterator[Counter[Counted]]:
    """The counts of `work(*job)` of each job, in worker processes. Raises UsageError if one of them is killed."""
    try:
        # Spawned, not forked: the calling process may have threads.
        with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
            try:
                yield from (one.result() for one in [pool.submit(work, *job) for job in jobs])
            finally:
                pool.shutdown(cancel_futures=True)  # Whoever interrupts the drill need not wait for the jobs left.
    except BrokenProcessPool:
        raise UsageError(
            f"A process of the drill {drill} was killed, perhaps for lack of memory",
            "Run it again, with fewer --runs.",
        ) from None


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of one trial."""

    group: str
    """The subject of the trial; trials are counted by group."""
    what: str
    """The trial within its group, with enough detail to repeat it by hand."""
    broken: str | None = None
    """One line on what did not hold; None if everything did."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """Measurements by name. The table shows the largest of each group."""
    n: int = 1
    """The number of tries that this trial stands for."""


@dataclass(frozen=True, slots=True)
class Drill:
    name: str
    summary: str
    run: Callable[[DrillSettings], Iterator[Trial]]
    uses: frozenset[str] = frozenset()
    """The settings that the drill uses besides `seconds` and `runs`: `seed`, `repository`, `program`, `strategies`,
    `calls`.
    """


# Running and reporting: trials are counted by group, and failed trials are listed.

SCHEMA_VERSION = 1
_REPORTED_EVERY_S = 10.0
_MAX_SHOWN = 20
"""The most failed trials of one group that are printed below the table."""


def run_drills(drills: Sequence[Drill], settings: DrillSettings, *, as_json: bool, quiet: bool) -> int:
    """Run drills one after the other and print a table; return 1 if something did not hold in any trial, else 0.

    Raises UsageError if a single drill cannot be run here. Of several drills, such a drill is skipped with a note on
    stderr.
    """
    groups: dict[tuple[str, str], list[Trial]] = {}
    counts: dict[tuple[str, str], int] = {}
    reported_at = monotonic()
    for drill in drills:
        for trial in _trials(drill, settings, is_only=len(drills) == 1):
            key = (drill.name, trial.group)
            counts[key] = counts.get(key, 0) + trial.n
            groups.setdefault(key, []).append(trial)
            if not quiet and monotonic() - reported_at >= _REPORTED_EVERY_S:
                reported_at = monotonic()
                n_tries = sum(n for (name, _), n in counts.items() if name == drill.name)
                click.echo(f"{drill.name}: {n_tries:,} tries", err=True)
    rows = [_Row(name, group, counts[name, group], trials) for (name, group), trials in groups.items()]
    if as_json:
        document = {"schema_version": SCHEMA_VERSION, "groups": [row.document() for row in rows]}
        print_json(document)
    else:
        _print_rows(rows)
    return int(any(row.n_broken for row in rows))


def _trials(drill: Drill, settings: DrillSettings, *, is_only: bool) -> Iterator[Trial]:
    try:
        yield from drill.run(settings)
    except UsageError as error:
        if is_only:
            raise
        click.echo(f"{drill.name} is skipped: {printable(error.message)}. {printable(error.tip)}", err=True)


class _Row:
    def __init__(self, drill: str, group: str, n: int, trials: Sequence[Trial]) -> None:
        self.drill, self.group, self.n, self.trials = drill, group, n, trials
        self.n_broken = sum([trial.broken is not None for trial in trials])
        self.figures: dict[str, float] = {}
        for trial in trials:
            for name, value in trial.figures.items():
                self.figures[name] = max(value, self.figures.get(name, value))

    def document(self) -> dict[str, object]:
        broken = [{"what": trial.what, "broken": trial.broken} for trial in self.trials if trial.broken]
        return {"drill": self.drill, "group": self.group, "n": self.n, "broken": broken, "figures": self.figures}


def _print_rows(rows: Sequence[_Row]) -> None:
    figures = dict.fromkeys(name for row in rows for name in row.figures)
    print_rows(rows, (*_COLUMNS, *(_figure(name) for name in figures)))
    for row in rows:
        for trial in [trial for trial in row.trials if trial.broken][:_MAX_SHOWN]:
            click.echo(f"{row.drill} {row.group}: {printable(trial.what)}: {printable(trial.broken or '')}")


_COLUMNS: tuple[Column[_Row], ...] = (
    Column("drill", "The drill that was run.", lambda row: row.drill),
    Column("group", "What its trials are of.", lambda row: row.group),
    Column("tries", "Number of tries.", lambda row: f"{row.n:,}"),
    Column("broken", "Trials in which something did not hold.", lambda row: str(row.n_broken)),
)


def _figure(name: str) -> Column[_Row]:
    return Column(
        name.replace("_", " "), "The largest value of the group.",
        lambda row: _number(row.figures[name]) if name in row.figures else ABSENT,
    )  # fmt: skip


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3g}"
