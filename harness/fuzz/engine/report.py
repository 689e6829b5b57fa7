"""What a fuzzer tells: its progress, what became of each target, a finding tried again, what a drill went through."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from time import monotonic

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.fuzz.drills.drill import Drill, Orders, Trial
from harness.fuzz.engine.campaign import Progress, merge
from harness.fuzz.engine.finding import Finding, read_findings
from harness.fuzz.engine.input_corpus import corpus_folder, seed_folders
from harness.fuzz.engine.scratch import scratch
from harness.fuzz.engine.target import Target, observe
from harness.fuzz.engine.worker import Order
from harness.fuzz.targets import ordered_target, targets_of
from reports.views.tables import ABSENT, Column, print_rows

SCHEMA_VERSION = 1
_EVERY_S = 10.0
_SHOWN_BROKEN = 20

# Progress


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[Sequence[Progress]], None]]:
    """A callback that shows, for as long as the block lasts, how far targets are: a line on stderr."""
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
    told = monotonic()

    def report(all_progress: Sequence[Progress]) -> None:
        nonlocal told
        if monotonic() - told >= _EVERY_S:
            told = monotonic()
            print(line_about(all_progress), file=sys.stderr, flush=True)

    return report


def line_about(all_progress: Sequence[Progress]) -> str:
    """Executions, coverage, corpus, findings, and how long ago something new was reached."""
    started = [one for one in all_progress if one.n_executions]
    done = [one for one in all_progress if one.seconds]
    n = sum([one.n_executions for one in all_progress])
    edges = sum([one.n_edges or 0 for one in all_progress])
    inputs = sum([one.n_inputs for one in all_progress])
    found = sum([len(one.found) for one in all_progress])
    known = sum([len(one.known) for one in all_progress])
    newest = max([one.new_edge_at for one in started], default=monotonic())
    running = next((one.target for one in started if not one.seconds), all_progress[-1].target if all_progress else "")
    where = f"{len(done)} of {len(all_progress)} targets, {running}" if len(all_progress) > 1 else running
    cpu = sum([one.cpu_s for one in done])
    speed = f", {sum([one.n_executions for one in done]) / cpu:,.0f} per CPU-second" if cpu else ""
    return (
        f"{where}: {n:,} executions{speed}, {edges:,} edges, {inputs:,} inputs, {found} new findings, {known} known, "
        f"last new edge {monotonic() - newest:.0f} s ago"
    )


# A campaign

_COLUMNS: tuple[Column[Progress], ...] = (
    Column("target", "What was fuzzed.", lambda one: one.target),
    Column("engine", "Who made the inputs.", lambda one: one.engine),
    Column("executions", "Inputs tried.", lambda one: f"{one.n_executions:,}"),
    Column(
        "per CPU-s", "Inputs per second of CPU time.", lambda one: f"{one.per_cpu_s:,.0f}" if one.per_cpu_s else ABSENT
    ),
    Column(
        "edges",
        "Edges of the code that were reached.",
        lambda one: ABSENT if one.n_edges is None else f"{one.n_edges:,}",
    ),
    Column("floor", "Edges below which it is stuck.", lambda one: ABSENT if one.n_edges is None else f"{one.floor}"),
    Column("corpus", "Inputs that are kept.", lambda one: f"{one.n_inputs:,}" if one.n_inputs else ABSENT),
    Column("known", "Known findings that were met again.", lambda one: str(len(one.known))),
    Column("new", "New findings.", lambda one: str(len(one.found))),
)


def exit_code(found: Sequence[Progress]) -> int:
    """1 where something new was found, or a target was stuck or could not be fuzzed."""
    return int(any(one.found or one.failure or one.is_stuck for one in found))


def print_campaign(found: Sequence[Progress], folder: Path, *, as_json: bool) -> None:
    """Print what became of each target, and what is new."""
    if as_json:
        click.echo(json.dumps(campaign_document(found, folder), indent=2))
    else:
        print_rows(found, _COLUMNS)
        for one in found:
            for finding in one.found:
                click.echo(f"\n{finding.id}: {finding.target} breaks {finding.property} ({printable(finding.path)})")
                click.echo(f"  {printable(finding.detail)}")
                click.echo(f"  input: {ascii(finding.fields)[:400]}")
    for one in found:
        if one.failure:
            click.echo(f"error: {one.target}: {printable(one.failure)}", err=True)
        if one.is_stuck:
            click.echo(
                f"error: {one.target} reached {one.n_edges} edges in {one.n_executions:,} executions, of at "
                f"least {one.floor}: it is stuck at the door, give it better seeds.", err=True,
            )  # fmt: skip
    if any(one.found for one in found):
        click.echo(f"findings: {folder / 'findings'}", err=True)


def campaign_document(found: Sequence[Progress], folder: Path) -> dict[str, object]:
    """The same as a document."""
    return {
        "schema_version": SCHEMA_VERSION,
        "findings_folder": str(folder / "findings"),
        "targets": [
            {
                "target": one.target,
                "engine": one.engine,
                "n_executions": one.n_executions,
                "executions_per_cpu_s": one.per_cpu_s,
                "cpu_s": one.cpu_s,
                "n_edges": one.n_edges,
                "floor": one.floor,
                "n_inputs": one.n_inputs,
                "stuck": one.is_stuck,
                "failure": one.failure,
                "known": [list(key) for key in sorted(one.known)],
                "new": [asdict(finding) for finding in one.found],
            }
            for one in found
        ],
    }


# A finding again


def reproduced(file: Path, specs: Sequence[str], *, as_json: bool) -> int:
    """Try the findings of a file again; 1 where any still is one."""
    rows = []
    for finding in read_findings(file):
        target = _target_of(finding, specs)
        same = [
            one for one in observe(target, finding.fields, thorough=True)
            if (one.property, one.path) == (finding.property, finding.path)
        ]  # fmt: skip
        rows.append({"id": finding.id, "target": finding.target, "property": finding.property,
                     "holds": not same, "detail": same[0].detail if same else None})  # fmt: skip
    if not rows:
        raise UsageError(f"{file} holds no finding", "Name a .jsonl file that `editgauge fuzz` wrote.")
    if as_json:
        click.echo(json.dumps({"schema_version": SCHEMA_VERSION, "findings": rows}, indent=2))
    else:
        for row in rows:
            told = "holds now" if row["holds"] else f"still broken: {printable(str(row['detail']))}"
            click.echo(f"{row['target']} {row['property']}: {told}")
    return int(any(not row["holds"] for row in rows))


def _target_of(finding: Finding, specs: Sequence[str]) -> Target:
    if not specs:
        try:
            return ordered_target(finding.target, ())
        except UsageError:
            raise UsageError(
                f"{finding.target} is no target here", "Name the strategy again: -s cmd:NAME=COMMAND."
            ) from None
    if len(specs) == 2:
        return ordered_target(finding.target, specs)
    return next((one for one in targets_of(specs[0]) if one.format == finding.format), targets_of(specs[0])[0])


# The corpus


def merged(targets: Sequence[Target], folder: Path) -> int:
    """Keep of each corpus the few inputs that reach all it reaches."""
    for target in targets:
        corpus = corpus_folder(folder, target.name)
        if corpus.is_dir() or len(targets) == 1:
            before, after = merge(target, folder)
            click.echo(f"{target.name}: {before:,} inputs, {after:,} kept in {corpus}")
    return 0


def covered(targets: Sequence[Target], folder: Path, html: Path) -> int:
    """Replay seeds and corpora under coverage.py, and write its pages."""
    for target in targets:
        corpus = corpus_folder(folder, target.name)
        with scratch() as name:
            seeds = (*([str(corpus)] if corpus.is_dir() else []), *seed_folders(target, name))
            order = Order(
                target.name, "coverage", target.specs, corpus=str(html), seeds=seeds, artifacts=str(name)
            )  # fmt: skip
            ran = subprocess.run(order.command, env=order.environment, stdout=subprocess.PIPE, check=False)
        if ran.returncode:
            raise UsageError(f"{target.name} could not be replayed", "pip install 'editgauge[fuzz]' brings coverage.")
        click.echo(ran.stdout.decode().strip())
    return 0


# Drills


def drilled(
    drills: Sequence[Drill], seconds: float | None, runs: int | None, seed: int, repo: Path | None,
    *, as_json: bool, quiet: bool,
) -> int:  # fmt: skip
    """Go through drills; 1 where something did not hold."""
    groups: dict[tuple[str, str], list[Trial]] = {}
    counts: dict[tuple[str, str], int] = {}
    told = monotonic()
    for drill in drills:
        for trial in drill.run(Orders(seconds, runs, seed, repo)):
            key = (drill.name, trial.group)
            counts[key] = counts.get(key, 0) + trial.n
            groups.setdefault(key, []).append(trial)
            if not quiet and monotonic() - told >= _EVERY_S:
                told = monotonic()
                click.echo(f"{drill.name}: {sum(counts.values()):,} tries", err=True)
    rows = [_Row(name, group, counts[name, group], trials) for (name, group), trials in groups.items()]
    if as_json:
        click.echo(json.dumps({"schema_version": SCHEMA_VERSION, "groups": [row.document() for row in rows]}, indent=2))
    else:
        figures = dict.fromkeys(name for row in rows for name in row.figures)
        print_rows(rows, (*_DRILL_COLUMNS, *(_figure(name) for name in figures)))
        for row in rows:
            for trial in [trial for trial in row.trials if trial.broken][:_SHOWN_BROKEN]:
                click.echo(f"{row.drill} {row.group}: {printable(trial.what)}: {printable(trial.broken or '')}")
    return int(any(row.n_broken for row in rows))


class _Row:
    """The trials of one group."""

    def __init__(self, drill: str, group: str, n: int, trials: Sequence[Trial]) -> None:
        self.drill, self.group, self.n, self.trials = drill, group, n, trials
        self.n_broken = sum([trial.broken is not None for trial in trials])
        self.figures: dict[str, float] = {}
        for trial in trials:
            for name, value in trial.figures.items():
                self.figures[name] = max(value, self.figures.get(name, value))

    def document(self) -> dict[str, object]:
        """As a document."""
        broken = [{"what": trial.what, "broken": trial.broken} for trial in self.trials if trial.broken]
        return {"drill": self.drill, "group": self.group, "n": self.n, "broken": broken, "figures": self.figures}


_DRILL_COLUMNS: tuple[Column[_Row], ...] = (
    Column("drill", "What was gone through.", lambda row: row.drill),
    Column("group", "Of what.", lambda row: row.group),
    Column("tries", "How often.", lambda row: f"{row.n:,}"),
    Column("broken", "Of these, where something did not hold.", lambda row: str(row.n_broken)),
)


def _figure(name: str) -> Column[_Row]:
    return Column(
        name.replace("_", " "), "The largest of the group.",
        lambda row: _number(row.figures[name]) if name in row.figures else ABSENT,
    )  # fmt: skip


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3g}"
