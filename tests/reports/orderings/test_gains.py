"""?"""

from __future__ import annotations

import random
from itertools import permutations
from math import perm

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.orderings.decisions import CORRECT, NOTHING, WRONG
from reports.orderings.gains import MOST_REPLACERS, Gains, Orderings, all_orderings, n_orderings
from tests.reports.orderings.made import Case, Counts, Row, cases, every_order


def _members(replacers: int, n: int) -> list[int]:
    return [column for column in range(n) if replacers >> column & 1]


def _assert_gains_are_counted(drawn: Case, gains: Gains, chosen: list[bool]) -> None:
    rows = [row for row, one in zip(drawn.rows, chosen, strict=True) if one and row.label != "unlabelled"]
    single = [row for row in rows if not row.leads]
    assert gains.n_labelled == len(rows)
    assert gains.n_to_apply == sum(row.label == "apply" for row in rows)
    for tried in range(1 << drawn.n_replacers):
        left = [row for row in single if row.under(_members(tried, drawn.n_replacers)) == NOTHING]
        for column in range(drawn.n_replacers):
            assert gains.correct[column, tried] == sum(row.decision[column] == CORRECT for row in left)
            assert gains.wrong[column, tried] == sum(row.decision[column] == WRONG for row in left)
        assert gains.missed[tried] == sum(row.label == "apply" for row in left)
        assert gains.refused[tried] == sum(row.label == "refuse" for row in left)


@settings(max_examples=40)
@given(cases(4))
def test_what_a_replacer_adds_after_others_is_counted_over_the_labelled_samples_of_one_edit(drawn: Case) -> None:
    _assert_gains_are_counted(drawn, Gains(drawn.table), [True] * len(drawn.rows))


@settings(max_examples=40)
@given(cases(3), st.data())
def test_some_of_the_samples_may_be_asked_for(drawn: Case, data: st.DataObject) -> None:
    n = len(drawn.rows)
    chosen = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    _assert_gains_are_counted(drawn, Gains(drawn.table, np.array(chosen)), chosen)


@settings(max_examples=40)
@given(cases(4))
def test_a_state_says_what_the_samples_with_several_edits_come_to(drawn: Case) -> None:
    gains = Gains(drawn.table)
    several = Case(tuple(row for row in drawn.rows if row.leads and row.label != "unlabelled"), drawn.n_replacers)
    assert gains.has_several == bool(several.rows)
    for order in permutations(range(drawn.n_replacers)):
        state = gains.first_state
        passed = [gains.ends_of(np.array([state]))[0].tolist()]
        for done, replacer in enumerate(order, 1):
            state = gains.next_state(state, replacer)
            passed.append(gains.ends_of(np.array([state]))[0].tolist())
            counts = several.counts(order[:done])
            assert passed[-1][:4] == [counts.correct, counts.wrong, counts.missed, counts.refused]
        # No continuation does better than the bound, or has fewer wrong edits.
        correct, wrong, *_ = passed[-1]
        assert all(before[4] >= correct and before[1] <= wrong for before in passed)


def test_orders_that_leave_the_samples_alike_are_one_state() -> None:
    leads = ((0, 0, None, CORRECT), (0, 1, None, CORRECT), (0, 2, 1, NOTHING), (1, 0, None, WRONG))
    gains = Gains(Case((Row(leads=leads), Row(leads=leads)), 3).table)
    after_each = [gains.next_state(gains.first_state, replacer) for replacer in range(3)]
    assert after_each[0] == after_each[1] != after_each[2]
    many = np.array([gains.first_state, after_each[2], gains.first_state], dtype=np.int32)
    assert gains.next_states(many, 0).tolist() == [gains.next_state(int(state), 0) for state in many]
    assert gains.ends_of(many)[:, 0].tolist() == [0, 0, 0]
    assert gains.ends_of(gains.next_states(many, 0))[:, :2].tolist() == [[2, 0], [0, 2], [2, 0]]


def test_more_replacers_than_the_table_has_room_for_are_refused() -> None:
    n = MOST_REPLACERS + 1
    with pytest.raises(ValueError, match="21 replacers are more than 20"):
        Gains(Case((Row(decision=(CORRECT,) * n),), n).table)


def _counts(found: Orderings, row: int) -> Counts:
    return Counts(int(found.correct[row]), int(found.wrong[row]), int(found.missed[row]), int(found.refused[row]))


