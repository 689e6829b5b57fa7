from __future__ import annotations

import pytest

from harness.bench.cpu_time import best_of, growth_exponent, measure_doubling, timed


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
