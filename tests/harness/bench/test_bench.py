"""The benchmark: its clock, its edits, and the replacers beside their literal port."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from click.testing import CliRunner

from editcore.replacers import REPLACERS
from harness.bench import tables
from harness.bench import tables as bench
from harness.bench import tables as bench_outputs
from harness.bench import tables as worst_cases
from harness.bench.growth import best_of, growth_exponent, measure_doubling, timed
from harness.bench.tables import (
    ALL,
    FOUND,
    PATCH_CASES,
    REFUSED,
    REPLACER_CASES,
    cases,
    compare_with_literal,
    measured,
    standard_library,
    time_edits,
    written_edits,
)
from harness.cli import main


@pytest.mark.parametrize("exponent", [0.5, 1, 2])
def test_the_exponent_is_the_slope_of_log_time_over_log_size(exponent: float) -> None:
    sizes = [100, 200, 400]
    assert growth_exponent(sizes, [size**exponent / 9e6 for size in sizes]) == pytest.approx(exponent)
    assert growth_exponent((1, 2), (0.25, 0.25 * 2**exponent)) == pytest.approx(exponent)


def test_a_call_is_timed_and_its_result_returned() -> None:
    result, seconds = timed(lambda: sum(range(100_000)))
    assert result == 4_999_950_000
    assert seconds > 0


def test_calls_take_turns_and_their_results_are_handed_on() -> None:
    results: list[object] = []
    times = best_of([lambda: "a", lambda: "b"], rounds=2, after=results.append)
    assert results == ["a", "b", "a", "b"]
    assert len(times) == 2


def test_short_calls_are_measured_in_more_rounds_up_to_ten_times_as_many() -> None:
    results: list[object] = []
    best_of([lambda: None], rounds=2, total_s=60.0, after=results.append)
    assert len(results) == 20


def test_a_doubling_is_reported_at_its_size() -> None:
    row = measure_doubling("sum", "1 number", (lambda: sum(range(200_000)), lambda: sum(range(400_000))), rounds=3)
    assert (row.name, row.size) == ("sum", "1 number")
    assert 0.3 < row.exponent < 2


def test_the_edits_of_a_seed_are_always_the_same_and_stand_nowhere_exactly() -> None:
    made = list(written_edits(40, 3))
    assert made == list(written_edits(40, 3)) != list(written_edits(40, 4))
    assert Counter(edit.kind for edit in made) == {
        "absent": 14,
        "an extra word": 10,
        "indented by two": 8,
        "other spaces": 8,
    }
    assert all(edit.old not in edit.text and 500 <= edit.text.count("\n") <= 2000 for edit in made)


def test_each_edit_is_timed_under_its_kind_and_under_what_became_of_it() -> None:
    n_done: list[int] = []
    times = time_edits(20, 0, n_done.append)
    assert n_done == list(range(1, 21))
    assert len(times[FOUND]) + len(times[REFUSED]) == sum(map(len, times.values())) / 2 == 20
    assert len(times["absent"]) == 7
    assert len(times[FOUND]) >= 6
    assert min(min(seconds) for seconds in times.values()) > 0


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worst cases at a hundredth of their size."""
    for name in ("REPLACER_CASES", "PATCH_CASES"):
        tiny = [replace(one, size=max(one.size // 100, 10)) for one in getattr(worst_cases, name)]
        monkeypatch.setattr(tables, name, tiny)
    monkeypatch.setattr(bench_outputs, "N_BYTES", 200_000)


def test_the_cases_of_a_seed_are_always_the_same() -> None:
    assert cases(20, 3) == cases(20, 3)
    assert cases(20, 3)[:10] == cases(10, 3)
    assert cases(20, 3) != cases(20, 4)


def test_the_cases_are_finds_in_files_of_500_to_2000_lines_drifted_in_every_way() -> None:
    made = cases(50, 0)
    assert all(500 <= case.text.count("\n") <= 2000 for case in made)
    assert all(case.find for case in made)
    assert {case.drift for case in made} == set(bench._DRIFTS)
    assert all(case.find in case.text for case in made if case.drift == "exact")
    assert len(standard_library()) > 50


def test_each_replacer_and_all_of_them_are_timed_beside_their_literal_port() -> None:
    n_done: list[int] = []
    timings = compare_with_literal(3, 0, n_done.append)
    assert [timing.name for timing in timings] == [*REPLACERS, ALL]
    assert n_done == [1, 2, 3]
    for timing in timings:
        assert len(timing.fast) == len(timing.literal) == len(timing.yardstick) == 3
        assert min(timing.fast + timing.literal + timing.yardstick) > 0


def test_a_replacer_that_answers_otherwise_than_its_literal_port_ends_the_benchmark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(bench.LITERAL, "simple", lambda *_: iter(["another"]))
    with pytest.raises(AssertionError, match="differ on case 0 of seed 0"):
        compare_with_literal(1, 0)


def test_the_worst_cases_are_measured_at_two_sizes() -> None:
    some = [replace(REPLACER_CASES[0], size=200), *(replace(one, size=100) for one in PATCH_CASES)]
    found = list(measured(some, rounds=1))
    assert [case.name for case in found[:2]] == ["every line is the first anchor", "many hunks, strict"]
    assert found[0].size == "200 lines"
    assert all(case.seconds > 0 for case in found)
    assert all(isinstance(case.exponent, float) for case in found)


@pytest.mark.usefixtures("small")
def test_the_benchmark_prints_its_tables() -> None:
    done = CliRunner().invoke(main, ["bench", "-n", "2"])
    assert done.exit_code == 0
    first, edits, second, third, fourth = done.stdout.split("\n\n")
    assert [line.split()[0] for line in first.splitlines()[2:-2]] == list(REPLACERS)
    assert [line.split()[:2] for line in edits.splitlines()[2:]] == [["refused", "2"], ["absent", "2"]]
    assert "ratio" in first
    assert "growth exponent" in second
    assert "hunks, lenient" in third
    assert "wide lines" in fourth


@pytest.mark.usefixtures("small")
def test_the_benchmark_prints_one_document() -> None:
    done = CliRunner().invoke(main, ["bench", "-n", "1", "--seed", "4", "--json"])
    document: dict[str, Any] = json.loads(done.stdout)
    assert (document["n"], document["seed"]) == (1, 4)
    assert [row["name"] for row in document["replacers"]] == [*REPLACERS, ALL]
    assert all(row["p50_ratio"] > 0 for row in document["replacers"])
    assert [row["name"] for row in document["edits"]] == ["refused", "absent"]
    assert [row["name"] for row in document["worst_cases"]] == [case.name for case in REPLACER_CASES]
    assert all(row["seconds"] > 0 for row in document["patches"] + document["outputs"])
