"""The statistics, against scipy and against what they are by definition."""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import pairwise
from math import comb

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import special, stats

from reports.compare.costs import half_widths
from reports.statistics import significance
from reports.statistics.significance import (
    FEWEST,
    Difference,
    Differing,
    difference,
    holm,
    mcnemar,
)

counts = st.integers(0, 3000)
p_values = st.lists(st.floats(0, 1), max_size=30)


def counted(one: int, other: int) -> float:
    """The p-value by counting every way in which the pairs may fall."""
    n = one + other
    return float(min(Fraction(2 * sum(comb(n, k) for k in range(min(one, other) + 1)), 2**n), 1))


@given(counts, counts)
def test_mcnemar_is_the_binomial_test_of_the_pairs_that_differ(n_only_base: int, n_only_run: int) -> None:
    n = n_only_base + n_only_run
    expected = stats.binomtest(n_only_base, n).pvalue if n else 1.0
    if expected < 1e-280:
        # There scipy runs out of digits, and only counting knows.
        expected = counted(n_only_base, n_only_run)
    assert mcnemar(n_only_base, n_only_run) == pytest.approx(expected, rel=1e-9, abs=sys.float_info.min)


@example(15, 1060)
@given(st.integers(0, 20), st.integers(900, 3000))
def test_mcnemar_keeps_its_digits_where_next_to_nothing_is_left(n_only_base: int, n_only_run: int) -> None:
    expected = counted(n_only_base, n_only_run)
    assert mcnemar(n_only_base, n_only_run) == pytest.approx(expected, rel=1e-9, abs=sys.float_info.min)


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_what_counting_says(n_only_base: int, n_only_run: int) -> None:
    assert mcnemar(n_only_base, n_only_run) == pytest.approx(counted(n_only_base, n_only_run), rel=1e-10, abs=0)


@given(counts, counts)
def test_mcnemar_does_not_care_which_run_is_which(one: int, other: int) -> None:
    assert mcnemar(one, other) == mcnemar(other, one)


def test_mcnemar_of_a_hundred_thousand_pairs_is_exact_too() -> None:
    assert mcnemar(49_000, 51_000) == pytest.approx(stats.binomtest(49_000, 100_000).pvalue, rel=1e-8)
    assert mcnemar(0, 100_000) == 0


def test_five_losses_in_a_row_may_be_luck_and_six_not() -> None:
    assert mcnemar(5, 0) == pytest.approx(0.0625)
    assert mcnemar(6, 0) == pytest.approx(0.03125)


def test_fewer_than_none_is_no_count() -> None:
    with pytest.raises(ValueError, match="are not counts"):
        mcnemar(-1, 3)


# Holm


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(p_values)
def test_holm_rejects_just_what_the_step_down_procedure_rejects(found: list[float]) -> None:
    alpha = 0.05
    rejected: set[int] = set()
    for place, i in enumerate(sorted(range(len(found)), key=lambda i: found[i])):
        if found[i] * (len(found) - place) > alpha:
            break
        rejected.add(i)
    assert {i for i, p in enumerate(holm(found)) if p <= alpha} == rejected


@given(p_values)
def test_holm_keeps_the_order_and_lies_between_none_and_bonferroni(found: list[float]) -> None:
    corrected = holm(found)
    assert all(p <= q <= min(1, len(found) * p) for p, q in zip(found, corrected, strict=True))
    in_order = [q for _, q in sorted(zip(found, corrected, strict=True))]
    assert all(before <= after for before, after in pairwise(in_order))


# The bootstrap


def test_the_interval_of_a_sum_is_students_over_clusters() -> None:
    rng = np.random.default_rng(3)
    difference = rng.normal(0.4, 2, (2, 60))
    expected = stats.t.ppf(0.975, 59) * difference.std(axis=1, ddof=1) * np.sqrt(60)
    assert half_widths(difference, np.full(60, 10)) == pytest.approx(expected, rel=0.01)


def test_the_interval_of_a_sum_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    drawn = rng.choice([-1, 0, 0, 0, 1, 1], size=(400, 200))
    half = half_widths(drawn, np.ones(200))
    inside = np.abs(drawn.sum(axis=1) - 200 / 6) <= half
    assert 0.92 < inside.mean() < 0.98


# Differences of rates on the same samples: the interval and the p-value agree, and few clusters say nothing.

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


@given(st.floats(0.01, 1e5), st.floats(0.01, 1e5), st.floats(0, 1))
def test_the_incomplete_beta_function_is_that_of_scipy(a: float, b: float, x: float) -> None:
    assert significance._beta_share(a, b, x) == pytest.approx(float(special.betainc(a, b, x)), rel=1e-7, abs=1e-9)


@given(st.floats(0.5, 1e4), st.floats(0.5, 1e4), st.sampled_from([0.025, 0.5, 0.975]))
def test_its_quantile_is_that_of_scipy(a: float, b: float, share: float) -> None:
    found = significance._beta_quantile(a, b, share)
    assert found == pytest.approx(float(special.betaincinv(a, b, share)), rel=1e-7, abs=1e-9)
