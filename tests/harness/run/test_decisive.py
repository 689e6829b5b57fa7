from __future__ import annotations

from random import Random

import pytest

from harness.run.decisive import FirstCalls, share_looked_at


def decided(times: list[int], *, heads: bool) -> list[int]:
    calls = FirstCalls()
    return [time for time in times if calls.decides("a", time, heads=heads)]


def test_calls_in_the_tail_and_about_the_ninetieth_percentile_decide() -> None:
    times = list(range(10_000))
    Random(0).shuffle(times)
    slow, more = decided(times, heads=False), decided(times, heads=True)
    assert 230 <= len(slow) <= 280
    assert min(slow[50:]) > 9_600
    assert 750 <= len(more) - len(slow) <= 850
    others = sorted(set(more[100:]) - set(slow))
    assert others[len(others) // 20] > 8_400
    assert others[-len(others) // 20] < 9_600


def test_the_first_few_calls_decide_nothing() -> None:
    assert decided(list(range(7)), heads=True) == []


def test_equal_calls_decide_nothing() -> None:
    assert decided([5] * 1000, heads=True) == []


def test_strategies_are_ranked_apart() -> None:
    calls = FirstCalls()
    for time in range(1, 101):
        calls.decides("slow", 1000 * time, heads=False)
        calls.decides("fast", time, heads=False)
    assert calls.decides("fast", 500, heads=False)
    assert not calls.decides("slow", 500, heads=False)


@pytest.mark.parametrize(("n", "share"), [(0, 1), (1, 1), (10_000, 1), (40_000, 0.25), (10**6, 0.01)])
def test_no_more_than_ten_thousand_samples_are_looked_at(n: int, share: float) -> None:
    assert share_looked_at(n) == share
