"""Replacers with thresholds and guards of their own, by name."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editcore import REPLACERS, Applied, Cascade, Document, Edit, Guards, Match, UsageError
from editcore.variants import PARAMETERS, named_replacer, variant_name
from tests.properties.generators import contents_and_finds, contents_and_finds_of_blocks

NAMES = [
    variant_name(replacer, {parameter.name: value})
    for parameter in PARAMETERS.values()
    for replacer in sorted(parameter.replacers)
    for value in parameter.values
]
texts = contents_and_finds() | contents_and_finds_of_blocks()


def offered(name: str, content: str, find: str) -> list[str]:
    return list(named_replacer(name)(Document(content), find))


# Names


def test_a_name_is_the_replacer_and_its_parameters() -> None:
    assert variant_name("block_anchor", {"similarity": 0.5}) == "block_anchor@similarity=0.5"
    assert variant_name("block_anchor", {"size_window": 0.25, "line_factor": 2.0}) == (
        "block_anchor@size_window=0.25,line_factor=2"
    )
    assert variant_name("simple", {"line_factor": 1.0}) == "simple@line_factor=1"


def test_a_replacer_alone_is_itself() -> None:
    for name, replacer in REPLACERS.items():
        assert named_replacer(name) is replacer


@pytest.mark.parametrize("name", NAMES)
def test_every_listed_value_makes_a_replacer_that_a_cascade_can_hold(name: str) -> None:
    content = "def f():\n    a\n    b\n    return a\n"
    cascade = Cascade("mine", (name,))
    assert next(cascade.rungs)[0] == name
    result = cascade.apply(Document(content), Edit("def f():\n    a\n    b\n    return a", "X"))
    if isinstance(result, Applied):
        assert (result.content, result.replacer) == ("X\n", name)
    copy = pickle.loads(pickle.dumps(cascade))
    assert copy == cascade
    assert copy.apply(Document(content), Edit("    a\n", "X")) == cascade.apply(Document(content), Edit("    a\n", "X"))


def test_listed_values_rise_within_the_range_and_say_what_they_are() -> None:
    for name, parameter in PARAMETERS.items():
        assert parameter.name == name
        assert list(parameter.values) == sorted(set(parameter.values))
        assert parameter.low <= parameter.values[0] < parameter.values[-1] <= parameter.high
        assert parameter.replacers <= set(REPLACERS)
        assert parameter.meaning


_CHOICE = f"Choose from: {', '.join(PARAMETERS)}."


@pytest.mark.parametrize(
    ("name", "message", "tip"),
    [
        (
            "sample@similarity=1",
            "There is no replacer 'sample'",
            f"Did you mean simple? Choose from: {', '.join(REPLACERS)}.",
        ),
        (
            "block_anchor@size_windw=1",
            "block_anchor takes no parameter 'size_windw'",
            f"Did you mean size_window? {_CHOICE}",
        ),
        ("simple@similarity=1", "simple takes no parameter 'similarity'", "Choose from: line_factor."),
        *((f"block_anchor@{one}", f"block_anchor takes no parameter {one!r}", _CHOICE) for one in ("likeness", "")),
        *(
            (
                f"block_anchor@size_window=0,similarity{written}",
                f"similarity of block_anchor must be a number from 0 to 1, not {text!r}",
                "Write block_anchor@similarity=1, say.",
            )
            for written in ("=1.01", "=-0.1", "=nan", "=inf", "=half", "=", "")
            for text in [written.removeprefix("=")]
        ),
        (
            "simple@line_factor=0.5",
            "line_factor of simple must be a number from 1 to 100, not '0.5'",
            "Write simple@line_factor=10, say.",
        ),
    ],
)  # fmt: skip
def test_a_name_that_cannot_be_made_is_the_users_mistake(name: str, message: str, tip: str) -> None:
    with pytest.raises(UsageError) as caught:
        Cascade("mine", ("simple", name))
    assert (caught.value.message, caught.value.tip) == (message, tip)


# What they offer


@given(texts)
def test_with_the_values_it_has_a_variant_offers_what_the_replacer_offers(drawn: tuple[str, str]) -> None:
    plain = offered("block_anchor", *drawn)
    for written in (
        "single_similarity=0,several_similarity=0.3",
        "single_similarity=0",
        "several_similarity=0.3",
        "anchor_rarity=0",
        "size_window=100",
    ):
        assert offered(f"block_anchor@{written}", *drawn) == plain
    # So small a text is in proportion to any find.
    for name in REPLACERS:
        assert offered(f"{name}@line_factor=100", *drawn) == offered(name, *drawn)


@pytest.mark.parametrize("parameter", ["similarity", "single_similarity", "several_similarity", "anchor_rarity"])
@settings(max_examples=80)
@given(texts, st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.65, 0.9, 1.0]), min_size=2, max_size=2).map(sorted))
def test_what_asks_more_offers_no_more(parameter: str, drawn: tuple[str, str], values: list[float]) -> None:
    lenient, strict = (offered(f"block_anchor@{parameter}={value}", *drawn) for value in values)
    assert set(strict) <= set(lenient)


@settings(max_examples=80)
@given(texts, st.sampled_from([1.0, 2.0, 5.0]))
def test_candidates_out_of_proportion_are_passed_over(drawn: tuple[str, str], factor: float) -> None:
    content, find = drawn
    n_lines = find.count("\n") + 1
    for name in REPLACERS:
        kept = offered(f"{name}@line_factor={factor}", content, find)
        small = [
            candidate
            for candidate in offered(name, content, find)
            if candidate.count("\n") + 1 < max(n_lines + 3, n_lines * factor)
        ]
        assert kept == small


def test_the_parameters_of_a_variant_are_those_of_the_guards() -> None:
    content, find = "in\n  abcdefghij\nout\n", "in\n  abcdefgxyz\nout"
    for least in (0.7, 0.71):
        variant = Cascade("mine", (f"block_anchor@similarity={least}",))
        guarded = Cascade("mine", ("block_anchor",), guards=Guards(single_similarity=least))
        (mine,), (other,) = variant.rungs, guarded.rungs
        assert list(mine[1](Document(content), find)) == list(other[1](Document(content), find))
    assert offered("block_anchor@similarity=0.7", content, find)
    assert not offered("block_anchor@similarity=0.71", content, find)
    assert offered("block_anchor@several_similarity=0.71", content, find)
    assert not offered("block_anchor@size_window=0", content, "in\nout\n" + "x\n" * 3 + "out")


def test_braces_alone_anchor_nothing_where_an_anchor_has_to_be_rare() -> None:
    find = "}\n    x = 1\n}"
    twice = "}\n    x = 2\n}\n"
    assert offered("block_anchor@anchor_rarity=0.5", twice, find) == [twice[:-1]]
    # Each of the two is in two lines, where one is the most.
    assert offered("block_anchor@anchor_rarity=1", twice, find) == []
    often = "  }\n" * 3 + twice
    assert offered("block_anchor@anchor_rarity=0.2", often, find) == offered("block_anchor", often, find) != []
    assert offered("block_anchor@anchor_rarity=0.2", "}\n" + often, find) == []


def test_one_rare_anchor_is_enough() -> None:
    content = "}\n" * 9 + "def f():\n    x = 2\n}\n"
    assert offered("block_anchor@anchor_rarity=1", content, "def f():\n    x = 1\n}") == ["def f():\n    x = 2\n}"]
    assert offered("block_anchor@anchor_rarity=0.2", content, "}\n    x = 1\ndef f():") == offered(
        "block_anchor", content, "}\n    x = 1\ndef f():"
    )


def test_rarity_never_finds_what_is_no_pair() -> None:
    assert offered("block_anchor@anchor_rarity=1", "in\nx\n", "in\nx\nout") == []


SWALLOWED = "in\n" + "important\n" * 4 + "out\n"


def test_a_candidate_passed_over_leaves_the_edit_to_the_next_replacer() -> None:
    edit = Edit("in\nx\nout", "X")
    alone = Cascade("mine", ("block_anchor",)).apply(Document(SWALLOWED), edit)
    assert isinstance(alone, Applied)
    for order in (("block_anchor@line_factor=1",), ("block_anchor@line_factor=2", "simple")):
        assert not isinstance(Cascade("mine", order).apply(Document(SWALLOWED), edit), Applied)
    result = Cascade("mine", ("block_anchor@line_factor=1", "block_anchor@line_factor=3")).apply(
        Document(SWALLOWED), edit
    )
    assert isinstance(result, Applied)
    assert result.replacer == "block_anchor@line_factor=3"


@pytest.mark.parametrize(
    "name", ["block_anchor@similarity=0.1,line_factor=1", "block_anchor@line_factor=1,similarity=0.1"]
)
def test_parameters_may_be_written_in_any_order(name: str) -> None:
    assert offered(name, SWALLOWED, "in\nimportant\nout") == []
    assert offered(name, "in\na\nout\n", "in\na b\nout") == ["in\na\nout"]
    assert offered(name, "in\na\nout\n", "in\nb\nout") == []


def test_a_match_by_a_variant_says_how_similar_the_block_was() -> None:
    name = "block_anchor@single_similarity=0.5"
    result = Cascade("mine", (name,)).apply(Document("in\n  abcde\nout\n"), Edit("in\n  abcdX\nout", "X"))
    assert result == Applied("X\n", (Match(0, 14, name, pytest.approx(0.8)),), name)
