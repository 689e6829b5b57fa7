"""Inputs are drawn from tapes, and shrunk by the choices that they were drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.fuzz.engine.choices import Choices
from harness.fuzz.engine.shrinking import fewest, smaller_fields, smallest
from harness.fuzz.generators import generator
from harness.fuzz.inputs import FORMS, Fields, meant_of


@given(st.binary(max_size=40), st.integers(1, 1 << 40))
def test_a_tape_gives_the_same_choices_each_time_and_each_is_below_its_number(tape: bytes, n: int) -> None:
    one, other = Choices(tape), Choices(tape)
    for source in (one, other):
        source.randrange(n)
        source.random()
        source.choice("abc")
        source.randint(3, 9)
        source.sample(range(50), 3)
        source.shuffle(list(range(4)))
        source.getrandbits(20)
    assert one.made == other.made
    assert one.made[0] < n


def test_what_is_drawn_behind_the_end_of_a_tape_differs_from_tape_to_tape() -> None:
    drawn = {tuple(Choices(bytes([n])).choices(range(1000), k=20)) for n in range(50)}
    assert len(drawn) == 50


@pytest.mark.parametrize("format", ["begin_patch", "unified_diff", "search_replace", "str_replace"])
def test_a_drawn_input_is_shrunk_to_one_whose_answer_is_known(format: str) -> None:
    draw = generator(format)
    choices = next(
        one for seed in range(100) if (one := Choices(bytes([seed]))) and meant_of(draw(one)) and len(one.made) > 50
    )

    def fails(fields: Fields) -> bool:
        return meant_of(fields) is not None

    small = smallest(draw, choices.made, fails, seconds=2)
    assert small is not None
    sample = FORMS[format].sample(small)
    assert sample is not None
    assert sample.label in ("apply", "refuse")
    assert sum(map(len, small)) < sum(map(len, draw(Choices(choices._tape))))


def test_an_input_that_fails_no_more_has_no_smallest_one() -> None:
    choices = Choices(b"x")
    generator("insert")(choices)
    assert smallest(generator("insert"), choices.made, lambda _: False, seconds=1) is None


def test_the_first_failure_is_returned_if_there_is_no_time_for_a_smaller_one() -> None:
    def draw(rng: Random) -> int:
        return rng.randrange(1000)

    assert smallest(draw, [900], lambda n: n > 3, seconds=-1) == 900
    assert smallest(draw, [900], lambda n: n > 3, seconds=5) == 4


@pytest.mark.parametrize("n", [1, 7, 300, 2000])
def test_of_many_pieces_those_are_left_that_are_needed(n: int) -> None:
    needed = {n // 3, n // 2}

    def fails(some: Sequence[int]) -> bool:
        return needed <= {*some}

    assert fewest(range(n), fails, seconds=20) == sorted(needed)
    assert fewest(range(n), lambda _: False, seconds=1) == range(n)
    assert fewest([], lambda _: True, seconds=1) == []


def test_fields_that_nobody_drew_lose_lines_and_then_letters() -> None:
    fields = ("a\nbb\n" * 30 + "x = 1\n" + "c\n" * 20, "a\nx = 1\nb", "yy", "g", "content\n")

    def fails(fields: Fields) -> bool:
        return len(fields) > 2 and "= 1" in fields[0] and "= 1" in fields[1] and "y" in fields[2]

    assert smaller_fields(fields, fails, seconds=20) == ("= 1", "= 1", "y")
