from __future__ import annotations

import pytest

from corpora.load import load
from editcore.types import Applied, Rejected
from harness.run.answer import Answers
from harness.run.renamed import renamed
from harness.strategies.registry import strategy
from tests.samples import sample


def test_a_word_is_replaced_wherever_it_stands_by_one_of_the_same_length() -> None:
    one = sample(before="def total():\n    return total_of()\n", old="def total()", new="def Total()")
    other = renamed(one)
    assert other
    old, new = other.old, other.new
    assert old in ("def", "total", "Total")
    assert len(new) == len(old)
    assert [file.content for file in other.sample.before] == [file.content.replace(old, new) for file in one.before]
    assert [(edit.old_string, edit.new_string) for edit in other.sample.edits or ()] == [
        ("def total()".replace(old, new), "def Total()".replace(old, new))
    ]
    assert other == renamed(one)


def test_words_that_paths_or_the_syntax_of_patches_have_stay() -> None:
    assert renamed(sample(before="Begin py a\n", old="Begin", new="py")) is None
    assert renamed(sample(before="1\n", old="1", new="2")) is None


def test_a_text_that_still_has_the_old_word_is_not_turned_back() -> None:
    other = renamed(sample(before="total = 1\n", old="total = 1", new="total = 2"))
    assert other
    assert other.back(f"{other.new} = 2\n") == "total = 2\n"
    assert other.back(f"{other.new} = 2  # total\n") != "total = 2  # total\n"


@pytest.mark.parametrize(
    "name",
    [
        "cascade/recommended",
        "unified_diff/tolerant",
        pytest.param("begin_patch/codex", marks=pytest.mark.slow),
        pytest.param("cascade/reference", marks=pytest.mark.slow),
    ],
)
def test_the_answer_to_a_renamed_sample_is_nearly_always_the_old_one_renamed(name: str) -> None:
    chosen = strategy(name)
    taken = [one for one in load("house") if chosen.takes(one)]
    n_same = n_renamed = 0
    for one in taken:
        if other := renamed(one):
            results = chosen.apply(one, None), chosen.apply(other.sample, None)
            assert all(isinstance(result, Applied | Rejected) for result in results)
            n_renamed += 1
            n_same += Answers(one).of(results[0]) == Answers(other.sample, back=other.back).of(results[1])
    assert n_renamed > 0.95 * len(taken)
    assert n_same > 0.95 * n_renamed
