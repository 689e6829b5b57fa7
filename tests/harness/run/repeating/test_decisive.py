from __future__ import annotations

from random import Random

import pytest

from harness.run.repeats import FirstCalls, share_looked_at


def decided(times: list[int], *, in_half: bool) -> list[int]:
    calls = FirstCalls()
    return [time for time in times if calls.is_repeated("a", time, in_half=in_half)]


def test_calls_in_the_tail_and_about_the_ninetieth_percentile_decide() -> None:
    times = list(range(10_000))
    Random(0).shuffle(times)
    slow, more = decided(times, in_half=False), decided(times, in_half=True)
    assert 230 <= len(slow) <= 280
    assert min(slow[50:]) > 9_600
    assert 750 <= len(more) - len(slow) <= 850
    others = sorted(set(more[100:]) - set(slow))
    assert others[len(others) // 20] > 8_400
    assert others[-len(others) // 20] < 9_600


def test_the_first_few_calls_decide_nothing() -> None:
    assert decided(list(range(7)), in_half=True) == []


def test_equal_calls_decide_nothing() -> None:
    assert decided([5] * 1000, in_half=True) == []


def test_strategies_are_ranked_apart() -> None:
    calls = FirstCalls()
    for time in range(1, 101):
        calls.is_repeated("slow", 1000 * time, in_half=False)
        calls.is_repeated("fast", time, in_half=False)
    assert calls.is_repeated("fast", 500, in_half=False)
    assert not calls.is_repeated("slow", 500, in_half=False)


@pytest.mark.parametrize(("n", "share"), [(0, 1), (1, 1), (10_000, 1), (40_000, 0.25), (10**6, 0.01)])
def test_no_more_than_ten_thousand_samples_are_looked_at(n: int, share: float) -> None:
    assert share_looked_at(n) == share
