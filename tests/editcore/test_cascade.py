"""Cascades: orders, subsets, own replacers, guards, and what a result says."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from editcore import (
    CASCADES,
    REPLACERS,
    Applied,
    Cascade,
    Document,
    Edit,
    Guards,
    Match,
    Reason,
    Rejected,
    SizeGuard,
    UsageError,
    replace,
)
from editcore.cascade import named_cascade

REFERENCE = CASCADES["reference"]


def _applied(content: str, old: str, new: str, *, cascade: str | Cascade = "reference", all_: bool = False) -> Applied:
    result = replace(content, old, new, replace_all=all_, cascade=cascade)
    assert isinstance(result, Applied)
    return result


def _rejected(content: str, old: str, new: str, *, cascade: str | Cascade = "reference") -> Rejected:
    result = replace(content, old, new, cascade=cascade)
    assert isinstance(result, Rejected)
    return result


def shouted(document: Document, find: str) -> Iterator[str]:
    """A replacer of one's own: the find in capitals, whether it is there or not."""
    assert document.text
    yield find.upper()


def exploding(_document: Document, find: str) -> Iterator[str]:
    raise AssertionError(f"asked for {find!r}")


# Orders and subsets


def test_reference_and_opencode_1_17_have_all_nine_in_the_order_of_the_table() -> None:
    assert CASCADES["reference"].replacers == tuple(REPLACERS)
    assert CASCADES["opencode_1_17"].replacers == tuple(REPLACERS)
    assert CASCADES["exact"].replacers == ("simple",)
    assert list(CASCADES) == [cascade.name for cascade in CASCADES.values()]


def test_the_order_decides_between_replacers_that_would_both_match() -> None:
    content, old = "    go( 1 )\n", "go( 1 ) "
    whole_line_first = Cascade("a", ("line_trimmed", "trimmed_boundary"))
    trimmed_first = Cascade("b", ("trimmed_boundary", "line_trimmed"))
    assert _applied(content, old, "X", cascade=whole_line_first).content == "X\n"
    assert _applied(content, old, "X", cascade=trimmed_first).content == "    X\n"


def test_a_replacer_left_out_is_not_asked() -> None:
    without = Cascade("without", tuple(name for name in REPLACERS if name != "line_trimmed"))
    assert _applied("  a\n  b\n", "a\nb", "c", cascade=without).replacer == "whitespace_normalized"


def test_a_cascade_of_nothing_finds_nothing() -> None:
    assert _rejected("a\n", "a", "b", cascade=Cascade("none", ())).reason is Reason.NO_MATCH


def test_a_list_of_replacers_becomes_a_tuple() -> None:
    listed = Cascade("mine", ["simple", "line_trimmed"])  # type: ignore[arg-type]
    assert listed == Cascade("mine", ("simple", "line_trimmed"))
    assert hash(listed) == hash(Cascade("mine", ("simple", "line_trimmed")))


@pytest.mark.parametrize("name", ["indentation_flexible", "multi_occurrence"])
def test_a_replacer_that_never_decides_in_the_reference_can_do_so_alone(name: str) -> None:
    content, old = {"indentation_flexible": ("\t\tx", "  x"), "multi_occurrence": ("x", "x")}[name]
    result = _applied(content, old, "y", cascade=Cascade("alone", (name,)))
    assert (result.content, result.replacer) == ("y", name)


def test_a_later_replacer_is_not_asked_once_one_has_decided() -> None:
    assert _applied("a b\n", "a", "c", cascade=Cascade("lazy", ("simple", exploding))).content == "c b\n"


# Replacers of one's own


def test_a_function_goes_by_its_own_name() -> None:
    result = _applied("LET A = 1\n", "let a", "var a", cascade=Cascade("mine", ("simple", shouted)))
    assert result == Applied("var a = 1\n", (Match(0, 5, "shouted"),), "shouted")


def test_a_function_without_a_name_is_custom() -> None:
    result = _applied("A\n", "a", "b", cascade=Cascade("mine", (partial(shouted),)))
    assert result.replacer == "custom"


