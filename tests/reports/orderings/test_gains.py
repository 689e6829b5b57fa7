from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.orderings.decisions import CORRECT, NOTHING, WRONG
from reports.orderings.gains import MOST_REPLACERS, Gains
from tests.reports.orderings.made import Case, Row, cases


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
