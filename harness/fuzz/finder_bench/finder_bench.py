"""The finder bench: how long the engines take to find bugs that were planted. `editgauge fuzz --bench`."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
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

from editcore.errors import UsageError
from harness.fuzz.engine.campaign import DEATHS, CampaignSettings, chosen_engine
from harness.fuzz.engine.input_corpus import seed_folders
from harness.fuzz.engine.worker import WorkerJob
from harness.fuzz.finder_bench.planted import PLANTED, Planted
from harness.fuzz.targets import target_by_name
from harness.terminal import pipe_may_close
from reports.views.tables import ABSENT, Column, print_rows

SCHEMA_VERSION = 1

_OTHERS = ("bytes", "hypothesis")
"""What the mutator is compared with, in fewer trials."""
_TRIALS_OF_OTHERS = 3
_WALL_PER_CPU = 20
"""Seconds on the clock after which a trial is given up, for each of its CPU seconds: other work may be going on."""
_EVENTS = ("reached", "triggered", "detected")


@dataclass(frozen=True, slots=True)
class Trial:
    """One engine's search for one bug."""

    bug: str
    engine: str
    number: int
    reached: float | None = None
    """CPU seconds of fuzzing until the planted code ran; None: it did not."""
    triggered: float | None = None
    """Until it made a difference."""
    detected: float | None = None
    """Until something that is to hold did not, which without the bug would."""
    n_executions: int | None = None
    """None where the process died of the input."""
    property: str | None = None
    """What did not hold."""
    fields: tuple[str, ...] = ()
    """Of the input on which it did not."""


@dataclass(frozen=True, slots=True)
class Search:
    """All trials of one engine for one bug."""

    trials: Sequence[Trial]

    def count(self, event: str) -> int:
        """In how many trials the bug was reached, triggered or detected."""
        return sum(getattr(trial, event) is not None for trial in self.trials)

    @property
    def missed(self) -> int:
        """Trials in which it was not found."""
        return len(self.trials) - self.count("detected")

    @property
    def median_s(self) -> float | None:
        """CPU seconds to the bug (Kaplan-Meier, where all are given the same time); None if half or more missed it."""
        middle = median(math.inf if trial.detected is None else trial.detected for trial in self.trials)
        return None if math.isinf(middle) else middle

    @property
    def worst_s(self) -> float | None:
        """Of the slowest trial; None if one missed it."""
        found = [trial.detected for trial in self.trials if trial.detected is not None]
        return None if self.missed else max(found)


Searches = Mapping[tuple[str, str], Search]
"""By bug and engine."""


def print_bench(
    settings: CampaignSettings, names: Sequence[str], trials: int, *, has_engine: bool, as_json: bool, quiet: bool
) -> int:
    """Look for the bugs that names or globs stand for, print how long it took; 1 where the first engine missed one."""
    bugs = _selected(names)
    first = chosen_engine(settings.engine)
    engines = {first: trials}
    if not has_engine:
        engines |= {
            engine: min(trials, _TRIALS_OF_OTHERS) for engine in _OTHERS if engine != first and _is_there(engine)
        }
    found: dict[tuple[str, str], list[Trial]] = {(bug.name, engine): [] for bug in bugs for engine in engines}
    for trial in _trials(bugs, engines, settings):
        found[trial.bug, trial.engine].append(trial)
        if not quiet:
            n_done = sum(map(len, found.values()))
            _tell_of(trial, n_done, len(bugs) * sum(engines.values()))
    searches = {key: Search(sorted(some, key=lambda trial: trial.number)) for key, some in found.items()}
    with pipe_may_close():
        if as_json:
            click.echo(json.dumps(bench_document(bugs, list(engines), searches, settings), indent=2))
        else:
            _print(bugs, list(engines), searches)
    return int(any(searches[bug.name, first].missed for bug in bugs))


def _selected(names: Sequence[str]) -> list[Planted]:
    for name in names:
        if not any(_is_meant(bug, name) for bug in PLANTED.values()):
            raise UsageError(
                f"There is no planted bug {name!r}", f"Name a target, or one of: {', '.join(PLANTED)}; globs work too."
            )
    return [bug for bug in PLANTED.values() if not names or any(_is_meant(bug, name) for name in names)]


def _is_meant(bug: Planted, name: str) -> bool:
    return any(fnmatchcase(one, name) for one in (bug.name, bug.target, bug.area))


def _is_there(engine: str) -> bool:
    try:
        return bool(chosen_engine(engine))
    except UsageError:
        return False


# Trials