def test_a_candidate_that_is_nowhere_is_passed_over() -> None:
    assert _rejected("b\n", "a", "c", cascade=Cascade("mine", (shouted,))).reason is Reason.NO_MATCH


# What a cascade is called


def test_a_cascade_without_a_summary_is_summed_up_by_its_order() -> None:
    mine = Cascade("mine", ("simple", "block_anchor@similarity=1", shouted))
    assert mine.summary == "In this order: simple, block_anchor@similarity=1, shouted; no guards."
    guarded = Cascade("mine", ("simple",), guards=Guards(size_guard=SizeGuard()))
    assert guarded.summary == "In this order: simple; with thresholds and guards of its own."
    assert Cascade("none", ()).summary == "In this order: no replacer; no guards."


def test_a_summary_is_no_part_of_what_a_cascade_is() -> None:
    assert Cascade("mine", ("simple",), summary="One.") == Cascade("mine", ("simple",), summary="Other.")


# What is wrong is the user's mistake


@pytest.mark.parametrize(
    ("make", "message", "tip"),
    [
        (
            lambda: Cascade("mine", ("simple", "line_trimed")), "There is no replacer 'line_trimed'",
            f"Did you mean line_trimmed? Choose from: {', '.join(REPLACERS)}.",
        ),
        (
            lambda: replace("a", "a", "b", cascade="opencode"), "There is no cascade 'opencode'",
            "Did you mean opencode_1_17? Choose from: recommended, reference, opencode_1_17, exact.",
        ),
    ],
)  # fmt: skip
def test_an_unknown_name_is_a_usage_error_with_the_names_to_choose_from(
    make: Callable[[], object], message: str, tip: str
) -> None:
    with pytest.raises(UsageError) as caught:
        make()
    assert (caught.value.message, caught.value.tip) == (message, tip)


def test_a_cascade_may_be_given_by_name_or_itself() -> None:
    assert named_cascade("exact") is CASCADES["exact"]
    mine = Cascade("mine", ("simple",))
    assert named_cascade(mine) is mine


# Variants and guards

BLOCK = "case\n  abcdefghij\nesac\n"
DRIFTED = "case\n  abcdefgxyz\nesac"


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize(("least", "applied"), [(0.6, True), (0.7, True), (0.71, False), (1.0, False)])
def test_a_variant_asks_more_of_the_only_block_or_the_best_one(several: bool, least: float, applied: bool) -> None:
    guards = Guards(several_similarity=least) if several else Guards(single_similarity=least)
    strict = dataclasses.replace(REFERENCE, name="strict", guards=guards)
    content = BLOCK + "case\n  ----------\nesac\n" * several
    assert isinstance(replace(content, DRIFTED, "X", cascade=strict), Applied) is applied


@pytest.mark.parametrize(("n_extra", "window", "applied"), [(1, 0.0, True), (2, 0.25, False), (2, 0.5, True)])
def test_a_size_window_bounds_how_much_longer_a_block_may_be(n_extra: int, window: float, applied: bool) -> None:
    variant = dataclasses.replace(REFERENCE, guards=Guards(size_window=window))
    content = "in\none\ntwo\n" + "more\n" * n_extra + "out\n"
    assert isinstance(replace(content, "in\nuno\ndos\nout", "X", cascade=variant), Applied) is applied


def test_a_variant_leaves_the_original_as_it_was() -> None:
    variant = dataclasses.replace(REFERENCE, guards=Guards(single_similarity=1.0))
    assert variant != REFERENCE
    assert REFERENCE.guards == Guards()
    assert variant.replacers == REFERENCE.replacers


@pytest.mark.parametrize(("n_lines", "limit"), [(1, 4), (2, 5), (3, 6), (4, 8), (5, 10)])
def test_the_size_guard_refuses_from_a_number_of_lines_on(n_lines: int, limit: int) -> None:
    find = "\n".join("a" * n_lines)
    assert not SizeGuard().refuses("\n".join("a" * (limit - 1)), find)
    assert SizeGuard().refuses("\n".join("a" * limit), find)


