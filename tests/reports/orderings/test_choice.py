from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.measurements.interval import Z, wilson
from reports.orderings.decisions import CORRECT, NOTHING
from reports.orderings.study import Aim, best, cross_validated, listing, pareto, scored, with_intervals
from tests.reports.orderings.made import Case, Counts, Order, Row, case, cases, every_order

costs = st.sampled_from([0.0, 0.5, 1.0, 5.0])
rates = st.none() | st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0])


def _score(counts: Counts, aim: Aim) -> float:
    return counts.correct - aim.wrong_cost * counts.wrong


def _pair(counts: Counts) -> tuple[int, int]:
    return counts.correct, counts.wrong


def _allowed(drawn: Case, aim: Aim, samples: list[bool]) -> dict[Order, Counts]:
    """The orders that are not wrong on too many of some samples."""
    n = sum(chosen and row.label != "unlabelled" for chosen, row in zip(samples, drawn.rows, strict=True))
    counts = {order: drawn.counts(order, samples) for order in every_order(drawn.n_replacers)}
    limit = n if aim.max_wrong_rate is None else aim.max_wrong_rate * n
    return {order: found for order, found in counts.items() if found.wrong <= limit + 1e-9}


@settings(max_examples=40)
@given(cases(3), costs, rates, st.integers(1, 6))
def test_the_best_are_one_of_each_pair_of_counts_the_shortest_then_the_first_of_the_table(
    drawn: Case, cost: float, rate: float | None, top: int
) -> None:
    aim = Aim(cost, rate)
    listed = listing(drawn.table)
    assert listed
    found = best(drawn.table, listed, aim, top=top)
    alike: dict[tuple[int, int], list[Order]] = defaultdict(list)
    allowed = _allowed(drawn, aim, [True] * len(drawn.rows))
    for order, counts in allowed.items():
        alike[counts.correct, counts.wrong].append(order)
    assert len(found) == min(top, len(alike))
    scores = sorted((correct - cost * wrong for correct, wrong in alike), reverse=True)
    assert [one.score for one in found] == scores[:top]
    for one in found:
        order = tuple(drawn.table.places(one.order))
        assert Counts(one.correct, one.wrong, one.missed, one.refused) == allowed[order]
        others = alike[one.correct, one.wrong]
        assert one.n_equal == len(others)
        assert order == min(others, key=lambda other: (len(other), other))
        assert one.expected_ns == listed.expected_ns[listed.row(order)]


@settings(max_examples=40)
@given(cases(3), costs, rates)
def test_the_front_finds_what_the_list_finds(drawn: Case, cost: float, rate: float | None) -> None:
    table, aim = drawn.table, Aim(cost, rate)
    listed = listing(table)
    both = [
        [(one.correct, one.wrong) for one in (scored(table, order, aim) for order in pareto(table, some))]
        for some in (listed, None)
    ]
    assert both[0] == both[1]
    for order, pair in zip(pareto(table, listed), both[0], strict=True):
        alike = [one for one in every_order(drawn.n_replacers) if _pair(drawn.counts(one)) == pair]
        assert len(order) == min(map(len, alike))
    first, second = (best(table, some, aim, top=1) for some in (listed, None))
    assert [one.score for one in first] == [one.score for one in second]


def test_a_short_order_is_better_than_a_fast_one_that_is_longer() -> None:
    slow_or_fast = [Row(decision=(CORRECT, CORRECT, NOTHING), latency_ns=(9, 1, 1))]
    slow_or_fast += [Row(decision=(CORRECT, NOTHING, CORRECT), latency_ns=(9, 1, 1))]
    table = Case(tuple(slow_or_fast), 3).table
    listed = listing(table)
    assert listed
    assert listed.expected_ns[listed.row((1, 2))] < listed.expected_ns[listed.row((0,))]
    assert pareto(table, listed) == [(0,)]
    assert best(table, listed, Aim(), top=1)[0].order == ("a",)


def test_of_equals_the_first_of_the_table_is_best_however_long_it_took() -> None:
    rows = [Row(decision=(CORRECT, CORRECT, CORRECT), latency_ns=taken) for taken in ((9, 1, 5), (2, 9, 1))]
    for row in rows:
        table = Case((row,), 3).table
        assert best(table, listing(table), Aim(), top=1)[0].order == ("a",)
        assert pareto(table, listing(table)) == [(0,)]


def test_of_ten_replacers_the_front_is_asked() -> None:
    drawn = case("CW--------", "C---------", "WC--------", "--W-------")
    assert listing(drawn.table) is None
    found = best(drawn.table, None, Aim(0.5), top=9)
    # The best first; of those that harm nobody, one that does nothing is on the front too.
    assert [(one.order, one.correct, one.wrong, one.score) for one in found] == [
        (("a",), 2, 1, 1.5),
        (("d",), 0, 0, 0.0),
    ]
    assert found[0].n_equal is None


@pytest.mark.parametrize("n", [2, 12])
def test_where_no_order_is_allowed_there_is_no_best(n: int) -> None:
    drawn = case("W" * n, "C" * n)
    listed = listing(drawn.table)
    assert best(drawn.table, listed, Aim(max_wrong_rate=0.4), top=3) == []
    assert len(best(drawn.table, listed, Aim(max_wrong_rate=0.5), top=3)) == 1


def test_a_limit_that_is_met_exactly_is_met() -> None:
    drawn = case("W", *["C"] * 9)
    assert best(drawn.table, listing(drawn.table), Aim(max_wrong_rate=0.1), top=1)


