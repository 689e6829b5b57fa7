"""Text of others in messages."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.quoting import disarmed_json, first_line, markdown_code, markdown_prose, printable, quoted, shown


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
    ("text", "expected"),
    [
        ("::stop-commands::x", "\\x3a:stop-commands::x"),
        ("  \t::Error file=a.py,line=1::x", "  \t\\x3a:Error file=a.py,line=1::x"),
        ("\xa0::add-mask::a", "\\xa0::add-mask::a"),
        ("a ##[set-env name=PATH]b", "a \\x23#[set-env name=PATH]b"),
        ("##vso[task.setvariable variable=a]b ##VSO[", "\\x23#vso[task.setvariable variable=a]b \\x23#VSO["),
        ("##teamcity[message text='a']", "\\x23#teamcity[message text='a']"),
        ("::std::vector<int> a;", "::std::vector<int> a;"),
        ("::errors::E", "::errors::E"),
        ("a ::error::b", "a ::error::b"),
        ("## Heading [a]", "## Heading [a]"),
    ],
)
def test_what_a_ci_system_would_obey_is_printed_with_an_escape(text: str, expected: str) -> None:
    assert printable(text) == expected
    assert printable(expected) == expected


@given(st.text("#[vsoteamcity :", max_size=30))
def test_json_is_disarmed_without_another_value(text: str) -> None:
    written = disarmed_json(json.dumps({text: [text]}))
    assert json.loads(written) == {text: [text]}
    assert not re.search(r"##(\[|vso\[|teamcity\[)", written)


@pytest.mark.parametrize(
    "text", ["<img src=x onerror=alert(1)>", "[a](javascript:b)", "a\n# b", "``` `", "| a |", "\x1b[31m@team <!-- "]
)
def test_markdown_holds_no_markup_of_others(text: str) -> None:
    prose = markdown_prose(text)
    assert re.sub(r"\\[\W_]", "", prose).isprintable()
    assert not re.search(r"(?<!\\)[<>\[\]#|`@]", prose)
    code = markdown_code(text)
    fence = re.match("`+", code)
    assert fence
    assert code.endswith(fence[0])
    assert fence[0] not in re.split("(?<!`)" + fence[0] + "(?!`)", code)[1]


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
    assert quoted("é\n") == "'é\\n'"
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
    assert quoted(text).isprintable()
    assert quoted(text).isprintable()
    assert len(first_line(text).splitlines()) <= 1
