"""?"""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editcore.errors import UsageError
from reports.orderings.decisions import CORRECT, NOTHING, WRONG
from reports.orderings.study import Aim, Clash, Curve, Study, Worth, curve, study
from tests.reports.orderings.made import Case, Row, case, cases, every_order


def _ids(drawn: Case, chosen: list[Row]) -> tuple[str, ...]:
    return tuple(f"s{number}" for number, row in enumerate(drawn.rows) if any(row is one for one in chosen))


def _worth(drawn: Case, order: list[int], place: int) -> Worth:
    """With the replacer and without it, sample by sample."""
    without = [other for other in order if other != place]
    rows = [row for row in drawn.rows if row.label != "unlabelled"]
    before = order[: order.index(place)]
    mine = [row for row in rows if not row.leads and row.under(before) == NOTHING]
    with_it, left_out = drawn.counts(order), drawn.counts(without)
    return Worth(
        drawn.table.replacers[place],
        sum(row.decision[place] == CORRECT for row in mine),
        sum(row.decision[place] == WRONG for row in mine),
        left_out.correct - with_it.correct,
        left_out.wrong - with_it.wrong,
        _ids(drawn, [row for row in rows if row.under(order) == CORRECT != row.under(without)]),
        _ids(drawn, [row for row in rows if row.under(order) == WRONG != row.under(without)]),
    )


def _clashes(drawn: Case, order: list[int], cost: float) -> list[Clash]:
    """Who decides in the order, against what each one after it would have decided."""
    value = {CORRECT: 1.0, WRONG: -cost}
    found = []
    for first, second in combinations(order, 2):
        mine = [
            row
            for row in drawn.rows
            if row.label != "unlabelled"
            and not row.leads
            and row.under(order[: order.index(first)]) == NOTHING
            and NOTHING not in (row.decision[first], row.decision[second])
        ]
        better = [row for row in mine if value[row.decision[second]] > value[row.decision[first]]]
        worse = [row for row in mine if value[row.decision[second]] < value[row.decision[first]]]
        if better or worse:
            names = drawn.table.replacers
            found.append(Clash(names[first], names[second], _ids(drawn, better), _ids(drawn, worse)))
    return found


def _study(drawn: Case, order: list[int], aim: Aim) -> Study:
    return study(drawn.table, [drawn.table.replacers[place] for place in order], aim, n_folds=2)


@settings(max_examples=40)
@given(cases(4), st.data(), st.sampled_from([0.0, 1.0, 5.0]))
def test_a_study_is_what_trying_each_change_of_the_reference_shows(
    drawn: Case, data: st.DataObject, cost: float
) -> None:
    n = drawn.n_replacers
    order = data.draw(st.lists(st.integers(0, n - 1), unique=True, min_size=1))
    found = _study(drawn, order, Aim(cost))
    assert list(found.marginal) == [_worth(drawn, order, place) for place in order]
    assert list(found.clashes) == _clashes(drawn, order, cost)
    for place in order:
        without = [other for other in order if other != place]
        changes = any(row.under(order) != row.under(without) for row in drawn.rows)
        assert (drawn.table.replacers[place] in found.dead) is not changes
    counts = drawn.counts(order)
    known = found.reference
    assert (known.correct, known.wrong, known.missed, known.refused) == (
        counts.correct, counts.wrong, counts.missed, counts.refused,
    )  # fmt: skip
    scores = [one.correct - cost * one.wrong for one in map(drawn.counts, every_order(n))]
    assert found.n_orderings == len(scores)
    assert found.rank == 1 + sum(score > known.score for score in scores)
    assert found.best[0].score == max(scores)
    labelled = [row for row in drawn.rows if row.label != "unlabelled"]
    assert found.n_labelled == len(labelled)
    assert found.n_to_apply == sum(row.label == "apply" for row in labelled)
    assert found.n_clusters == len({row.cluster for row in labelled})
    assert found.n_several == sum(bool(row.leads) for row in drawn.rows)