@pytest.mark.parametrize(("length", "longest"), [(3, 503), (166, 666), (167, 668), (200, 800)])
def test_the_size_guard_refuses_beyond_a_number_of_trimmed_characters(length: int, longest: int) -> None:
    find = "  a\n" + "b" * (length - 2) + "\t"
    assert not SizeGuard().refuses(" a\n" + "b" * (longest - 2) + " " * 999, find)
    assert SizeGuard().refuses(" a\n" + "b" * (longest - 1), find)


@pytest.mark.parametrize(
    ("candidate", "find", "is_refused"),
    [("b" * 9_999, "b", False), ("a\na\na\na", "a", True), ("a\na\na\na", "a\n", False)],
)
def test_the_size_guard_counts_lines_alone_for_a_find_of_one(candidate: str, find: str, is_refused: bool) -> None:
    assert SizeGuard().refuses(candidate, find) is is_refused


def test_a_size_guard_of_ones_own_has_its_own_limits() -> None:
    guard = SizeGuard(extra_lines=1, line_factor=1)
    assert guard.refuses("a\na", "a")
    mine = Cascade("mine", ("escape_normalized",), guards=Guards(size_guard=guard))
    assert _rejected("a\nb\n", "a\\nb", "c", cascade=mine).reason is Reason.DISPROPORTIONATE


# What a result says


def test_a_match_says_where_and_by_whom() -> None:
    assert _applied("\U0001f600\n  a\nb\n", "a\n b", "c").matches == (Match(2, 7, "line_trimmed"),)


@pytest.mark.parametrize(
    ("content", "old", "similarity"),
    [
        ("in\n  abcde\nout\n", "in\n  abcdX\nout", 0.8),
        ("in\n  abcd\n  same\nout\n", "in\nabXX\nsame\nout", 0.75),
        ("in\n  abcd\nnext\nout\n", "in\nabcd\nout", 1.0),
        ("in\nany\nout\n", "in\nout\n", 1.0),
        ("in\n\nout\n", "in\n \t\nout", 0.0),
    ],
)
def test_a_match_by_block_anchor_says_how_similar_the_block_was(content: str, old: str, similarity: float) -> None:
    (match,) = _applied(content, old, "X", cascade=Cascade("alone", ("block_anchor",))).matches
    assert match.similarity == pytest.approx(similarity)


def test_replace_all_says_every_place() -> None:
    result = _applied("a-aaa\n", "a", "b", all_=True)
    assert result.content == "b-bbb\n"
    assert result.matches == tuple(Match(at, at + 1, "simple") for at in (0, 2, 3, 4))


def test_replace_all_of_the_empty_candidate_says_the_places_between_all_characters() -> None:
    result = _applied("a\U0001f600c", "  ", "-", all_=True)
    assert result.content == "-a-\U0001f600-c-"
    assert result.matches == tuple(Match(at, at, "whitespace_normalized") for at in range(4))


def test_candidates_are_told_with_the_replacer_that_offers_them() -> None:
    assert list(REFERENCE.candidates(Document("  go()\n"), "go() ")) == [
        ("simple", "go() "),
        ("line_trimmed", "  go()"),
        ("whitespace_normalized", "  go()"),
        ("trimmed_boundary", "go()"),
        ("trimmed_boundary", "  go()"),
    ]


# Between processes


@pytest.mark.parametrize(
    "cascade",
    [*CASCADES.values(), Cascade("mine", ("simple", shouted), guards=Guards(size_guard=SizeGuard(extra_lines=9)))],
    ids=lambda cascade: cascade.name,
)
def test_a_cascade_survives_pickling(cascade: Cascade) -> None:
    copy = pickle.loads(pickle.dumps(cascade))
    assert copy == cascade
    assert repr(copy) == repr(cascade)
    edit = Edit("case\n  abcdefghiX\nesac", "X")
    assert copy.apply(Document(BLOCK), edit) == cascade.apply(Document(BLOCK), edit)