def _mean_ns(drawn: Case, order: tuple[int, ...]) -> float:
    """Of the samples of one edit: what each replacer that is tried took, but for the message of a refusal, which
    is the least that any replacer took to refuse, and is written once, where all refuse."""
    total, n = 0, 0
    for row in drawn.rows:
        if row.leads:
            continue
        n += 1
        refusals = [taken for taken, did in zip(row.latency_ns, row.decision, strict=True) if did == NOTHING]
        message = min(refusals, default=0)
        for column in order:
            if row.decision[column] != NOTHING:
                total += row.latency_ns[column]
                break
            total += row.latency_ns[column] - message
        else:
            total += message
    return total / max(1, n)


@settings(max_examples=40)
@given(cases(4))
def test_every_ordering_comes_to_what_its_cascade_does_to_each_sample(drawn: Case) -> None:
    found = all_orderings(drawn.table)
    orders = list(every_order(drawn.n_replacers))
    assert len(found) == n_orderings(drawn.n_replacers) == len(orders)
    assert sorted(found.order(row) for row in range(len(found))) == sorted(orders)
    lengths = found.length
    for row in range(len(found)):
        order = found.order(row)
        assert _counts(found, row) == drawn.counts(order)
        assert found.expected_ns[row] == pytest.approx(_mean_ns(drawn, order))
        assert found.row(order) == row
        assert lengths[row] == len(order)
    assert (np.diff(lengths) >= 0).all()


@settings(max_examples=40)
@given(cases(3), st.data())
def test_orderings_of_some_samples_count_those_only(drawn: Case, data: st.DataObject) -> None:
    n = len(drawn.rows)
    chosen = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    found = all_orderings(drawn.table, Gains(drawn.table, np.array(chosen)))
    for row in range(len(found)):
        counts = drawn.counts(found.order(row), chosen)
        assert (found.correct[row], found.wrong[row]) == (counts.correct, counts.wrong)


@settings(max_examples=40)
@given(cases(4), st.sampled_from([0, 0.5, 1, 5]))
def test_orderings_are_ranked_by_score_then_length_then_the_table(drawn: Case, cost: float) -> None:
    found = all_orderings(drawn.table)
    rows = np.arange(len(found))[::-1]
    ranked = [int(rows[place]) for place in found.ranked(rows, cost)]
    keys = [
        (cost * int(found.wrong[row]) - int(found.correct[row]), len(found.order(row)), found.order(row))
        for row in ranked
    ]
    assert sorted(ranked) == list(range(len(found)))
    assert keys == sorted(keys)
    assert found.score(cost).tolist() == [c - cost * w for c, w in zip(found.correct, found.wrong, strict=True)]


@pytest.mark.slow
def test_nine_replacers_have_986_409_orderings() -> None:
    drawn = Case(tuple(row for seed in range(6) for row in _rows(seed)), 9)
    found = all_orderings(drawn.table)
    assert len(found) == n_orderings(9) == 986_409
    assert len(np.unique(found.code)) == 986_409
    assert np.bincount(found.length).tolist() == [0, *(perm(9, length) for length in range(1, 10))]
    for row in random.Random(9).sample(range(len(found)), 300):
        assert _counts(found, row) == drawn.counts(found.order(row))


def _rows(seed: int) -> list[Row]:
    """A sample of one edit and one of several, under nine replacers."""
    rng = random.Random(seed)
    decision = tuple(rng.choice([NOTHING, NOTHING, CORRECT, WRONG]) for _ in range(9))
    leads = tuple(
        (text, replacer, goal if goal < 3 else None, NOTHING if goal < 3 else rng.choice([CORRECT, WRONG]))
        for text in range(3)
        for replacer in range(9)
        if rng.random() < 0.4
        for goal in [rng.choice([*range(text + 1, 3), 3])]
    )
    return [Row(decision=decision), Row(leads=leads)]


def test_the_orderings_of_ten_are_too_many() -> None:
    with pytest.raises(ValueError, match="10 replacers have 9,864,100 orderings"):
        all_orderings(Case((Row(decision=(CORRECT,) * 10),), 10).table)


def test_how_many_orderings_there_are_is_a_sum_over_lengths() -> None:
    for n in range(6):
        assert n_orderings(n) == sum(1 for length in range(1, n + 1) for _ in permutations(range(n), length))
