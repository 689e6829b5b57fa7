from __future__ import annotations

import random
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.orderings.decisions import CORRECT, NOTHING, WRONG
from reports.orderings.front import Point, front
from reports.orderings.gains import all_orderings
from tests.reports.orderings.made import Case, Row, case, cases, every_order


def _undominated(counts: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of pairs of correct and wrong those that no other betters, by rising wrong."""
    found: list[tuple[int, int]] = []
    for correct, wrong in sorted(set(counts), key=lambda pair: (pair[1], -pair[0])):
        if not found or correct > found[-1][0]:
            found.append((correct, wrong))
    return found


def _by_trying(drawn: Case, samples: list[bool] | None = None) -> list[tuple[int, int]]:
    tried = (drawn.counts(order, samples) for order in every_order(drawn.n_replacers))
    return _undominated((counts.correct, counts.wrong) for counts in tried)


def _assert_attained(drawn: Case, points: Iterable[Point]) -> None:
    for point in points:
        counts = drawn.counts(point.order)
        assert (counts.correct, counts.wrong) == (point.correct, point.wrong)
        assert len(set(point.order)) == len(point.order) > 0


@given(cases(4))
def test_the_front_is_that_of_all_orderings(drawn: Case) -> None:
    found = front(drawn.table)
    assert [(point.correct, point.wrong) for point in found] == _by_trying(drawn)
    _assert_attained(drawn, found)


@settings(max_examples=40)
@given(cases(5, least_replacers=5, several=False, most_samples=20))
def test_the_front_of_samples_of_one_edit_is_that_of_all_orderings(drawn: Case) -> None:
    found = front(drawn.table)
    assert [(point.correct, point.wrong) for point in found] == _by_trying(drawn)
    _assert_attained(drawn, found)


@settings(max_examples=40)
@given(cases(3), st.data())
def test_the_front_of_some_samples_is_that_of_all_orderings_on_those(drawn: Case, data: st.DataObject) -> None:
    n = len(drawn.rows)
    chosen = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    found = front(drawn.table, samples=np.array(chosen))
    assert [(point.correct, point.wrong) for point in found] == _by_trying(drawn, chosen)


@pytest.mark.parametrize(
    ("n", "n_single", "n_several"), [(5, 60, 25), (5, 0, 6), (5, 2, 20), (6, 50, 0), (6, 150, 0), (6, 8, 8)]
)
@pytest.mark.parametrize("seed", range(4))
def test_the_front_of_many_samples_is_that_of_all_orderings(n: int, n_single: int, n_several: int, seed: int) -> None:
    drawn = _random(n, n_single=n_single, n_several=n_several, seed=seed)
    found = front(drawn.table)
    listed = all_orderings(drawn.table)
    assert [(p.correct, p.wrong) for p in found] == _undominated(zip(listed.correct, listed.wrong, strict=True))
    _assert_attained(drawn, found)


def test_what_only_two_replacers_together_bring_about_is_found() -> None:
    drawn = Case((Row(leads=((0, 0, 1, NOTHING), (1, 1, None, CORRECT))), Row(decision=(WRONG, WRONG))), 2)
    assert [(p.correct, p.wrong) for p in front(drawn.table)] == [(1, 1)]
    alone = Case(drawn.rows[:1], 2)
    assert [(p.correct, p.wrong, set(p.order)) for p in front(alone.table)] == [(1, 0, {0, 1})]


@pytest.mark.parametrize(
    ("drawn", "points"),
    [
        (case("--"), [(0, 0, (0,))]),
        (case("WW", "WW", "W-"), [(0, 2, (1,))]),
        (case("W-", "WC"), [(1, 0, (1,))]),
        (case("UW", "UU", labels="ur"), [(0, 0, (0,))]),
        (case("CW", "CW", "WC"), [(2, 1, (0,))]),
        (case("CC-", "CCW", "WW-"), [(2, 1, (0,))]),
        (case("C-", "W-", "-C"), [(1, 0, (1,)), (2, 1, (0, 1))]),
    ],
)  # fmt: skip
def test_a_point_is_always_of_an_order_of_some_replacers(drawn: Case, points: list[Point]) -> None:
    found = front(drawn.table)
    assert [(p.correct, p.wrong) for p in found] == [(correct, wrong) for correct, wrong, _ in points]
    assert [set(p.order) for p in found] == [set(order) for *_, order in points]


# More than can be tried one by one


def _random(n: int, *, n_single: int, n_several: int, seed: int) -> Case:
    rng = random.Random(seed)
    rows = []
    for _ in range(n_single):
        label, might = rng.choice([("apply", [CORRECT, CORRECT, WRONG]), ("refuse", [WRONG])])
        rows.append(Row(label, tuple(rng.choice(might) if rng.random() < 0.4 else NOTHING for _ in range(n))))
    for _ in range(n_several):
        second = [(1 + r % 2, q, None, rng.choice([CORRECT, WRONG])) for r in range(2) for q in range(n)]
        first = [(0, r, rng.choice([1, 2]), NOTHING) for r in range(n)]
        rows.append(Row(leads=tuple(lead for lead in [*first, *second] if rng.random() < 0.4) or (first[0],)))
    return Case(tuple(rows), n)


def _most(drawn: Case, cost: float) -> float:
    """The best correct - cost * wrong of any order, for samples of one edit: by what each set leaves to be decided."""
    n = drawn.n_replacers
    decision = np.array([row.decision for row in drawn.rows])
    worth = (decision == CORRECT) - cost * (decision == WRONG)
    decides = decision != NOTHING
    best = [0.0] * (1 << n)
    for tried in reversed(range((1 << n) - 1)):
        left = ~decides[:, [column for column in range(n) if tried >> column & 1]].any(axis=1)
        added = worth[left].sum(axis=0)
        after = max(float(added[r]) + best[tried | 1 << r] for r in range(n) if not tried >> r & 1)
        # To try nothing at all is no order.
        best[tried] = max(0.0, after) if tried else after
    return best[0]


def test_of_twelve_replacers_the_front_holds_the_best_at_every_cost() -> None:
    drawn = _random(12, n_single=80, n_several=0, seed=12)
    found = front(drawn.table)
    _assert_attained(drawn, found)
    assert [(p.correct, p.wrong) for p in found] == _undominated((p.correct, p.wrong) for p in found)
    for cost in (0.0, 0.3, 1.0, 2.5, 100.0):
        assert max(p.correct - cost * p.wrong for p in found) == pytest.approx(_most(drawn, cost))


def test_of_twelve_replacers_no_order_is_beyond_the_front_of_samples_with_several_edits() -> None:
    drawn = _random(12, n_single=30, n_several=6, seed=4)
    found = front(drawn.table)
    _assert_attained(drawn, found)
    _assert_none_beyond(drawn, found)


def _assert_none_beyond(drawn: Case, found: list[Point]) -> None:
    rng = random.Random(1)
    for _ in range(300):
        order = rng.sample(range(drawn.n_replacers), rng.randint(1, drawn.n_replacers))
        under = drawn.table.under(order)
        correct, wrong = int((under == CORRECT).sum()), int((under == WRONG).sum())
        assert any(point.correct >= correct and point.wrong <= wrong for point in found)


@pytest.mark.slow
def test_twenty_replacers_of_which_eleven_are_ever_stricter_have_a_front() -> None:
    rng = random.Random(20)
    rows = []
    for _ in range(30):
        does = rng.choice([CORRECT, WRONG])
        lenient = rng.randint(0, 11)
        others = tuple(rng.choice([NOTHING, NOTHING, NOTHING, CORRECT, WRONG]) for _ in range(9))
        rows.append(Row(decision=(does,) * lenient + (NOTHING,) * (11 - lenient) + others))
    drawn = Case(tuple(rows), 20)
    found = front(drawn.table)
    _assert_attained(drawn, found)
    _assert_none_beyond(drawn, found)
    # Of the eleven, one alone never does better than all of them.
    for point in front(drawn.table.only([5, *range(11, 20)])):
        assert any(p.correct >= point.correct and p.wrong <= point.wrong for p in found)
