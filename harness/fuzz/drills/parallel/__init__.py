"""Drill: many calls at once, on one file and on several, with reads between: no update is lost, no file is torn.

Every call has a line of its own, so every order of the calls leaves the same files. A side makes the calls: our tools
in this process, a program that speaks docs/protocol.md, or any server of the Model Context Protocol.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from random import Random
from time import monotonic

from editcore.errors import UsageError
from harness.fuzz.drills.drill import Drill, DrillSettings, Trial
from harness.fuzz.drills.parallel.sides import OURS, Side, calls_tip, opened, read_calls
from harness.fuzz.drills.parallel.workload import IN_FLIGHT, SCENES, Call, Counts, Round, Scene
from harness.scratch import scratch

_CALLS = 1_000
"""The calls of each scene, without a number of rounds."""


def parallel(settings: DrillSettings) -> Iterator[Trial]:
    """A trial for each side and scene."""
    calls = read_calls(settings.calls)
    until = settings.deadline()
    for name in settings.strategies or OURS:
        for scene in SCENES:
            if monotonic() >= until:
                return
            with scratch() as folder, ExitStack() as stack:
                side = stack.enter_context(opened(name, folder.resolve(), calls))
                yield _trial(name, scene, side, settings, until)


def _trial(name: str, scene: Scene, side: Side, settings: DrillSettings, until: float) -> Trial:
    counts, started = Counts(), monotonic()
    n_rounds = settings.runs or -(-_CALLS // IN_FLIGHT)
    for number in range(n_rounds):
        one = Round(side.folder, scene, Random(f"{settings.seed}/{scene.name}/{number}"), number)
        one.write()
        # An agent reads a file before it edits it. Here that shows, too, that a whole file is told from a torn one.
        if hidden := one.hidden(side.make([Call("read", path) for path in one.files])):
            raise UsageError(f"{name}: {hidden}", calls_tip(side.tools))
        counts += one.judged(side.make(one.calls))
        if monotonic() >= until:
            break
    figures = counts.per_thousand() | {"calls per second": counts.n_calls / (monotonic() - started)}
    group = f"{name.partition('=')[0]}, {scene.name}"
    return Trial(group, f"seed {settings.seed}", counts.broken(), figures, counts.n_calls)


PARALLEL = Drill(
    "parallel",
    "Many calls at once: no update is lost, no file torn; -s names tools, programs and servers.",
    parallel,
    frozenset({"seed", "strategies", "calls"}),
)
