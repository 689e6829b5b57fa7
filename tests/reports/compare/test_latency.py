"""The latency gate over nights: 200 nights of unchanged code, and a planted slowdown.

The levels are measured: tests/data/latency_levels.json holds those of runs of one code over `house`, with the number of
busy processes beside the run (0 to 2) and the load of the machine (0.7 to 8: it had two cores and other users).
Simulated nights draw from them at random.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from random import Random

import pytest
from scipy import stats

from reports.compare import latency as module
from reports.compare.comparison import compare
from reports.compare.gate import Gate, Rule, failures, latency_notes, with_latencies
from reports.compare.latency import NightLevels, NightlyLatency, levels, nightly_latencies
from reports.history.nights import History, Judged, latencies_of, sample_marks
from reports.measurements.interval import student
from reports.runs.run_folder import RunFolder
from tests.twins import write_run

MEASURED = json.loads((Path(__file__).parents[2] / "data" / "latency_levels.json").read_text())
TOLERANCE = 0.25
A, SIMPLE, MINE = "cascade/a", "replacer/simple", "cmd/mine"
IN_CPU = " in CPU time of first calls"
MINE_IN_CPU = MINE + IN_CPU


def drawn(rng: Random) -> dict[str, float]:
    """The levels of a night: those of a measured run, and some luck more, so that no two nights are equal."""
    measured = rng.choice(MEASURED)["levels"]
    return {strategy: level + rng.gauss(0, 0.01) for strategy, level in measured.items()}


def failing(nights: list[NightLevels]) -> set[str]:
    """The strategies that fail the latency rule on the last of these nights."""
    found = nightly_latencies(nights[:1] + nights[1:][-module.MOST_NIGHTS :], TOLERANCE)
    return {one.strategy for one in found if one.was_slow and one.is_slow(TOLERANCE)}


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 11))])
def test_of_200_nights_of_unchanged_code_at_most_two_fail(seed: int) -> None:
    rng = Random(seed)
    nights: list[NightLevels] = []
    alarms = []
    for number in range(200):
        nights.append(NightLevels("first", drawn(rng)))
        if number and (failed := failing(nights)):
            alarms.append((number, failed))
    assert len(alarms) <= 2, alarms


def test_without_the_yardstick_a_program_of_many_times_the_cpu_time_is_slower(tmp_path: Path) -> None:
    def run(name: str, first_cpu: int) -> RunFolder:
        return RunFolder(
            write_run(tmp_path / name, {"cmd/mine": "cc"}, cpus={"cmd/mine": [first_cpu] * 2}, n_timed=[1] * 2)
        )

    usual = run("usual", 1_000_000)
    for cpu, is_slower in ((1_000_000, False), (2_000_000, False), (115_000_000, True), (1_000, False)):
        (found,) = module.latencies_of_runs(usual, run(f"other{cpu}", cpu), TOLERANCE)
        assert (found.strategy, found.in_cpu, found.fails(TOLERANCE)) == ("cmd/mine", True, is_slower), cpu


@pytest.mark.parametrize(
    ("family", "after", "share"),
    [
        ("cascade/", 1, 0.75),
        ("cascade/", 5, 0.95),
        pytest.param("cascade/", 30, 0.95, marks=pytest.mark.slow),
        ("cmd/", 5, 0.75),
        ("cmd/", 10, 0.9),
        pytest.param("cmd/", 30, 0.9, marks=pytest.mark.slow),
        ("tool/", 5, 0.75),
        ("tool/", 10, 0.95),
        pytest.param("tool/", 30, 0.95, marks=pytest.mark.slow),
    ],
)
def test_a_planted_slowdown_is_caught_within_two_nights(family: str, after: int, share: float) -> None:
    """After so many nights: four times in five where those are few, later nearly always."""
    caught = {1: 0, 2: 0}
    n = 60
    for seed in range(n):
        rng = Random(seed)
        slow = rng.choice([name for name in MEASURED[0]["levels"] if name.startswith(family) and " " not in name])
        nights = [NightLevels("first", drawn(rng)) for _ in range(after)]
        for night in (1, 2):
            tonight = drawn(rng)
            for clock in (slow, slow + IN_CPU):
                if clock in tonight:
                    tonight[clock] += math.log(1.5)
            nights.append(NightLevels("first", tonight))
            caught[night] += slow in failing(nights)
    assert caught[1] == 0
    assert caught[2] >= share * n


def test_a_waiting_strategy_that_takes_more_cpu_time_is_told_apart() -> None:
    levels_of = [{MINE: 3 + 0.01 * (number % 2), MINE_IN_CPU: 1 + 0.01 * (number % 3)} for number in range(9)]
    nights = [NightLevels("first", one) for one in levels_of]
    slow = NightLevels("first", {MINE: 3.0, MINE_IN_CPU: 1.7})
    wall, cpu = nightly_latencies([*nights, slow], TOLERANCE)
    assert [(one.strategy, one.in_cpu, one.is_slow(TOLERANCE)) for one in (wall, cpu)] == [
        (MINE, False, False), (MINE, True, True)
    ]  # fmt: skip
    (note,) = latency_notes([wall, cpu], TOLERANCE)
    assert note.startswith("cmd/mine takes 1.99 times the CPU time of the 9 nights before; noise explains 1.")


def test_processes_are_not_judged_before_there_are_five_nights() -> None:
    nights = [NightLevels("first", {MINE: 1 + 0.001 * number, A: 1.0}) for number in range(4)]
    for n in (4, 5):
        found = {one.strategy: one for one in nightly_latencies([*nights, NightLevels("first", {MINE: 9, A: 1})], 0.25)}
        assert (found[MINE].n_nights, found[MINE].is_judged, found[A].is_judged) == (n, n == 5, True)
        assert found[MINE].is_slow(0.25) == (n == 5)
        nights.append(NightLevels("first", {MINE: 1.004, A: 1.0}))
    early = list(latency_notes([NightlyLatency(MINE, 2, 1.1, 4, False)], 0.25))
    assert len(early) == 1
    assert "cmd/mine" in early[0]
    assert "1 more night " in early[0]


def test_it_takes_two_slow_nights_in_a_row_and_the_first_is_told() -> None:
    usual = [NightLevels("first", {A: 1 + 0.01 * (number % 2)}) for number in range(6)]
    slow = NightLevels("first", {A: 1.5})
    (once,) = nightly_latencies([*usual, slow], TOLERANCE)
    assert (once.is_slow(TOLERANCE), once.was_slow) == (True, False)
    assert once.ratio == pytest.approx(math.exp(0.495))
    (told,) = latency_notes([once], TOLERANCE)
    assert told.startswith("cascade/a takes 1.64 times as long as on the 6 nights before; noise explains 1.1")
    assert told.endswith("a second such night in a row fails the latency rule.")
    (twice,) = nightly_latencies([*usual, slow, slow], TOLERANCE)
    assert (twice.is_slow(TOLERANCE), twice.was_slow, twice.n_nights) == (True, True, 6)
    (apart,) = nightly_latencies([*usual, slow, usual[0], slow], TOLERANCE)
    assert apart.was_slow is False


def test_small_increases_add_up_since_the_reference_does_not_move() -> None:
    creeping = [NightLevels("first", {A: 0.01 * max(0, number - 10)}) for number in range(61)]
    (found,) = nightly_latencies(creeping, TOLERANCE)
    assert found.n_nights == 10
    assert found.ratio == pytest.approx(math.exp(0.5), rel=0.01)


def test_nights_before_the_baseline_tell_the_noise_around_their_own_mean() -> None:
    rng = Random(1)
    before = [NightLevels("old", {MINE: 5 + rng.gauss(0, 0.6)}) for _ in range(30)]
    since = [NightLevels("new", {MINE: 1.0}) for _ in range(6)]
    (alone,) = nightly_latencies(since, TOLERANCE)
    (both,) = nightly_latencies([*before, *since], TOLERANCE)
    assert alone.noise < 2
    assert 2 < both.noise < 8
    assert (both.ratio, both.n_nights) == (pytest.approx(1), 5)


@pytest.mark.parametrize("freedom", [5, 6, 8, 20, 100])
def test_the_quantile_is_students(freedom: int) -> None:
    assert student(freedom, z=module._Z) == pytest.approx(stats.t.ppf(1 - module._ALPHA, freedom), rel=0.01)


def test_levels_are_of_the_timed_subset_and_of_first_calls_where_a_strategy_waits(tmp_path: Path) -> None:
    n = 40
    verdicts = dict.fromkeys((SIMPLE, A, MINE), "c" * n)
    walls = {SIMPLE: [1000] * n, A: [9000] * n, MINE: [30_000] * n}
    cpus = {SIMPLE: [1000] * n, A: [2000] * 20 + [9000] * 20, MINE: [5] * n}
    firsts = {SIMPLE: [2000] * n, A: [7] * n, MINE: [50] * 20 + [60] * 20}
    n_timed = [4] * 20 + [1] * 20
    run = write_run(tmp_path / "run", verdicts, latencies=walls, cpus=cpus, first_cpus=firsts, n_timed=n_timed)
    assert levels(RunFolder(run)) == {
        A: pytest.approx(math.log(2)),
        MINE: pytest.approx(math.log(30)),
        MINE_IN_CPU: pytest.approx(math.log(math.sqrt(50 * 60) / 2000)),
    }
    assert levels(RunFolder(write_run(tmp_path / "old", verdicts, latencies=walls))) == {}
    assert levels(RunFolder(write_run(tmp_path / "bare", {A: "c"}, cpus={A: [1]}, n_timed=[4]))) == {}


def test_levels_leave_out_calls_that_were_repeated_because_they_were_slow(tmp_path: Path) -> None:
    cpus = {SIMPLE: [1000, 1000, 1000], A: [2000, 2000, 90_000]}
    verdicts, n_timed = {SIMPLE: "ccc", A: "ccc"}, [3, 3, 3]
    found = {}
    for why in (None, "drawn", "slow"):
        run = write_run(
            tmp_path / str(why), verdicts, cpus=cpus, latencies=cpus, n_timed=n_timed, repeated=["drawn", None, why]
        )
        found[why] = levels(RunFolder(run))[A]
    assert found["slow"] == pytest.approx(math.log(2))
    assert found[None] == found["drawn"] == pytest.approx(math.log(2) * 2 / 3 + math.log(90) / 3)


@pytest.mark.parametrize(
    ("first_year", "joins_on", "recorded"),
    [
        pytest.param(2026, 99, False, id="as usual", marks=pytest.mark.slow),
        pytest.param(2031, 99, True, id="clock ahead on the first night", marks=pytest.mark.slow),
        pytest.param(2026, 10, True, id="a strategy of another format joins on the second slow night"),
    ],
)
def test_nights_of_a_history_are_judged_and_fail_on_the_second_slow_one(
    first_year: int, joins_on: int, recorded: bool, tmp_path: Path
) -> None:
    """Run folders, levels, comparison and gate as a night has them."""
    history = History(tmp_path / "history")
    rng = Random(3)
    failed = []
    n = 30
    first = ""
    for day in range(1, 12):
        factor = 1.5 if day >= 9 else 1
        times = {SIMPLE: 10_000, A: 30_000 * factor}
        cpus = {name: [int(mean * rng.gauss(1, 0.02)) for _ in range(n)] for name, mean in times.items()}
        joined = day >= joins_on
        others = {"unified_diff/strict": " " * n + "c"} if joined else {}
        run = write_run(
            tmp_path / str(day), {SIMPLE: "c" * n, A: "c" * n, **others},
            cpus=cpus, latencies=cpus, n_timed=[4] * n, corpus_fingerprint="f2" if joined else "f1",
            created=f"{2026 if first else first_year}-11-{day:02}T03:00:00+00:00", strategy_ns=day,
        )  # fmt: skip
        name = history.add(run)
        first = first or name
        night = history.night(name)
        if name != first:
            nightly = latencies_of(history, name, first, TOLERANCE)
            compared = compare(RunFolder(history.night(first)), RunFolder(night))
            found = failures(with_latencies(compared, Gate(), nightly), Gate())
            failed.append([one.kind for one in found or ()])
        marks = sample_marks(RunFolder(night)) if recorded else None
        history.judge(name, Judged(None if name == first else first, levels=levels(RunFolder(night)), samples=marks))
    assert failed == [[]] * 8 + [[Rule.LATENCY]] * 2


def test_a_broken_level_is_left_out(tmp_path: Path) -> None:
    history = History(tmp_path / "history")
    names = [
        history.add(write_run(tmp_path / day, {A: "c"}, created=f"2026-11-{day}T03:00:00+00:00"))
        for day in ("01", "02")
    ]
    history.judge(names[0], Judged(None, levels={A: math.nan, SIMPLE: 1e300}))
    assert latencies_of(history, names[1], names[0], TOLERANCE) == []


def test_a_night_of_other_samples_is_no_measure_of_a_latency(tmp_path: Path) -> None:
    history = History(tmp_path / "history")
    names = []
    for day, corpus, fingerprints in (("01", "f1", {}), ("02", "f1", {}), ("03", "f2", {"s0000": 7})):
        run = write_run(
            tmp_path / day, {SIMPLE: "cc", A: "cc"}, cpus={SIMPLE: [1000, 1000], A: [1000, 1000]}, n_timed=[3, 3],
            corpus_fingerprint=corpus, fingerprints=fingerprints, created=f"2026-11-{day}T03:00:00+00:00",
        )  # fmt: skip
        names.append(history.add(run))
    assert [one.strategy for one in latencies_of(history, names[1], names[0], TOLERANCE)] == [A]
    assert latencies_of(history, names[2], names[0], TOLERANCE) == []
