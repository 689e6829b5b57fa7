"""The messages of refusals: what was not found, how close the file comes, what to do."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from editcore import Cascade, Document, Match, Reason, Rejected, replace
from editcore.diagnosis import Nearest, nearest
from editcore.types import Contradiction


def _rejected(content: str, old: str, *, cascade: str = "reference") -> Rejected:
    result = replace(content, old, "never written", cascade=cascade)
    assert isinstance(result, Rejected)
    return result


def test_no_match_names_the_most_similar_line_and_how_similar_it_is() -> None:
    assert _rejected("alpha = 1\nbeta = 22222\ngamma = 3\n", "beta = 22223") == Rejected(
        Reason.NO_MATCH,
        "old_string was not found; line 2 is 92% like one of its lines: it has 'beta = 22222' where old_string has "
        "'beta = 22223': read the file there and copy the text exactly.",
        (Match(10, 22, "simple", 11 / 12),),
        contradiction=Contradiction(2, "beta = 22222", "beta = 22223"),
    )


def test_no_match_names_a_line_of_the_find_that_is_there() -> None:
    assert _rejected("one\n  size = 5\ntwo\n", "size = 5\nnothing of the kind") == Rejected(
        Reason.NO_MATCH,
        "old_string was not found; line 2 holds one of its lines ('size = 5'), but line 3 has 'two' where old_string "
        "has 'nothing of the kind': read the file there and copy the text exactly.",
        (Match(4, 14, "simple"),),
        contradiction=Contradiction(3, "two", "nothing of the kind"),
    )


_FILE = 'import os\n\n\ndef one():\n    return 1\n\n\ndef two():\n    say("it\'s")\n    return 1\n'


@pytest.mark.parametrize(
    ("old", "difference"),
    [
        ('def two():\n    say("it\'s")\n    return 2', "line 10 has 'return 1' where old_string has 'return 2'"),
        ('def 2():\n    say("it\'s")\n    return 1', "line 8 has 'def two():' where old_string has 'def 2():'"),
        ("import re\nimport os", "but above it the file has nothing where old_string has 'import re'"),
        ('    say("it\'s")\n    return 1\nelse\n', "line 11 has nothing where old_string has 'else'"),
        ("def one():\n  return 1\n\n\ndef two():\n", "line 5 has '    return 1' where old_string has '  return 1'"),
    ],
)
def test_the_first_line_that_differs_is_named(old: str, difference: str) -> None:
    assert difference in _rejected(_FILE, old, cascade="exact").message


@pytest.mark.parametrize(("content", "old"), [("alpha\nbeta\n", "0123456789"), ("", "text"), ("\n\n", "text")])
def test_no_match_says_so_where_no_line_comes_close(content: str, old: str) -> None:
    result = _rejected(content, old)
    assert result.message == (
        "old_string was not found, nor any line like it: read the file again and copy the text exactly."
    )
    assert result.candidates == ()


@pytest.mark.parametrize(
    ("text", "find", "near"),
    [
        ("}\nabcdefgh_1\n", "}\nabcdefgh_2", Nearest(0, 0)),  # An equal line wins over a similar one.
        ("yy\nabcdefgh_1\n", "yx\nabcdefgh_2", Nearest(1, 1, 0.9)),
        # Another of the longest where none is like the longest.
        ("yy\nabcdefgh_1\n", "yz\nanother line, not like it\nabcdefgh_2", Nearest(1, 2, 0.9)),
        ("a(\nbase()\n)\na(\nround(1)\n)\n", "a(\nround(2)\n)", Nearest(3, 0)),  # By its neighbours.
        ("short\n", "short\n" + "\n".join(str(n) * 40 for n in range(4)), None),  # Only the longest are sought.
        ("a\n", " \n\t\n", None),
    ],
)
def test_the_nearest_line_is_sought_for_the_longest_lines_first(text: str, find: str, near: Nearest | None) -> None:
    assert nearest(Document(text), find) == near


def test_long_lines_are_shown_and_compared_by_their_beginnings() -> None:
    result = _rejected("q" * 999 + "z\nshort\n", "q" * 1_000)
    (near,) = result.candidates
    assert (near.start, near.end) == (0, 1_000)
    assert near.similarity == 0.99, "equal in what was compared is not equal"
    assert "line 1 is 99% like" in result.message
    assert f"it has '...{'q' * 20}z' where old_string has '...{'q' * 21}'" in result.message


def test_an_ambiguous_find_is_refused_with_the_lines_of_its_places() -> None:
    assert _rejected("x\ny\nx\n", "x") == Rejected(
        Reason.AMBIGUOUS,
        "old_string has multiple matches: 2 places (lines 1, 3): add surrounding lines that make it unique, "
        "or set replace_all.",
        (Match(0, 1, "simple"), Match(4, 5, "simple")),
    )


@pytest.mark.parametrize(
    ("content", "old", "places", "starts"),
    [
        ("x\n" * 15, "x", "15 places (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...)", range(0, 20, 2)),
        ("x\n" * 10, "x", "10 places (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)", range(0, 20, 2)),
        ("aaa\n", "aa", "2 places (lines 1, 1)", (0, 1)),
    ],
)
def test_all_places_are_counted_and_ten_are_listed(content: str, old: str, places: str, starts: Sequence[int]) -> None:
    result = _rejected(content, old)
    assert f"multiple matches: {places}" in result.message
    assert [place.start for place in result.candidates] == [*starts]


def test_places_are_those_of_the_first_ambiguous_text() -> None:
    result = _rejected("  go()\n  go()\n", "go() ")
    assert [place.start for place in result.candidates] == [0, 7]


def test_a_blank_find_is_not_told_to_set_replace_all() -> None:
    result = _rejected("abc\n", "   ")
    assert result == Rejected(
        Reason.AMBIGUOUS,
        "old_string has multiple matches: it is blank, and matches everywhere: give lines that hold some text, or "
        "write the whole file.",
    )


@example("abc\n", "  ")
@given(st.text("ab \n", max_size=12), st.text("ab \n", max_size=4))
def test_every_ambiguous_refusal_of_the_reference_speaks_of_multiple_matches(content: str, old: str) -> None:
    result = replace(content, old, "never written", cascade="reference")
    assert not isinstance(result, Rejected) or ("multiple matches" in result.message) == (result.reason == "ambiguous")


def test_a_match_out_of_proportion_is_named_with_both_sizes() -> None:
    assert _rejected("head\na\nb\nc\nd\n", r"a\nb\nc\nd", cascade="opencode_1_17") == Rejected(
        Reason.DISPROPORTIONATE,
        "The nearest match (escape_normalized: 4 lines from line 2) is much larger than old_string (1 lines): "
        "read the file again and give the full text to replace.",
        (Match(5, 12, "escape_normalized"),),
    )


@pytest.mark.parametrize(
    ("old", "new", "reason", "advice"),
    [
        ("a", "a", Reason.IDENTICAL, "Give the text you want instead."),
        ("", "a", Reason.EMPTY, "give the text to replace, or write the whole file if that is what you mean."),
    ],
)
def test_what_cannot_be_asked_for_is_refused_with_advice(old: str, new: str, reason: Reason, advice: str) -> None:
    result = replace("a\n", old, new, cascade=Cascade("none", ()))
    assert isinstance(result, Rejected)
    assert result.reason is reason
    assert result.message.endswith(advice)
    assert result.candidates == ()


@pytest.mark.parametrize(
    ("content", "old", "said"),
    [
        ("rule ━━\n", "rule ━\nx", "has 'rule ━━' where old_string has 'rule ━'"),
        ("a\u00a0= 1\nb\n", "a = 1\nc", r"has 'a\xa0= 1' where old_string has 'a = 1'"),
        ("caf\xe9 \ud83d \x00 = 1\n", "caf\xe9 \ud83d \x00 = 2", r"it has 'café \ud83d \x00 = 1' where"),
        (f"{'a' * 90}b\n", f"{'a' * 90}c", f"it has '...{'a' * 20}b' where old_string has '...{'a' * 20}c'"),
        ("x = '“”'\n", "x = '\"\"'", "line 1 is 99% like one of its lines"),
    ],
)
def test_letters_are_shown_as_they_are_and_what_cannot_be_told_apart_as_its_codes(
    content: str, old: str, said: str
) -> None:
    message = _rejected(content, old).message
    assert said in message
    assert message.isprintable()
