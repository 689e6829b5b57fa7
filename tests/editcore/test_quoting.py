"""Text of others in messages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.quoting import first_line, printable, quoted, shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\tb", "a\tb"),
        ("naïve 日本", "naïve 日本"),
        ("\x1b[2Ja\r\n", "\\x1b[2Ja\\r\\n"),
        ("\u202e\ud800", "\\u202e\\ud800"),
        ("it's \\n", "it's \\n"),
    ],
)
def test_a_character_that_a_terminal_would_obey_is_printed_as_its_escape(text: str, expected: str) -> None:
    assert printable(text) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("src/naïve.py", "src/naïve.py"),
        ("a\nb", "'a\\nb'"),
        (None, "None"),
        ("a" * 200, "a" * 200),
        ("a" * 150 + "b" * 150, "a" * 100 + "..." + "b" * 97),
    ],
)
def test_a_name_is_shown_as_it_is_unless_it_is_long_or_not_printable(name: object, expected: str) -> None:
    assert shown(name) == expected


def test_a_name_is_shown_whole_without_a_limit() -> None:
    assert shown("a" * 1000, limit=None) == "a" * 1000


def test_an_excerpt_is_a_literal_that_loses_its_end() -> None:
    assert quoted("é\n") == "'\\xe9\\n'"
    assert quoted("a" * 80) == repr("a" * 80)
    assert quoted("abcdefgh", limit=7) == "'abcd...'"


class _Silent(Exception):
    def __str__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("\none\ntwo", "one"),
        ("one\rtwo", "one"),
        ("", ""),
        (ValueError("what\nwhere"), "what"),
        (ValueError(" "), "ValueError"),
        (_Silent(), "_Silent"),
    ],
)
def test_the_first_line_of_an_error_is_that_of_its_message_or_its_kind(what: object, expected: str) -> None:
    assert first_line(what) == expected


def test_a_first_line_is_cut_where_a_limit_is_given() -> None:
    assert first_line("abcdef\ng", limit=3) == "abc"


@given(st.text())
def test_whatever_the_text_it_is_one_printable_line(text: str) -> None:
    assert printable(text).replace("\t", "").isprintable()
    assert shown(text).isprintable()
    assert quoted(text).isascii()
    assert quoted(text).isprintable()
    assert len(first_line(text).splitlines()) <= 1
