from __future__ import annotations

import random
from itertools import permutations
from math import perm

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.orderings.decisions import CORRECT, NOTHING, WRONG
from reports.orderings.gains import Gains, Orderings, all_orderings, n_orderings
from tests.reports.orderings.made import Case, Counts, Row, cases, every_order


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
