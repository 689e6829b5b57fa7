"""Percentiles from a timed subset: those that repeating every call would have given."""

from __future__ import annotations

import numpy as np
import pytest

from reports.measurements.measurement import Latencies, in_process

SHARES = (0.5, 0.9, 0.99)


def made(n: int, n_subset: int, seed: int) -> tuple[list[int | None], list[int | None], list[int | None]]:
    """Percentiles of fully repeated calls, of the subset with first calls on all, and of the subset alone."""
    rng = np.random.default_rng(seed)
    true = rng.lognormal(10, 1, n)
    first = true * rng.lognormal(0.2, 0.1, n)
    latency = true.copy()
    subset = np.zeros(n, dtype=np.int64)
    subset[rng.permutation(n)[:n_subset]] = 1
    # A call made once may be disturbed for long: that must not show.
    latency[subset == 0] = first[subset == 0] * rng.choice([1, 300], n - n_subset, p=[0.95, 0.05])
    columns = [one.astype(np.int64) for one in (latency, first)]
    mixed, full = Latencies(), Latencies()
    mixed.add(*columns, 1 + 3 * subset)
    full.add(true.astype(np.int64), columns[1], np.full(n, 4))
    return (
        full.percentiles(SHARES, in_process=True),
        mixed.percentiles(SHARES, in_process=True),
        mixed.percentiles(SHARES, in_process=False),
    )


def test_percentiles_of_a_subset_are_those_of_full_repeats_within_five_per_cent() -> None:
    for seed in range(5):
        full, corrected, _ = made(20_000, 1_250, seed)
        for one, other in zip(full, corrected, strict=True):
            assert one
            assert other == pytest.approx(one, rel=0.05)


def test_processes_have_the_percentiles_of_the_subset_alone() -> None:
    full, _, alone = made(20_000, 5_000, 1)
    for one, other in zip(full, alone, strict=True):
        assert other == pytest.approx(one, rel=0.15)
    assert [in_process(name) for name in ("cascade/x", "tool/edit", "cmd/mine", "peer/pi")] == [
        True,
        True,
        False,
        False,
    ]


def test_a_small_subset_is_not_told_apart() -> None:
    latencies = Latencies()
    latencies.add(np.arange(1, 1001), np.full(1000, 5), np.array([4] * 99 + [1] * 901))
    assert latencies.percentiles((0.5, 1.0), in_process=True) == [500, 1000]


def test_nothing_has_no_percentiles() -> None:
    assert Latencies().percentiles(SHARES, in_process=True) == [None] * 3
    empty = Latencies()
    empty.add(*(np.empty(0, dtype=np.int64),) * 3)
    assert empty.percentiles(SHARES, in_process=False) == [None] * 3
