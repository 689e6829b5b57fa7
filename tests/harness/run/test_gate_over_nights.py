"""The gate over 200 nights: regressions of fifteen kinds are planted, and between them are innocent changes.

Everything but the runs is real: the command, the history, the comparison, the gate, its exit code. The runs are made
up, with latencies as measured (tests/data/latency_levels.json, see tests/reports/compare/test_nightly_latency.py).
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from harness.fuzz.finding import Finding, write_finding
from harness.run import nightly
from harness.run.plan import Request
from reports.history.fuzz_nights import FuzzedTarget, FuzzNight, append_night
from reports.history.nights import History
from tests.harness.program import call
from tests.twins import write_run

N_NIGHTS = 200
MEASURED = json.loads((Path(__file__).parents[2] / "data" / "latency_levels.json").read_text())
SIMPLE, MINE = "replacer/simple", "cmd/mine"
COMPUTING = ("cascade/exact", "cascade/reference")
OUTCOMES = "c" * 40 + "m" * 5 + "w" * 7 + "rrrr" + "xx" + "tt"
"""Of every strategy: 60 samples, of which four are to be refused."""
TO_APPLY, WRONG, TO_REFUSE, CRASHED = range(40), range(45, 52), range(52, 56), range(56, 58)


@dataclass
class Tonight:
    """A night that is made up: as all nights are, until something is planted."""

    rng: Random
    number: int
    folder: Path
    """Of the history, and of fuzzing beside it."""
    begun: datetime
    outcomes: dict[str, list[str]] = field(
        default_factory=lambda: {name: list(OUTCOMES) for name in (SIMPLE, *COMPUTING, MINE)}
    )
    worse: dict[str, dict[str, Any]] = field(default_factory=dict)
    fingerprints: dict[str, int | None] = field(default_factory=dict)
    factor: float = 1.0
    """How much slower strategies that compute are."""
    failure: str | None = None
    """Why a target could not be fuzzed."""

    @property
    def strategy(self) -> str:
        return self.rng.choice(list(self.outcomes))

    def one(self, of: range) -> str:
        """The id of a sample."""
        return f"s{self.rng.choice(of):04}"

    def turn(self, of: range, letter: str, n: int = 1) -> None:
        mine = self.outcomes[self.strategy]
        for at in self.rng.sample(of, n):
            mine[at] = letter

    def write(self, folder: Path) -> None:
        """Write the run of the night."""
        levels = {SIMPLE: 0.0} | self.rng.choice(MEASURED)["levels"]
        walls, cpus, firsts = {}, {}, {}
        for name in {SIMPLE, *COMPUTING, MINE} & {*self.outcomes}:
            slow = math.log(self.factor) if name in COMPUTING else 0
            first = levels.get(f"{name} in CPU time of first calls", levels[name])
            walls[name], firsts[name] = ([self._ns(level + slow)] * 60 for level in (levels[name], first))
            cpus[name] = walls[name]
        verdicts = {name: "".join(letters) for name, letters in self.outcomes.items()}
        corpus = json.dumps([len(max(verdicts.values(), key=len)), self.fingerprints])
        write_run(
            folder, verdicts, severity="same_tree", n_lines_lost=0, worse=self.worse, fingerprints=self.fingerprints,
            latencies=dict.fromkeys(verdicts, 61 * (1000,)) | walls, cpus=cpus, first_cpus=firsts,
            n_timed=[3] * 60, created=self.begun.isoformat(), strategy_ns=self.number, corpus_fingerprint=corpus,
            repos=[f"repo-{at % 9}" for at in range(61)],
        )  # fmt: skip

    def _ns(self, level: float) -> int:
        return int(100_000 * math.exp(level + self.rng.gauss(0, 0.01)))


def renamed(night: Tonight) -> None:
    name = night.rng.choice([SIMPLE, *COMPUTING, MINE])
    night.outcomes = {f"{name}_2" if one == name else one: letters for one, letters in night.outcomes.items()}
    night.outcomes[f"{name}_2"][0] = "w"


def another_format_joins(night: Tonight) -> None:
    night.outcomes["unified_diff/strict"] = [" "] * 60 + ["c"]


def relabelled(night: Tonight) -> None:
    another_format_joins(night)
    night.fingerprints[night.one(TO_APPLY)] = night.number


def slow(night: Tonight) -> None:
    night.factor = 1.6


def slow_by_another_clock(night: Tonight) -> None:
    night.begun -= timedelta(days=700)
    slow(night)


def lost(night: Tonight) -> None:
    night.turn(TO_APPLY, "w")
    (night.folder / "nights" / "accepted.jsonl").write_text("")


def found_by_a_killed_campaign(night: Tonight) -> None:
    found = Finding("cascade/exact", "exact_wins", f"path {night.number}", "made up", ("a", "b", "c"))
    write_finding(found, night.folder / "fuzz" / "findings")


PLANTED: Mapping[str, Callable[[Tonight], object]] = {
    "a right edit is wrong": lambda night: night.turn(TO_APPLY, "w"),
    "a missed edit is wrong": lambda night: night.turn(range(40, 45), "w"),
    "an edit that is to be refused is applied": lambda night: night.turn(TO_REFUSE, "W"),
    "a wrong edit breaks the file": lambda night: night.worse.update({night.one(WRONG): {"severity": "broken"}}),
    "a wrong edit empties the file": lambda night: night.worse.update({night.one(WRONG): {"n_lines_lost": 70}}),
    "a right edit crashes": lambda night: night.turn(TO_APPLY, "x"),
    "a crash hangs": lambda night: night.turn(CRASHED, "t"),
    "many edits are missed": lambda night: night.turn(TO_APPLY, "m", 12), "a strategy has another name": renamed,
    "a right answer is another": relabelled, "the baseline is lost": lost,
    "a target could not be fuzzed": lambda night: setattr(night, "failure", "ImportError"),
    "a finding of a killed campaign": found_by_a_killed_campaign, "slower": slow,
    "slower, and the clock went back": slow_by_another_clock,
}  # fmt: skip
TWICE = {"slower", "slower, and the clock went back"}
"""Kinds that fail on the second of two nights in a row."""

INNOCENT: Mapping[str, Callable[[Tonight], object]] = {
    "nothing": lambda _: None,
    "a missed edit is right": lambda night: night.turn(range(40, 45), "c"),
    "a wrong edit is missed": lambda night: night.turn(WRONG, "m"),
    "a hang crashes": lambda night: night.turn(range(58, 60), "x"),
    "one more edit is missed": lambda night: night.turn(TO_APPLY, "m"),
    "a strategy of another format joins": another_format_joins,
    "the clock went back": lambda night: setattr(night, "begun", night.begun - timedelta(days=700)),
}


def plan(rng: Random) -> Iterator[tuple[str, bool]]:
    """What is done on each night, and whether it has to fail: each kind in turn, in another order every time."""
    yield from [("nothing", False)] * 6
    while True:
        for kind in rng.sample(list(PLANTED), len(PLANTED)):
            yield from [(rng.choice(list(INNOCENT)), False) for _ in range(rng.randint(1, 2))]
            if kind in TWICE:
                yield kind, False
            yield kind, True


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", range(2))
def test_planted_regressions_are_all_caught_and_unchanged_nights_pass(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = Random(seed)
    runs: list[Tonight] = []

    def run(request: Request, **_: object) -> None:
        assert request.folder is not None
        runs[-1].write(request.folder)

    monkeypatch.setattr(nightly, "run", run)
    history, fuzz = tmp_path / "nights", tmp_path / "fuzz"
    caught, missed, n_others, alarms = Counter[str](), [], 0, []
    for number, (kind, fails) in zip(range(N_NIGHTS), plan(rng), strict=False):
        night = Tonight(rng, number, tmp_path, datetime(2026, 1, 1, 3, tzinfo=UTC) + timedelta(days=number))
        (PLANTED | INNOCENT)[kind](night)
        runs.append(night)
        target = FuzzedTarget(0 if night.failure else 100, 1.0, failure=night.failure)
        append_night(fuzz, FuzzNight(number + 1, night.begun.isoformat(), {"paths": target}))
        done = call("nightly", "smoke", "--history", history, "--fuzz", fuzz, "-q")
        assert done.exit_code in (0, 1, 2), done.output
        assert not done.exception or isinstance(done.exception, SystemExit), done.output
        if fails:
            caught[kind] += done.exit_code > 0
            missed += [(number, kind)] * (done.exit_code == 0)
        else:
            n_others += 1
            alarms += [(number, kind, done.stdout[-300:])] if done.exit_code else []
        if kind == "the baseline is lost":
            first = History(history).nights()[0]
            assert call("baseline", "accept", first, "--history", history, "--why", "as before").exit_code == 0
    print(f"{caught.total()} planted and caught, {len(missed)} missed; {n_others} others, {len(alarms)} failed")
    assert missed == []
    assert {*caught} == {*PLANTED}
    assert min(caught.values()) >= 3
    # By the latency rule alone, and as rarely as it has them without anything planted.
    assert len(alarms) <= 2, alarms
    assert all("latency" in told for *_, told in alarms)
