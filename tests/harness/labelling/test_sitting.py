"""The texts that a reader is shown: results, places that the edit resembles; control characters have no effect."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from corpora.sample import Sample
from editcore.types import Applied, Edit, File
from harness.labelling.sitting import Case, Result, case_of, queue
from harness.labelling.texts import drawn, edit_text, head_text, places, places_text, result_texts
from harness.strategies.registry import select, strategy
from harness.strategies.strategy import Strategy
from tests.samples import sample

BEFORE = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
THREE = ("cascade/reference", "cascade/opencode_1_17", "cascade/exact")
HOSTILE = "\x1b]0;owned\x07\x1b[31m[bold red]x[/] \u202e {{ 7 }} \x9b2J\r"


def _results(case: Case) -> Text:
    return Text.assemble(*result_texts(case))


def edit(number: int, old: str, new: str, *, before: str = BEFORE, label: str = "unlabelled") -> Sample:
    return sample(number, before=before, old=old, new=new, label=label)


def failing(name: str) -> Strategy:
    def apply(*_: object) -> Applied:
        raise IndexError("out of \x1b[31m range")

    return Strategy(name, frozenset({"str_replace"}), apply, "fails", "1")


def test_equal_results_are_one_with_the_applied_ones_first() -> None:
    found = case_of(edit(0, "    return 2 ", "    return 3"), [failing("cmd/x"), *select(THREE)])
    assert [one.strategies for one in found.results] == [
        ("cascade/reference", "cascade/opencode_1_17"), ("cascade/exact",), ("cmd/x",),
    ]  # fmt: skip
    assert found.results[0].files == (File("a.py", BEFORE.replace("return 2", "return 3")),)
    assert found.results[1].refusal.startswith("no_match: ")
    assert found.results[2].failure.startswith("crashed: out of ")
    assert found.n_disagreeing == 2  # Both tolerant ones against exact; a failure is no opinion.


def test_samples_that_decide_between_most_pairs_come_first() -> None:
    agreed, differing = edit(0, "return 1", "return 3"), edit(1, "    return 2 ", "    return 3")
    labelled = edit(2, "    return 2 ", "    return 3", label="refuse")
    strategies = select(THREE)
    reports: list[tuple[int, int]] = []

    def asked(*, disagreeing: bool = False, sort: str = "disagreement", skipped: tuple[str, ...] = ()) -> list[str]:
        found = queue(
            [agreed, differing, labelled], strategies, disagreeing=disagreeing, sort=sort, skipped=skipped,
            report=lambda *counts: reports.append(counts),
        )  # fmt: skip
        return [one.id for one in found]

    assert asked() == ["s1", "s0"]
    assert reports == [(1, 2), (2, 2)]
    assert asked(sort="corpus") == ["s0", "s1"]
    assert asked(disagreeing=True) == ["s1", "s2"]
    assert asked(skipped=("s1",)) == ["s0", "s1"]


def test_places_are_where_the_lines_are_most_alike() -> None:
    found = places(edit(0, "def two():\n    return 3", ""))
    assert (found[0].first, found[0].last) == (5, 6)
    assert found[0].similarity > 0.9
    assert [(one.first, one.last) for one in found[1:]] == [(1, 2)]
    assert places(edit(0, "nothing alike at all here", "")) == []
    patch = Sample(
        "p", "unified_diff", (File("a.py", BEFORE),), "unlabelled", patch="@@ -1 +1 @@\n def two():\n-x\n+y\n"
    )
    assert places(patch)[0].first == 5
    line = Sample("i", "insert", (File("a.py", BEFORE),), "unlabelled", patch="x", line=3)
    assert [(one.first, one.last) for one in places(line)] == [(3, 3)]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("\tx = 1  ", "→   x = 1··"),
        ("x\r", "x\\r"),
        ("   ", "···"),
        ("a\x00b", "a\\x00b"),
        ("x" * 301, "x" * 300 + " (1 characters more)"),
    ],
)
def test_invisible_characters_are_drawn(line: str, shown: str) -> None:
    assert drawn(line) == shown


@given(st.text(st.characters(), max_size=30))
def test_no_line_has_a_character_that_a_terminal_obeys(line: str) -> None:
    assert drawn(line).isprintable()


def test_nothing_that_a_model_wrote_is_obeyed() -> None:
    made = Sample("s", "str_replace", (File(HOSTILE, HOSTILE + "\nx\n"),), "unlabelled", edits=(Edit("x\n", HOSTILE),))
    found = case_of(made, [strategy("cascade/exact"), failing(HOSTILE)])
    for text in (head_text(made, 0, 1, 0, None), edit_text(made), places_text(made), _results(found)):
        assert all(line.isprintable() for line in text.plain.split("\n"))
    assert "[bold red]" in edit_text(made).plain
    assert "red" not in {str(span.style) for span in edit_text(made).spans if "bold red" in str(span.style)}


def test_a_case_without_a_strategy_says_so() -> None:
    assert "None of the strategies" in _results(case_of(edit(0, "x", "y"), [])).plain
    assert Result((), None).outcome is None