def test_what_a_replacer_saves_and_spoils() -> None:
    drawn = case("C-", "CW", "WC", "W-", "-C")
    (first, second) = _study(drawn, [0, 1], Aim()).marginal
    assert first == Worth("a", 2, 2, -1, -1, ("s0", "s1"), ("s2", "s3"))
    assert second == Worth("b", 1, 0, -1, 0, ("s4",), ())


def test_samples_are_counted_by_the_study_whatever_it_is_of() -> None:
    drawn = case("C---------", "W---------", "UUUUUUUUUU", labels="aru", clusters=[4, 4, 2])
    found = _study(drawn, [0], Aim())
    assert (found.n_labelled, found.n_to_apply, found.n_clusters, found.n_orderings) == (2, 1, 1, 9_864_100)
    # Too many to list: the reference has no rank, and one repository cannot be divided.
    assert found.rank is found.reference.expected_ns is found.cross_validation is None
    assert [one.order for one in found.pareto] == [("b",), ("a",)]


def test_a_reference_of_replacers_that_were_not_run_is_the_users_mistake() -> None:
    with pytest.raises(UsageError, match="The run has no outcomes of the replacer 'z'") as caught:
        study(case("C").table, ["a", "z"], Aim())
    assert caught.value.tip == "It has: a."


def _curve(drawn: Case, aim: Aim) -> Curve:
    """The reference is a and b; b's variants are c, d, ..."""
    variants = [(0.1 * n, name) for n, name in enumerate(drawn.table.replacers[2:])]
    return curve(drawn.table, ["a", "b"], replacer="b", parameter="p", variants=variants, aim=aim)


@settings(max_examples=40)
@given(cases(6, least_replacers=3), st.sampled_from([0.0, 1.0, 5.0]))
def test_each_value_is_scored_by_itself_and_in_the_place_of_the_replacer(drawn: Case, cost: float) -> None:
    found = _curve(drawn, Aim(cost))
    for place, setting in enumerate(found.settings, 2):
        assert setting.variant == drawn.table.replacers[place]
        for one, order in ((setting.alone, [place]), (setting.in_order, [0, place])):
            counts = drawn.counts(order)
            assert drawn.table.places(one.order) == order
            assert (one.correct, one.wrong, one.missed) == (counts.correct, counts.wrong, counts.missed)
            assert one.score == counts.correct - cost * counts.wrong
    known = drawn.counts([0, 1])
    assert (found.reference.correct, found.reference.wrong) == (known.correct, known.wrong)
    scores = {setting.value: setting.in_order.score for setting in found.settings}
    assert found.chosen == max(scores, key=lambda value: scores[value])
    assert found.chosen_low <= found.chosen <= found.chosen_high
    assert {found.chosen_low, found.chosen_high} <= set(scores)


def test_a_value_that_is_best_everywhere_is_certain() -> None:
    found = _curve(case(*["--WCW"] * 8), Aim())
    assert (found.chosen, found.chosen_low, found.chosen_high) == (0.1, 0.1, 0.1)


def test_of_a_level_stretch_the_first_is_chosen_and_all_of_it_is_possible() -> None:
    found = _curve(case(*["--WCCCW"] * 8), Aim())
    assert (found.chosen, found.chosen_low, found.chosen_high) == (0.1, 0.1, 0.1 * 3)


def test_a_compromise_that_hardly_any_drawing_chooses_is_within_the_interval_all_the_same() -> None:
    # Each of the others is the best wherever its own repository is drawn twice.
    n = 9
    ownership = [
        ["--" + "-" + "".join("C" if other == own else "-" for other in range(n))] * 9
        + ["--" + "-" + "".join("-" if other == own else "W" for other in range(n))]
        for own in range(n)
    ]
    drawn = case(
        *(word for words in ownership for word in words), clusters=[own for own in range(n) for _ in range(10)]
    )
    found = _curve(drawn, Aim(1.2))
    assert found.chosen == found.chosen_low == 0.0
    assert found.chosen_high > 0.0