# The worst cases for time, small: the answers must not depend on the shortcuts taken


@pytest.mark.parametrize(
    ("content", "find", "reason"),
    [
        ("  x\n" * 300, "x\nx", Reason.AMBIGUOUS),
        ("}\n" * 300, "}\na\nb\nend", Reason.NO_MATCH),
        ("row 0\nrow 1\nrow 2\n" * 100, "  row 0\n  row 1\n  row 2\n" * 20 + "other", Reason.NO_MATCH),
    ],
)
def test_repetitive_files_are_refused_as_others(content: str, find: str, reason: Reason) -> None:
    assert _rejected(content, find, "y").reason is reason


def test_many_first_anchors_share_the_nearest_last_one() -> None:
    result = _applied("in\n" * 100 + "mid\nend\n", "in\nmiddle\nend", "X")
    assert (result.content, result.replacer) == ("in\n" * 99 + "X\n", "block_anchor")


def test_of_many_pairs_of_anchors_the_most_similar_is_taken() -> None:
    blocks = [f"in\n  value_{n}\nout\n" for n in range(100, 140)]
    result = _applied("".join(blocks), "in\n  value_117x\nout", "X")
    assert result.content == "".join(blocks).replace(blocks[17], "X\n")


def test_long_lines_are_compared_exactly_and_enormous_ones_in_pieces() -> None:
    line, enormous = "abcdefghij" * 100, "abcdefghij" * 2_000
    for text, find, similarity in (
        (line, f"{'#' * 600}{line[600:]}", 0.4),
        (enormous, f"{enormous[:-5]}XXXXX", 1 - 5 / len(enormous)),
    ):
        (match,) = _applied(f"in\n{text}\nout\n", f"in\n{find}\nout", "X").matches
        assert (match.replacer, match.similarity) == ("block_anchor", pytest.approx(similarity))


def test_after_a_hundred_candidates_that_occur_twice_an_edit_of_a_long_text_is_refused() -> None:
    twice = [f"x = 1{' ' * n}" for n in range(1, 200)]
    text = "\n".join([*twice, *twice, "    x = 1"])
    cascade = Cascade("trimmed", ("line_trimmed",))
    found = cascade.apply(Document(text), Edit("x = 1", "y"))
    assert isinstance(found, Applied)
    assert found.content == text.removesuffix("    x = 1") + "y"
    refused = cascade.apply(Document(text + "\n#" * 60_000), Edit("x = 1", "y"))
    assert isinstance(refused, Rejected)
    assert refused.reason is Reason.AMBIGUOUS


_TEN = (
    "exact", "blank_lines", "indentation", "look_alikes", "spacing", "line_breaks", "escapes", "pasted", "elision",
    "drift",
)  # fmt: skip
VERSIONS = {"1": _TEN, "2": _TEN, "3": _TEN}
"""The tiers of each version of `recommended`: a line for each is added here, and none is ever changed."""


def test_a_tier_that_joins_recommended_or_leaves_it_makes_a_new_version() -> None:
    recommended = CASCADES["recommended"]
    assert recommended.tiers == VERSIONS[recommended.version]
    assert recommended.version == list(VERSIONS)[-1]


@pytest.mark.parametrize(
    ("old", "new", "replacer"), [("x = 1", "x = 2", "exact"), ("def f():\n  x = 1", "def f():\n  x = 2", "indentation")]
)
def test_the_evidence_of_a_result_names_the_version_of_its_cascade(old: str, new: str, replacer: str) -> None:
    text = "def f():\n    x = 1\n    y = 1\n"
    mine = Cascade("mine", tiers=("exact", "indentation"))
    for cascade, version in ((CASCADES["recommended"], "3"), (mine, "")):
        result = replace(text, old, new, cascade=cascade)
        assert isinstance(result, Applied)
        assert result.evidence is not None
        assert (result.replacer, result.evidence.version) == (replacer, version)
