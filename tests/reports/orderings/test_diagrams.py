from __future__ import annotations

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from reports.orderings.decisions import CORRECT, N_ENDS, WRONG, Diagrams, Leads
from tests.reports.orderings.made import every_order, graphs, walked

sizes = st.integers(1, 4)
graphs_of_some = sizes.flatmap(lambda n: st.tuples(st.just(n), graphs(n)))


@given(graphs_of_some)
def test_any_order_ends_where_a_walk_through_the_texts_ends(drawn: tuple[int, list[Leads]]) -> None:
    n, leads = drawn
    diagrams = Diagrams(n)
    root = diagrams.root(leads)
    for order in every_order(n):
        assert diagrams.outcome(root, order) == walked(leads, order)


@given(graphs_of_some)
def test_putting_replacers_next_one_after_another_is_the_order_that_they_make(drawn: tuple[int, list[Leads]]) -> None:
    n, leads = drawn
    diagrams = Diagrams(n)
    root = diagrams.root(leads)
    for order in permutations(range(n)):
        node = root
        for done, replacer in enumerate(order, 1):
            node = diagrams.after(node, replacer)
            assert diagrams.outcome(node, ()) == walked(leads, order[:done])
            assert diagrams.outcome(node, order[done:]) == walked(leads, order)
            assert diagrams.after(node, replacer) == node
        assert node < N_ENDS


@settings(max_examples=40)
@given(graphs_of_some)
def test_every_end_of_an_order_is_among_the_ends(drawn: tuple[int, list[Leads]]) -> None:
    n, leads = drawn
    diagrams = Diagrams(n)
    root = diagrams.root(leads)
    assert {walked(leads, order) for order in every_order(n)} <= diagrams.ends(root)
    assert diagrams.ends(diagrams.after(root, 0)) <= diagrams.ends(root)


@given(graphs_of_some, st.data())
def test_diagrams_of_some_replacers_are_those_of_their_steps(
    drawn: tuple[int, list[Leads]], data: st.DataObject
) -> None:
    n, leads = drawn
    columns = data.draw(st.lists(st.integers(0, n - 1), unique=True))
    whole = Diagrams(n)
    root = whole.root(leads)
    found, became = Diagrams.of_some(whole, columns)
    theirs = [(text, columns.index(r), next_text, end) for text, r, next_text, end in leads if r in columns]
    assert found.root(theirs) == became[root]
    for order in every_order(len(columns)):
        assert found.outcome(became[root], order) == walked(leads, [columns[place] for place in order])


@settings(max_examples=40)
@given(graphs_of_some, graphs_of_some)
def test_equal_diagrams_are_one_number(one: tuple[int, list[Leads]], other: tuple[int, list[Leads]]) -> None:
    n = max(one[0], other[0])
    diagrams = Diagrams(n)
    first, second = diagrams.root(one[1]), diagrams.root(other[1])
    assert diagrams.root(reversed(one[1])) == first
    # What the texts are numbered does not matter, nor one that nothing leads to.
    spread = [(2 * text, r, None if to is None else 2 * to, end) for text, r, to, end in one[1]]
    assert diagrams.root([*spread, (1, 0, None, WRONG)]) == first
    if first == second:
        assert all(walked(one[1], order) == walked(other[1], order) for order in every_order(n))


def test_where_nobody_leads_on_nothing_is_decided() -> None:
    diagrams = Diagrams(2)
    assert diagrams.root([]) == 0
    assert diagrams.outcome(diagrams.root([(0, 0, 1, 0)]), (0, 1)) == 0


def test_the_first_edit_may_lead_to_where_the_second_is_decided_otherwise() -> None:
    diagrams = Diagrams(2)
    root = diagrams.root([(0, 0, 1, 0), (0, 1, 2, 0), (1, 0, None, WRONG), (2, 0, None, CORRECT)])
    assert [diagrams.outcome(root, order) for order in [(0,), (1,), (0, 1), (1, 0)]] == [WRONG, 0, WRONG, CORRECT]


def test_two_thousand_edits_are_followed_to_the_end() -> None:
    last = 1_999
    leads: list[Leads] = [(text, 0, text + 1, 0) for text in range(last)] + [(last, 1, None, CORRECT)]
    diagrams = Diagrams(3)
    root = diagrams.root(leads)
    assert [diagrams.outcome(root, order) for order in [(2, 1, 0), (0, 2), (2,)]] == [CORRECT, 0, 0]
    assert diagrams.ends(root) == {0, CORRECT}
