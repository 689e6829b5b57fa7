"""The finder bench: the CPU time that each engine takes to find planted bugs. `make finder-bench`."""

from __future__ import annotations

import math
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import click

from editcore.errors import UsageError, did_you_mean
from harness.commands.fuzzing import campaign
from harness.commands.options import JSON, QUIET
from harness.fuzz.engine.campaign import DEATHS, CampaignSettings, chosen_engine, seed_folders
from harness.fuzz.engine.worker import WorkerJob
from harness.fuzz.targets import target_by_name
from harness.terminal import print_json
from reports.views.tables import ABSENT, Column, print_rows
from tests.harness.fuzz.finder_bench import worker
from tests.harness.fuzz.finder_bench.planted import PLANTED, Planted

SCHEMA_VERSION = 1

_OTHERS = ("hypothesis",)
"""The engines that the first one is compared with, in fewer trials."""
_TRIALS_OF_OTHERS = 3
_WALL_PER_CPU = 20
"""Wall time limit of a trial, in multiples of its CPU time limit, because other processes may be running."""
_EVENTS = ("reached", "triggered", "detected")


@dataclass(frozen=True, slots=True)
class Trial:
    """One engine's search for one bug."""

    bug: str
    engine: str
    number: int
    reached: float | None = None
    """CPU seconds until the planted code ran; None if it did not."""
    triggered: float | None = None
    """CPU seconds until it made a difference; None if it did not."""
    detected: float | None = None
    """CPU seconds until a property failed that holds without the bug; None if none did."""
    n_executions: int | None = None
    """None if the process died of the input."""
    property: str | None = None
    """The property that failed."""
    fields: tuple[str, ...] = ()
    """The input on which it failed."""


@dataclass(frozen=True, slots=True)
class Search:
    """All trials of one engine for one bug."""

    trials: Sequence[Trial]

    def count(self, event: str) -> int:
        """The number of trials in which the bug was `reached`, `triggered` or `detected`."""
        return sum(getattr(trial, event) is not None for trial in self.trials)

    @property
    def missed(self) -> int:
        """The number of trials in which it was not found."""
        return len(self.trials) - self.count("detected")

    @property
    def median_s(self) -> float | None:
        """Median CPU seconds to the bug, with missed trials as infinite; None if half or more missed it."""
        middle = median(math.inf if trial.detected is None else trial.detected for trial in self.trials)
        return None if math.isinf(middle) else middle

    @property
    def worst_s(self) -> float | None:
        """CPU seconds of the slowest trial; None if one missed it."""
        found = [trial.detected for trial in self.trials if trial.detected is not None]
        return None if self.missed else max(found)


Searches = Mapping[tuple[str, str], Search]
"""(bug, engine) -> all trials."""


@click.command()
@click.argument("names", nargs=-1, metavar="[BUG]...")
@campaign(seconds=60.0, limit_of="CPU time limit for each trial.", seed_of="Seed of the inputs of the first trial.")
@click.option(
    "--trials", type=click.IntRange(min=1), default=10, show_default=True,
    help="Trials for each bug; engines that are only compared with get at most three.",
)  # fmt: skip
@JSON
@QUIET
def main(names: Sequence[str], settings: CampaignSettings, trials: int, as_json: bool, quiet: bool) -> None:
    """Measure how long engines take to find planted bugs.

    A BUG is a name or a glob of a bug, of a fuzz target, or of an area. Default: all bugs. With --engine, only that
    engine is measured. Exit code 0: every bug was found in every trial. 1: one was missed.
    """
    bugs = _selected(names)
    first = chosen_engine(settings.engine)
    engines = {first: trials}
    if settings.engine is None:
        engines |= {
            engine: min(trials, _TRIALS_OF_OTHERS) for engine in _OTHERS if engine != first and _is_installed(engine)
        }
    found: dict[tuple[str, str], list[Trial]] = {(bug.name, engine): [] for bug in bugs for engine in engines}
    for trial in _trials(bugs, engines, settings):
        found[trial.bug, trial.engine].append(trial)
        if not quiet:
            n_done = sum(map(len, found.values()))
            _report(trial, n_done, len(bugs) * sum(engines.values()))
    searches = {key: Search(sorted(some, key=lambda trial: trial.number)) for key, some in found.items()}
    if as_json:
        print_json(bench_document(bugs, list(engines), searches, settings))
    else:
        _print(bugs, list(engines), searches)
    sys.exit(any(searches[bug.name, first].missed for bug in bugs))


def _selected(names: Sequence[str]) -> list[Planted]:
    for name in names:
        if not any(_is_named(bug, name) for bug in PLANTED.values()):
            near = f"{did_you_mean(name, PLANTED)}Name a target, or one of: {', '.join(PLANTED)}; globs work too."
            raise click.BadParameter(f"There is no planted bug {name!r}. {near}")
    return [bug for bug in PLANTED.values() if not names or any(_is_named(bug, name) for name in names)]


def _is_named(bug: Planted, name: str) -> bool:
    return any(fnmatchcase(one, name) for one in (bug.name, bug.target, bug.area))


def _is_installed(engine: str) -> bool:
    try:
        return bool(chosen_engine(engine))
    except UsageError:
        return False


# Trials


def _trials(bugs: Sequence[Planted], engines: Mapping[str, int], settings: CampaignSettings) -> Iterator[Trial]:
    """Run all trials, and yield each when it ends."""
    running: set[subprocess.Popen[bytes]] = set()
    pool = ThreadPoolExecutor(max_workers=settings.jobs)
    try:
        futures = [
            pool.submit(_run_trial, bug, engine, number, settings, running)
            for engine, n_trials in engines.items()
            for number in range(n_trials)
            for bug in bugs
        ]
        for future in as_completed(futures):
            yield future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list(running):
            process.kill()


