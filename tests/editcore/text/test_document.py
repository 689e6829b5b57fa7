"""The text model: lines, white space, words, and the tables of a document."""

from __future__ import annotations

import pytest

from editcore import WHITESPACE, Document
from editcore.text.document import lines_holding, lines_trimmed_to
from editcore.text.whitespace import is_plain, split_exactly, trim, words
from harness.bench import literal_port as literal

PYTHON_ALONE = "\x1c\x1d\x1e\x1f\x85"
OURS_ALONE = "\ufeff"


def test_white_space_is_exactly_the_set_of_the_original() -> None:
    assert set(WHITESPACE) == set(literal.WS)
    assert len(WHITESPACE) == len(set(WHITESPACE)) == 25


def test_trimming_removes_white_space_and_no_other_code_point() -> None:
    assert "".join(chr(n) for n in range(0x110000) if trim(chr(n)) == "") == "".join(sorted(WHITESPACE))


def test_python_disagrees_on_six_code_points_and_a_text_that_has_one_is_not_plain() -> None:
    everything = [chr(n) for n in range(0x110000)]
    disagreed = {character for character in everything if character.isspace() != (character in WHITESPACE)}
    assert disagreed == {*PYTHON_ALONE, *OURS_ALONE}
    assert not any(is_plain(f"a{character}b") for character in disagreed)
    assert is_plain("".join(character for character in everything if character not in disagreed))


@pytest.mark.parametrize("character", WHITESPACE)
def test_white_space_is_trimmed_and_parts_words(character: str) -> None:
    text = f"{character}a{character}{character}b{character}"
    assert trim(text) == f"a{character}{character}b"
    assert words(text) == split_exactly(text) == Document(text).split(text) == ["a", "b"]
    assert Document(f"{character}a{character}").trimmed == (["", "a", ""] if character == "\n" else ["a"])


@pytest.mark.parametrize("character", PYTHON_ALONE)
def test_what_only_python_takes_for_white_space_is_part_of_a_word(character: str) -> None:
    text = f"{character}a{character}b{character}"
    assert trim(text) == text
    assert words(text) == Document(text).split(text) == [text]
    assert Document(f" {text} ").trimmed == [text]


def test_a_line_ends_at_a_line_feed_and_nowhere_else() -> None:
    text = "a\r\nb\rc\vd\x85e\u2028f\n"
    assert Document(text).lines == ["a\r", "b\rc\vd\x85e\u2028f", ""]
    assert Document("").lines == [""]
    assert Document("\n").starts == [0, 1, 2]


def test_a_position_lies_in_a_line_counted_from_one() -> None:
    document = Document("ab\n\nc")
    assert [document.line_of(position) for position in range(6)] == [1, 1, 1, 2, 3, 3]


def test_the_tables_are_built_once_and_may_be_forgotten() -> None:
    document = Document("a\n b")
    assert document.lines is document.lines
    assert document.starts is document.starts
    trimmed = document.trimmed
    assert document.trimmed is trimmed
    document.forget()
    assert document.trimmed == trimmed
    assert document.trimmed is not trimmed


def test_a_document_shows_its_size_and_not_its_text() -> None:
    assert repr(Document("a" * 99)) == "Document(99 characters)"


def test_each_line_that_holds_a_piece_is_told_once_with_its_first_hit() -> None:
    text = "xaxa\nb\n  a\na"
    assert list(lines_holding(text, "a")) == [(0, 1, 4), (7, 9, 10), (11, 11, 12)]
    assert list(lines_holding(text, "c")) == []
    assert list(lines_holding("a\n", "a")) == [(0, 0, 1)]


@pytest.mark.parametrize(
    ("text", "wanted", "spans"),
    [
        (" a\na \nba\na b\na", "a", [(0, 2), (3, 5), (13, 14)]),
        ("a\n \t\n\n\x85\n", "", [(2, 4), (5, 5), (8, 8)]),
        ("aa\n a a", "a a", [(3, 7)]),
        ("a a\n", "a", []),
    ],
)
def test_lines_are_found_by_their_trimmed_text(text: str, wanted: str, spans: list[tuple[int, int]]) -> None:
    assert list(lines_trimmed_to(text, wanted)) == spans
