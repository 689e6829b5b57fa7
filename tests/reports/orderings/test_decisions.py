"""?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editcore.errors import UsageError
from reports.orderings.decisions import (
    CORRECT,
    N_ENDS,
    NOTHING,
    UNLABELLED,
    WRONG,
    Decisions,
    Diagrams,
    Leads,
    decision_of,
    decisions,
)
from reports.runs.manifest import SCHEMA_VERSION, Manifest, write_manifest
from reports.runs.parts import PartWriter
from reports.runs.rows import Outcome, SampleUsed, Step
from reports.runs.run_folder import RunFolder
from tests.reports.orderings.made import Case, cases, every_order, graphs, walked

A, B = "replacer/a", "replacer/b"


def _folder(
    path: Path,
    outcomes: Sequence[Outcome],
    samples: Sequence[SampleUsed],
    steps: Sequence[Step] = (),
    *,
    version: int = SCHEMA_VERSION,
) -> Path:
    write_manifest(path, Manifest([], 0, [], [], 5, "", "", schema_version=version))
    with PartWriter(path, "0") as part:
        part.add(outcomes, [], samples, steps)
        part.close({})
    return path


def _used(name: str, label: str = "apply", *, repo: str | None = None) -> SampleUsed:
    return SampleUsed(name, "str_replace", label, repo=repo)


@pytest.fixture
def table(tmp_path: Path) -> Decisions:
    """Samples of every kind under two replacers and a cascade."""
    rows = [
        Outcome("right", A, "correct", latency_ns=7),
        Outcome("right", B, "missed", reason="no_match", latency_ns=9),
        Outcome("right", "cascade/x", "wrong_edit", damage="place"),
        Outcome("refused", B, "wrong_edit", damage="unasked", latency_ns=5),
        Outcome("refused", A, "refused", reason="ambiguous"),
        Outcome("unknown", A, "unlabelled", reason="no_match"),
        Outcome("unknown", B, "unlabelled"),
        Outcome("crashing", A, "crashed", error="IndexError"),
        Outcome("crashing", B, "correct"),
        Outcome("slow", A, "correct"),
        Outcome("slow", B, "timed_out"),
        Outcome("two", A, "missed", reason="no_match"),
        Outcome("two", B, "correct"),
        Outcome("tangled", A, "correct"),
        Outcome("tangled", B, "correct"),
        Outcome("elsewhere", "cascade/x", "correct"),
    ]
    labels = {"refused": "refuse", "unknown": "unlabelled"}
    used = [_used(name, labels.get(name, "apply")) for name in dict.fromkeys(row.sample_id for row in rows)]
    steps = [
        Step("two", 0, "a", 1),
        Step("two", 0, "b", 2),
        Step("two", 1, "b", None, "wrong_edit"),
        Step("two", 2, "b", None, "correct"),
        Step("tangled", 0, None),
        Step("elsewhere", 0, "a", None, "correct"),
    ]
    return decisions(RunFolder(_folder(tmp_path, rows, used, steps)))


def test_what_each_replacer_does_by_itself_is_read_from_the_run(table: Decisions) -> None:
    assert table.replacers == ("a", "b")
    assert table.samples == ("right", "refused", "unknown", "two")
    assert table.decision.tolist() == [[CORRECT, NOTHING], [NOTHING, WRONG], [NOTHING, UNLABELLED], [NOTHING, NOTHING]]
    assert table.latency_ns.tolist() == [[7, 9], [0, 5], [0, 0], [0, 0]]
    assert table.to_apply.tolist() == [True, False, False, True]
    assert table.labelled.tolist() == [True, True, False, True]
    assert table.n_labelled == 3


def test_samples_on_which_a_replacer_failed_or_with_too_many_texts_are_left_out_and_counted(table: Decisions) -> None:
    assert (table.n_failed, table.n_not_followed) == (2, 1)


def test_a_sample_with_several_edits_goes_by_its_steps(table: Decisions) -> None:
    assert list(table.several) == [3]
    assert [int(table.under(order)[3]) for order in [(0,), (1,), (0, 1), (1, 0)]] == [NOTHING, CORRECT, WRONG, CORRECT]


def test_columns_are_found_by_name(table: Decisions) -> None:
    assert table.places(["b", "a"]) == [1, 0]
    with pytest.raises(UsageError, match="no outcomes of the replacer 'c'") as caught:
        table.places(["b", "c"])
    assert caught.value.tip == "It has: a, b."


@settings(max_examples=40)
@given(cases(4))
def test_any_order_is_what_its_first_decider_does(drawn: Case) -> None:
    for order in every_order(drawn.n_replacers):
        assert drawn.table.under(order).tolist() == [row.under(order) for row in drawn.rows]
        for row, decider in zip(drawn.rows, drawn.table.decider(order), strict=True):
            deciders = [] if row.leads else [column for column in order if row.decision[column] != NOTHING]
            assert decider == (deciders[0] if deciders else -1)
    assert drawn.table.under(()).tolist() == [NOTHING] * len(drawn.rows)


@settings(max_examples=40)
@given(cases(4))
def test_a_table_of_some_replacers_says_the_same_of_their_orders(drawn: Case) -> None:
    for columns in every_order(drawn.n_replacers):
        some = drawn.table.only(columns)
        assert some.replacers == tuple(drawn.table.replacers[column] for column in columns)
        assert some.under(range(len(columns))).tolist() == drawn.table.under(columns).tolist()


def test_samples_of_one_repository_belong_together(tmp_path: Path) -> None:
    used = [_used("one", repo="x/y"), _used("two"), _used("three", repo="x/y")]
    rows = [Outcome(sample.sample_id, A, "correct") for sample in used]
    table = decisions(RunFolder(_folder(tmp_path, rows, used)))
    assert table.clusters.code[0] == table.clusters.code[2] != table.clusters.code[1]


def test_of_one_replacer_nothing_needs_to_be_followed(tmp_path: Path) -> None:
    table = decisions(RunFolder(_folder(tmp_path, [Outcome("two", A, "correct")], [_used("two")])))
    assert (table.several, table.under((0,)).tolist()) == ({}, [CORRECT])


def test_a_run_without_replacers_is_the_users_mistake(tmp_path: Path) -> None:
    folder = _folder(tmp_path, [Outcome("s", "cascade/x", "correct")], [_used("s")])
    with pytest.raises(UsageError, match="has no outcomes of replacers by themselves") as caught:
        decisions(RunFolder(folder))
    assert "replacer/*" in caught.value.tip


def test_a_run_that_does_not_say_what_its_samples_are_is_of_an_earlier_version(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not say what its samples are"):
        decisions(RunFolder(_folder(tmp_path, [Outcome("s", A, "correct")], [])))
    with pytest.raises(UsageError, match="does not say what its samples are"):
        decisions(RunFolder(_folder(tmp_path / "2", [Outcome("s", A, "correct")], [_used("s")], version=2)))


def test_an_id_of_two_samples_is_refused(tmp_path: Path) -> None:
    rows = [Outcome("s", A, "correct"), Outcome("s", A, "missed", reason="no_match"), Outcome("t", A, "correct")]
    with pytest.raises(UsageError, match="several outcomes of the sample"):
        decisions(RunFolder(_folder(tmp_path, rows, [_used("s"), _used("s"), _used("t")])))


@pytest.mark.parametrize(
    ("outcome", "decision"),
    [
        (Outcome("s", A, "correct"), CORRECT),
        (Outcome("s", A, "wrong_edit", damage="text"), WRONG),
        (Outcome("s", A, "missed", reason="no_match"), NOTHING),
        (Outcome("s", A, "refused", reason="no_match"), NOTHING),
        (Outcome("s", A, "unlabelled"), UNLABELLED),
        (Outcome("s", A, "unlabelled", reason="no_match"), NOTHING),
        (Outcome("s", A, "crashed"), None),
        (Outcome("s", A, "timed_out"), None),
    ],
)
def test_an_outcome_is_a_decision_or_a_failure(outcome: Outcome, decision: int | None) -> None:
    assert decision_of(outcome) == decision


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
