from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from reports.orderings.choice import Aim
from reports.orderings.study import Curve, curve
from tests.reports.orderings.made import Case, case, cases


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