def _run_trial(
    bug: Planted, engine: str, number: int, settings: CampaignSettings, running: set[subprocess.Popen[bytes]]
) -> Trial:
    with tempfile.TemporaryDirectory(prefix="editgauge-bench-") as name:
        folder = Path(name)
        (folder / "corpus").mkdir()
        job = WorkerJob(
            bug.target, engine, seconds=settings.seconds * _WALL_PER_CPU,
            seed=settings.seed + number, corpus=str(folder / "corpus"), artifacts=name,
            seeds=seed_folders(target_by_name(bug.target, ()), folder, settings.seeds),
        )  # fmt: skip
        with (folder / "stderr").open("wb") as stderr:
            process = subprocess.Popen(
                worker.COMMAND, env=job.environment,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr,
            )  # fmt: skip
        assert process.stdin is not None
        with process.stdin:
            pickle.dump((job, bug.name, settings.seconds), process.stdin)
        running.add(process)
        assert process.stdout is not None
        events: dict[str, Any] = {}
        with process.stdout, suppress(EOFError, pickle.UnpicklingError):  # It was killed in the middle of one.
            while True:
                events |= pickle.load(process.stdout)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        running.discard(process)
        stderr_text = (folder / "stderr").read_text("utf-8", "replace")
    if process.returncode and "triggered" in events and process.returncode in DEATHS:
        # The bug hangs or ends the process, which cannot report it.
        events["detected"] = usage.ru_utime + usage.ru_stime - events["started"]
        events["property"] = DEATHS[process.returncode]
    elif process.returncode not in (0, -signal.SIGXCPU):
        raise UsageError(
            f"The worker for {bug.name} ended with {process.returncode}: {' '.join(stderr_text.split())[-300:]}",
            "Search for this bug alone; the code that it was planted in may have changed.",
        )
    times = {event: events.get(event) for event in _EVENTS}
    return Trial(
        bug.name, engine, number, **times, n_executions=events.get("executions"), property=events.get("property"),
        fields=tuple(events.get("fields", ())),
    )  # fmt: skip


# Output


def _report(trial: Trial, n_done: int, n_trials: int) -> None:
    how = "not found" if trial.detected is None else f"{trial.detected:.1f} s, {trial.property}"
    click.echo(f"{n_done} of {n_trials}: {trial.bug}, {trial.engine}, trial {trial.number + 1}: {how}", err=True)


def _print(bugs: Sequence[Planted], engines: Sequence[str], searches: Searches) -> None:
    print_rows(bugs, [
        Column("bug", "The planted bug.", lambda bug: bug.name),
        Column("area", "The area of the code.", lambda bug: bug.area),
        Column("target", "The fuzz target that has to find it.", lambda bug: bug.target),
        *[column for engine in engines for column in _columns(engine, searches)],
    ])  # fmt: skip
    missed = [(bug.name, engine) for engine in engines for bug in bugs if searches[bug.name, engine].missed]
    if missed:
        click.echo("\nNot found in every trial; trials that came to each stage:")
        print_rows(missed, [
            Column("bug", "The planted bug.", lambda key: key[0]),
            Column("engine", "The engine that made the inputs.", lambda key: key[1]),
            *[Column(event, "Trials that came to this stage.", partial(_share, searches, event)) for event in _EVENTS],
        ])  # fmt: skip
    for engine in engines:
        found = [searches[bug.name, engine] for bug in bugs]
        every = sum(not one.missed for one in found)
        middle = median(math.inf if one.median_s is None else one.median_s for one in found)
        click.echo(f"{engine}: {every} of {len(bugs)} bugs in every trial; median of the medians {_seconds(middle)}")


def _columns(engine: str, searches: Searches) -> Iterator[Column[Planted]]:
    def of(bug: Planted) -> Search:
        return searches[bug.name, engine]

    yield Column(engine, "Trials that found it.", lambda bug: f"{of(bug).count('detected')}/{len(of(bug).trials)}")
    yield Column("median s", "Median CPU seconds; absent if half or more missed it.", _cell(of, "median_s"))
    yield Column("worst s", "CPU seconds of the slowest trial; absent if one missed it.", _cell(of, "worst_s"))


def _cell(of: Callable[[Planted], Search], name: str) -> Callable[[Planted], str]:
    return lambda bug: _seconds(getattr(of(bug), name))


def _seconds(seconds: float | None) -> str:
    return ABSENT if seconds is None or math.isinf(seconds) else f"{seconds:.2f}"


def _share(searches: Searches, event: str, key: tuple[str, str]) -> str:
    return f"{searches[key].count(event)}/{len(searches[key].trials)}"


def bench_document(
    bugs: Sequence[Planted], engines: Sequence[str], searches: Searches, settings: CampaignSettings
) -> dict[str, object]:
    """All trials as a JSON document."""
    return {
        "schema_version": SCHEMA_VERSION,
        "cpu_seconds": settings.seconds,
        "bugs": [
            {
                "bug": bug.name,
                "target": bug.target,
                "area": bug.area,
                "summary": bug.summary,
                "engines": {
                    engine: {
                        "n_trials": len(one.trials),
                        **{f"n_{event}": one.count(event) for event in _EVENTS},
                        "median_s": one.median_s,
                        "worst_s": one.worst_s,
                        "trials": [
                            {name: value for name, value in asdict(trial).items() if name not in ("bug", "engine")}
                            for trial in one.trials
                        ],
                    }
                    for engine in engines
                    for one in [searches[bug.name, engine]]
                },
            }
            for bug in bugs
        ],
    }


if __name__ == "__main__":
    main()