def test_rates_have_intervals_where_they_are_over_something() -> None:
    drawn = case("CW", "CC", "-W", "C-", labels="aaau")
    one = with_intervals(drawn.table, scored(drawn.table, (0,), Aim()))
    assert one.match_interval == pytest.approx(wilson(2 / 3, 3, Z))
    assert one.wrong_interval == pytest.approx(wilson(0, 3, Z))
    none = case("UU", "UU", labels="uu")
    assert with_intervals(none.table, scored(none.table, (0,), Aim())).match_interval is None


# Choosing on some repositories, scoring on the others


def _folds(drawn: Case, n_folds: int) -> list[int]:
    """The fold of each sample: repositories by falling number of labelled samples take turns."""
    sizes: dict[int, int] = dict.fromkeys(range(max(row.cluster for row in drawn.rows) + 1), 0)
    for row in drawn.rows:
        sizes[row.cluster] += row.label != "unlabelled"
    turns = {cluster: turn for turn, cluster in enumerate(sorted(sizes, key=lambda cluster: -sizes[cluster]))}
    return [turns[row.cluster] % n_folds for row in drawn.rows]


@settings(max_examples=40)
@given(cases(3, most_samples=9), costs, rates, st.sampled_from([2, 3]))
def test_each_order_is_the_best_on_the_other_repositories_and_scored_on_those_left_out(
    drawn: Case, cost: float, rate: float | None, n_folds: int
) -> None:
    aim, table = Aim(cost, rate), drawn.table
    found = cross_validated(table, [0], aim, n_folds=n_folds, promised=7.0)
    if found is None:
        assert len({row.cluster for row in drawn.rows if row.label != "unlabelled"}) < n_folds
        return
    correct = wrong = 0
    folds = _folds(drawn, n_folds)
    for held_out, names in enumerate(found.orders):
        order = tuple(table.places(names))
        allowed = _allowed(drawn, aim, [fold != held_out for fold in folds])
        if order:
            highest = max(_score(counts, aim) for counts in allowed.values())
            assert _score(allowed[order], aim) == highest
            shortest = min(len(one) for one, counts in allowed.items() if _score(counts, aim) == highest)
            assert len(order) == shortest
        else:
            assert not allowed
        counts = drawn.counts(order, [fold == held_out for fold in folds])
        correct, wrong = correct + counts.correct, wrong + counts.wrong
    assert len(found.orders) == found.n_folds == n_folds
    assert (found.correct, found.wrong) == (correct, wrong)
    assert found.score == correct - cost * wrong
    assert found.loss == 7.0 - found.score
    assert found.gain == pytest.approx(found.score - _score(drawn.counts([0]), aim))


@settings(max_examples=40)
@given(cases(3, most_samples=9), costs, st.integers(2, 4))
def test_without_a_limit_choosing_never_gains(drawn: Case, cost: float, n_folds: int) -> None:
    # On the other repositories each order is at least as good as the best of all. Summed over the folds that makes:
    # the orders on their own repositories are no better than the best of all is.
    table, aim = drawn.table, Aim(cost)
    listed = listing(table)
    promised = best(table, listed, aim, top=1)[0].score
    found = cross_validated(table, [0], aim, n_folds=n_folds, promised=promised)
    assert found is None or found.loss >= -1e-9


def test_a_repository_is_never_divided() -> None:
    # Each sample alone would teach what is right for its twin; only whole repositories keep that from happening.
    drawn = case("CW", "CW", "WC", "WC", clusters=[0, 0, 1, 1])
    found = cross_validated(drawn.table, [0], Aim(1.0), n_folds=2, promised=0.0)
    assert found
    assert (found.correct, found.wrong, found.orders) == (0, 4, (("b",), ("a",)))


def test_under_a_limit_choosing_may_gain_since_other_orders_are_allowed_on_a_part() -> None:
    drawn = case("W-", "C-", "C-", "C-", "C-", clusters=[0, 0, 1, 2, 3])
    aim = Aim(0.0, max_wrong_rate=0.1)
    (leader,) = best(drawn.table, listing(drawn.table), aim, top=1)
    assert (leader.order, leader.score) == (("b",), 0.0)
    found = cross_validated(drawn.table, [1], aim, n_folds=4, promised=leader.score)
    assert found
    assert found.orders == (("a",), ("b",), ("b",), ("b",))
    assert (found.correct, found.wrong, found.loss) == (1, 1, -1.0)


@pytest.mark.parametrize("n", [2, 12])
def test_where_no_order_is_allowed_on_the_others_nothing_is_tried(n: int) -> None:
    drawn = case("W" * n, "W" * n, "C" * n)
    found = cross_validated(drawn.table, [0], Aim(max_wrong_rate=0.4), n_folds=3, promised=0.0)
    assert found
    assert sorted(map(len, found.orders)) == [0, 0, 0]
    assert (found.correct, found.wrong, found.gain) == (0, 0, 9.0)


def test_ten_replacers_are_chosen_by_the_front() -> None:
    drawn = case(*["CW--------"] * 3, "-C--------", clusters=[0, 1, 2, 3])
    found = cross_validated(drawn.table, [1], Aim(), n_folds=4, promised=4.0)
    assert found
    assert found.orders == (("a", "b"),) * 3 + (("a",),)
    assert (found.correct, found.wrong, found.loss, found.gain) == (3, 0, 1.0, 3 - (1 - 15))
    assert found.gain_interval
    assert found.gain_interval[0] <= found.gain <= found.gain_interval[1]