def _trials(bugs: Sequence[Planted], engines: Mapping[str, int], settings: CampaignSettings) -> Iterator[Trial]:
    """Every trial, as they end; the same numbers of all bugs one after the other."""
    running: set[subprocess.Popen[bytes]] = set()
    pool = ThreadPoolExecutor(max_workers=settings.jobs)
    try:
        futures = [
            pool.submit(_tried, bug, engine, number, settings, running)
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


def _tried(
    bug: Planted, engine: str, number: int, settings: CampaignSettings, running: set[subprocess.Popen[bytes]]
) -> Trial:
    with tempfile.TemporaryDirectory(prefix="editgauge-bench-") as name:
        folder = Path(name)
        (folder / "corpus").mkdir()
        job = WorkerJob(
            bug.target, engine, planted=bug.name, cpu_s=settings.seconds, seconds=settings.seconds * _WALL_PER_CPU,
            seed=settings.seed + number, corpus=str(folder / "corpus"), artifacts=name,
            seeds=seed_folders(target_by_name(bug.target, ()), folder, settings.seeds),
        )  # fmt: skip
        with (folder / "stderr").open("wb") as stderr:
            process = subprocess.Popen(
                job.command, env=job.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr
            )
        running.add(process)
        assert process.stdout is not None
        events: dict[str, Any] = {}
        with process.stdout:
            for line in process.stdout:
                with suppress(ValueError):  # atheris tells there of a time-out.
                    events |= json.loads(line)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        running.discard(process)
        said = (folder / "stderr").read_text("utf-8", "replace")
    if process.returncode and "triggered" in events and process.returncode in DEATHS:
        # It hangs, or ends the process: nobody is left to tell.
        events["detected"] = usage.ru_utime + usage.ru_stime - events["started"]
        events["property"] = DEATHS[process.returncode]
    elif process.returncode not in (0, -signal.SIGXCPU):
        raise UsageError(
            f"The worker for {bug.name} ended with {process.returncode}: {' '.join(said.split())[-300:]}",
            "Look for it with this one alone; the code that it was planted in may have changed.",
        )
    times = {event: events.get(event) for event in _EVENTS}
    return Trial(
        bug.name, engine, number, **times, n_executions=events.get("executions"), property=events.get("property"),
        fields=tuple(events.get("fields", ())),
    )  # fmt: skip


# What is told


def _tell_of(trial: Trial, n_done: int, n_trials: int) -> None:
    how = "not found" if trial.detected is None else f"{trial.detected:.1f} s, {trial.property}"
    click.echo(f"{n_done} of {n_trials}: {trial.bug}, {trial.engine}, trial {trial.number + 1}: {how}", err=True)


def _print(bugs: Sequence[Planted], engines: Sequence[str], searches: Searches) -> None:
    print_rows(bugs, [
        Column("bug", "What was planted.", lambda bug: bug.name),
        Column("area", "Where.", lambda bug: bug.area),
        Column("target", "What has to find it.", lambda bug: bug.target),
        *[column for engine in engines for column in _columns(engine, searches)],
    ])  # fmt: skip
    missed = [(bug.name, engine) for engine in engines for bug in bugs if searches[bug.name, engine].missed]
    if missed:
        click.echo("\nNot found in every trial, and how far each came:")
        print_rows(missed, [
            Column("bug", "What was planted.", lambda key: key[0]),
            Column("engine", "Who made the inputs.", lambda key: key[1]),
            *[Column(event, "In how many trials.", partial(_share, searches, event)) for event in _EVENTS],
        ])  # fmt: skip
    for engine in engines:
        found = [searches[bug.name, engine] for bug in bugs]
        every = sum(not one.missed for one in found)
        middle = median(math.inf if one.median_s is None else one.median_s for one in found)
        click.echo(f"{engine}: {every} of {len(bugs)} bugs in every trial; median of the medians {_seconds(middle)}")


def _columns(engine: str, searches: Searches) -> Iterator[Column[Planted]]:
    def of(bug: Planted) -> Search:
        return searches[bug.name, engine]

    yield Column(
        engine, "Trials in which it was found.", lambda bug: f"{of(bug).count('detected')}/{len(of(bug).trials)}"
    )
    yield Column("median s", "CPU seconds to the bug; absent where half or more missed it.", _cell(of, "median_s"))
    yield Column("worst s", "Of the slowest trial; absent where one missed it.", _cell(of, "worst_s"))


def _cell(of: Callable[[Planted], Search], name: str) -> Callable[[Planted], str]:
    return lambda bug: _seconds(getattr(of(bug), name))


def _seconds(seconds: float | None) -> str:
    return ABSENT if seconds is None or math.isinf(seconds) else f"{seconds:.2f}"


def _share(searches: Searches, event: str, key: tuple[str, str]) -> str:
    return f"{searches[key].count(event)}/{len(searches[key].trials)}"


def bench_document(
    bugs: Sequence[Planted], engines: Sequence[str], searches: Searches, settings: CampaignSettings
) -> dict[str, object]:
    """All trials as a document."""
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
