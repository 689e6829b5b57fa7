"""The advice about a model: the best pair, what cannot be told from it, and when tasks are too few."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from editcore.errors import UsageError
from reports.asked import FEWEST_TASKS, AskedReply, Compared, Pair, advice, keep_answer, kept_answer, legend, sentences

_N = 60


def _pair(format: str, strategy: str, n_wrong: int, n_missed: int, *, n: int = _N, repeats: int = 3) -> Pair:
    """A pair that is wrong on the last tasks, and misses those before them, in every repetition."""
    asked = np.full(n, float(repeats))
    wrong, right = np.zeros(n), asked.copy()
    wrong[n - n_wrong :] = repeats
    right[n - n_wrong - n_missed :] = 0
    return Pair(format, strategy, right, wrong, asked)


def _compared(*pairs: Pair, cost_usd: float | None = 0.001) -> Compared:
    n = len(pairs[0].asked)
    replies = {
        pair.format: tuple(
            AskedReply(f"{pair.format} {task} {nth}", str(task), pair.format, True, True, 900, 100, cost_usd)
            for task in range(n)
            for nth in range(int(pair.asked[task]))
        )
        for pair in pairs
    }
    return Compared(pairs, n, 0, replies)


def test_the_best_pair_is_named_and_a_clear_difference_is_said_to_be_one() -> None:
    found = advice(_compared(_pair("a", "cascade/x", 0, 2), _pair("b", "cascade/x", 0, 40)), 5.0)
    assert [(row.format, row.is_tied) for row in found.rows] == [("a", True), ("b", False)]
    said = " ".join(sentences(found, "m"))
    assert "For m: a with cascade/x: right at once 96.7 %" in said
    assert "1,034 tokens and 0.001 US dollars per right edit (60 tasks" in said
    assert "It is better than every other format here; the next is b with cascade/x." in said


def test_a_small_difference_is_not_told_and_the_number_of_tasks_that_would_do_is() -> None:
    found = advice(_compared(_pair("a", "cascade/x", 0, 4), _pair("b", "cascade/x", 0, 6)), 5.0)
    assert found.rows[1].is_tied
    assert found.n_needed
    assert found.n_needed > _N
    assert "60 tasks are too few to tell it from b; about " in " ".join(sentences(found, "m"))


def test_repetitions_of_a_task_are_not_independent() -> None:
    once, often = (
        advice(_compared(_pair("a", "cascade/x", 0, 6, repeats=n), _pair("b", "cascade/x", 0, 9, repeats=n)), 5.0)
        for n in (1, 50)
    )
    assert often.rows[0].right.low == pytest.approx(once.rows[0].right.low, abs=0.005)
    assert (once.rows[1].is_tied, once.n_needed) == (often.rows[1].is_tied, often.n_needed)


def test_another_pair_is_the_best_where_a_wrong_edit_costs_more() -> None:
    keen, safe = _pair("keen", "cascade/x", 12, 0), _pair("safe", "cascade/x", 0, 30)
    low, high = (advice(_compared(keen, safe), cost) for cost in (0.5, 50.0))
    assert (low.rows[0].format, high.rows[0].format) == ("keen", "safe")
    assert [(name, one.upto is None) for one, name, _ in low.others] == [("keen", False), ("safe", True)]
    assert "missed ones or more: safe with cascade/x" in " ".join(sentences(low, "m"))


def test_each_format_has_its_best_rule() -> None:
    found = advice(_compared(_pair("a", "cascade/bad", 9, 0), _pair("a", "cascade/good", 0, 9)), 5.0)
    assert [(row.format, row.strategy) for row in found.rows] == [("a", "cascade/good")]


def test_of_equal_pairs_the_one_with_fewer_tokens_comes_first() -> None:
    a, b = _pair("a", "cascade/x", 0, 3), _pair("b", "cascade/x", 0, 3)
    cheap = _compared(a, b)
    longer = tuple(
        AskedReply(f"{one.sample_id}", one.task, "a", True, True, 5000, 100, None) for one in cheap.replies["a"]
    )
    found = advice(Compared(cheap.pairs, _N, 0, {**cheap.replies, "a": longer}), 5.0)
    assert [(row.format, row.usd_per_right is None) for row in found.rows] == [("b", False), ("a", True)]


def test_the_legend_is_of_columns_that_are_shown() -> None:
    pair = _pair("str_replace", "cascade/recommended", 0, 2)
    later = replace(pair, n_retried=2, right_later=pair.right, wrong_later=pair.wrong)
    assert "later:" not in legend(advice(_compared(pair), 5))
    assert "later:" in legend(advice(_compared(later), 5))


def test_few_tasks_say_nothing() -> None:
    n = FEWEST_TASKS - 1
    found = advice(_compared(_pair("a", "cascade/x", 0, 0, n=n), _pair("b", "cascade/x", 0, n, n=n)), 5.0)
    assert list(sentences(found, "m")) == [
        f"{n} tasks were answered in every format: too few to say anything; ask {FEWEST_TASKS} or more."
    ]


# The answer that a run folder keeps.


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    assert kept_answer(tmp_path) == []
    keep_answer(tmp_path, ["For m: a with b.", "It is better."])
    assert kept_answer(tmp_path) == ["For m: a with b.", "It is better."]


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"sentences": 1}', "\xff"])
def test_a_damaged_answer_is_named(content: str, tmp_path: Path) -> None:
    (tmp_path / "answer.json").write_text(content, encoding="latin-1")
    with pytest.raises(UsageError, match=r"answer\.json cannot be read"):
        kept_answer(tmp_path)
