"""Intervals of rates: what they are of independent samples, of clusters, of copies; how often they hold the truth."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from reports.measurements.interval import CONFIDENCE, Interval, clustered, sampled, student, wilson

Numbers = npt.NDArray[np.int64]
cluster = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
clusters = st.lists(cluster, min_size=1, max_size=40).map(lambda some: np.array(some).T)


def width(interval: Interval) -> float:
    return interval[1] - interval[0]


def of_scipy(successes: int, n: int) -> Interval:
    found = stats.binomtest(successes, n).proportion_ci(CONFIDENCE, method="wilson")
    return found.low, found.high


@given(st.integers(1, 3000), st.floats(0, 1))
def test_independent_samples_have_the_interval_of_wilson(n: int, share: float) -> None:
    hits = np.arange(n) < round(share * n)
    assert clustered(hits.astype(int), np.ones(n)) == pytest.approx(of_scipy(round(share * n), n), abs=1e-9)


@given(clusters)
def test_the_rate_is_in_its_interval_which_is_no_wider_than_all(drawn: Numbers) -> None:
    hits, asked = drawn
    low, high = clustered(hits, asked)
    assert 0 <= low <= hits.sum() / asked.sum() <= high <= 1
    assert low < high


@given(clusters)
def test_samples_in_clusters_are_worth_no_more_than_independent_ones(drawn: Numbers) -> None:
    hits, asked = drawn
    assert width(clustered(hits, asked)) >= width(of_scipy(int(hits.sum()), int(asked.sum()))) - 1e-9


@given(st.integers(4, 40), st.integers(2, 50), st.data())
def test_the_more_alike_the_samples_of_a_cluster_the_wider(n_clusters: int, size: int, data: st.DataObject) -> None:
    """The same samples: as many right in each cluster as in any other, or all in half of them and none elsewhere."""
    assume(n_clusters % 2 == 0 and size % 2 == 0)
    asked = np.full(n_clusters, size)
    even, halves = np.full(n_clusters, size // 2), np.arange(n_clusters) % 2 * size
    shift = np.where(np.arange(n_clusters) % 2, 1, -1) * data.draw(st.integers(0, size // 2))
    widths = [width(clustered(one, asked)) for one in (even, even + shift, halves)]
    assert widths == sorted(widths)


@given(clusters, st.integers(2, 500))
def test_copies_say_nothing_more(drawn: Numbers, n_copies: int) -> None:
    hits, asked = drawn
    assume(asked.sum() > 20)
    copied = sampled(hits * n_copies, asked * n_copies, asked)
    assert copied.n == pytest.approx(sampled(hits, asked).n, rel=0.2)


def test_two_samples_copied_under_many_names_are_two() -> None:
    low, high = clustered(np.array([1500, 1500]), np.array([1500, 1500]), np.array([1.0, 1.0]))
    assert (low < 0.4, high) == (True, 1)


def test_none_of_many_has_an_upper_end_that_knows_of_clusters() -> None:
    none, asked = np.zeros(10), np.full(10, 100)
    assert clustered(none, asked) == (0, pytest.approx(0.0043, abs=0.0005))
    assert clustered(none, asked)[1] > wilson(0, 1000, 1.96)[1]
    assert clustered(np.full(10, 100), asked)[0] == pytest.approx(1 - clustered(none, asked)[1])


def test_of_one_cluster_each_sample_is_a_draw_and_near_duplicates_are_one() -> None:
    assert clustered(np.array([30]), np.array([40])) == pytest.approx(of_scipy(30, 40))
    assert sampled(np.array([30]), np.array([40]), np.array([20.0])).n == 20


def test_a_cluster_without_samples_does_not_count() -> None:
    assert clustered(np.array([3, 0, 5]), np.array([9, 0, 8])) == clustered(np.array([3, 5]), np.array([9, 8]))


@pytest.mark.parametrize(("hits", "asked"), [(0, 0), (2, 1), (-1, 3)])
def test_no_rate_is_an_error(hits: int, asked: int) -> None:
    with pytest.raises(ValueError, match="no rate"):
        clustered(np.array([hits]), np.array([asked]))


@given(st.floats(2, 1e6))
def test_the_quantile_of_student_is_that_of_scipy(degrees: float) -> None:
    assert student(degrees) == pytest.approx(stats.t.ppf((1 + CONFIDENCE) / 2, degrees), rel=0.01)


@pytest.mark.parametrize(("rate", "alike"), [(0.9, 0.05), (0.5, 0.2), (0.05, 0.02)])
@pytest.mark.parametrize("n_clusters", [8, 50])
def test_the_interval_holds_the_truth_about_as_often_as_it_says(rate: float, alike: float, n_clusters: int) -> None:
    """Rates of clusters vary as a beta distribution does; sizes from 1 to several hundred."""
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(400):
        asked = 1 + rng.lognormal(3, 1, n_clusters).astype(int)
        own = rng.beta(rate * (1 / alike - 1), (1 - rate) * (1 / alike - 1), n_clusters)
        low, high = clustered(rng.binomial(asked, own), asked)
        held += low <= rate <= high
    assert 0.92 <= held / 400 <= 1
