from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reports.compare.costs import COSTS, Answer, answers, ranges, sentence
from reports.page.columns import read_columns
from reports.runs.run_folder import RunFolder
from tests.twins import write_run


def answer_of(folder: Path, verdicts: dict[str, str]) -> tuple[Answer, str]:
    columns = read_columns(RunFolder(write_run(folder, verdicts)))
    (found,) = answers(columns)
    return found, sentence(found, columns.strategies)


def test_a_strategy_that_is_better_in_both_counts_is_advised_at_every_cost(tmp_path: Path) -> None:
    found, words = answer_of(
        tmp_path / "run", {"x/good": "c" * 190 + "m" * 10, "x/bad": "c" * 100 + "w" * 50 + "m" * 50}
    )
    assert words == "Take x/good, whatever a wrong edit costs: it misses 5.0 %, 0.0 % are wrong."
    assert [(one.strategy, one.above, one.upto, one.tied) for one in found.ranges] == [(0, None, None, ())]
    assert found.frontier == [0]


def test_the_advice_changes_where_a_wrong_edit_becomes_too_dear(tmp_path: Path) -> None:
    verdicts = {"x/safe": "c" * 600 + "m" * 400, "x/keen": "c" * 900 + "w" * 100}
    found, words = answer_of(tmp_path / "run", verdicts)
    first, second = found.ranges
    assert (first.strategy, second.strategy) == (1, 0)
    assert (first.upto, second.above) == (4, 4)  # They break even at 400 / 100.
    assert words == "Take x/safe where a wrong edit is as bad as 4.0 missed ones or more; x/keen below 4.0."
    assert found.frontier == [0, 1]


def test_where_one_wrong_edit_decides_the_other_is_said_to_be_as_good(tmp_path: Path) -> None:
    """One wrong edit less makes up for 23 points of matches where it costs so much; of edits to come it says little."""
    verdicts = {"x/timid": "c" * 170 + "m" * 80 + "w", "x/able": "c" * 229 + "m" * 20 + "w" * 2}
    found, words = answer_of(tmp_path / "run", verdicts)
    assert [(one.strategy, one.tied) for one in found.ranges] == [(1, ()), (0, (1,))]
    assert words.startswith("Take x/able where a wrong edit is as bad as fewer than ")


COUNTS = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=6)


@given(COUNTS, st.lists(st.floats(COSTS[0], COSTS[-1]), max_size=20))
def test_no_strategy_is_above_the_one_advised_at_any_cost(counts: list[tuple[int, int]], costs: list[float]) -> None:
    n_missed, n_wrong = zip(*counts, strict=True)
    found = list(ranges(np.zeros((len(COSTS), len(counts)), dtype=bool), n_missed, n_wrong, range(len(counts))))
    assert found[0].above is None
    assert found[-1].upto is None
    assert [one.upto for one in found[:-1]] == [one.above for one in found[1:]]
    for cost in [*COSTS, *costs]:
        one = next(one for one in found if one.upto is None or cost < one.upto)
        losses = [missed + cost * wrong for missed, wrong in counts]
        assert losses[one.strategy] <= min(losses) * (1 + 1e-12)


def test_between_two_costs_that_are_drawn_the_advice_changes_where_the_curves_cross() -> None:
    """At 4.2 the second one is better; the next cost at which losses are compared is 4.6."""
    first, second = ranges(np.zeros((len(COSTS), 2), dtype=bool), [100, 500], [100, 0], range(2))
    assert (first.strategy, first.upto, second.strategy, second.above) == (0, 4, 1, 4)


def test_equal_strategies_are_tied_and_named(tmp_path: Path) -> None:
    _, words = answer_of(tmp_path / "run", dict.fromkeys(("x/a", "x/b", "x/c"), "c" * 50 + "wm"))
    assert words.startswith("Take x/a, whatever a wrong edit costs: it misses 1.9 %, 1.9 % are wrong; ")
    assert words.endswith("; x/b and x/c cannot be told apart from it.")


def test_strategies_of_other_samples_have_an_answer_of_their_own(tmp_path: Path) -> None:
    verdicts = {"x/a": "ccm  ", "x/b": "cwm  ", "y/a": "  mcc", "y/b": "  ccw", "z/alone": "c    "}
    found = answers(read_columns(RunFolder(write_run(tmp_path / "run", verdicts))))
    assert [one.strategies for one in found] == [[0, 1], [2, 3]]


def test_a_crash_is_a_missed_edit_and_an_unlabelled_sample_does_not_count(tmp_path: Path) -> None:
    found, _ = answer_of(tmp_path / "run", {"x/a": "cxu", "x/b": "ccu"})
    assert (found.n, found.n_missed) == (2, [1, 0])


def test_without_labels_there_is_no_answer(tmp_path: Path) -> None:
    assert answers(read_columns(RunFolder(write_run(tmp_path / "run", {"x/a": "uu", "x/b": "uu"})))) == []


def test_costs_reach_from_a_tenth_to_a_thousand() -> None:
    assert (round(COSTS[0], 9), round(COSTS[-1], 6)) == (0.1, 1000)
