"""Differences of rates on the same samples: the interval and the p-value agree, and few clusters say nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.statistics.significance import FEWEST, Difference, Differing, difference, mcnemar

cluster = st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 100))


def of(*clusters: tuple[int, int, int]) -> Difference:
    """The difference of clusters with (only first, only second, alike)."""
    first, second, alike = np.array(clusters).T
    asked = first + second + alike
    return difference(Differing(first, second, asked, first + second, asked))


@given(st.lists(cluster, min_size=2, max_size=30))
def test_the_interval_excludes_0_just_where_p_is_below_5_percent(
    clusters: list[tuple[int, int, int]],
) -> None:
    found = of(*clusters)
    if found.interval is None or found.p_value is None:
        assert sum(first + second > 0 for first, second, _ in clusters) < FEWEST or len(clusters) == 1
        return
    low, high = found.interval
    first, second, alike = np.sum(clusters, axis=0)
    assert -1 <= low <= (second - first) / (first + second + alike) <= high <= 1
    assert (low > 0 or high < 0) == (found.p_value < 0.05)


@given(st.integers(0, 60), st.integers(0, 60))
def test_of_independent_samples_the_test_is_mcnemars(first: int, second: int) -> None:
    found = of(*[(1, 0, 0)] * first, *[(0, 1, 0)] * second, *[(0, 0, 1)] * 30)
    if first + second >= FEWEST:
        assert found.p_value == pytest.approx(mcnemar(first, second))


@given(st.lists(cluster, min_size=2, max_size=30))
def test_the_other_way_round_it_is_the_same(clusters: list[tuple[int, int, int]]) -> None:
    forth, back = of(*clusters), of(*[(second, first, alike) for first, second, alike in clusters])
    assert forth.p_value == (back.p_value if back.p_value is None else pytest.approx(back.p_value))
    if forth.interval and back.interval:
        assert forth.interval == pytest.approx((-back.interval[1], -back.interval[0]))


def test_samples_of_few_repositories_are_fewer_coins() -> None:
    apart, together = of(*[(0, 1, 9)] * 24, *[(1, 0, 9)] * 6), of(*[(0, 4, 36)] * 6, (3, 0, 27), (3, 0, 27))
    assert apart.p_value is not None
    assert together.p_value is not None
    assert apart.p_value < 0.01 < together.p_value


def test_too_few_clusters_say_nothing_and_no_difference_has_a_p_value_of_1() -> None:
    assert of(*[(0, 1, 0)] * 5) == (None, None)
    assert of((0, 50, 0), (0, 50, 0)) == (None, None)
    assert of((0, 0, 50), (0, 0, 50)) == (None, 1.0)


def test_of_one_cluster_each_sample_is_a_coin() -> None:
    assert of((2, 9, 80)).p_value == pytest.approx(mcnemar(2, 9))
    assert of((0, 5, 80)).p_value is None
