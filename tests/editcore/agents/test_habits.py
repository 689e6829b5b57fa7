"""What programs do with the bytes of a file: what each habit reads, and what it writes of an unchanged text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.agents.habits import HABITS, decoded, encoded
from editcore.types import Rejected

JAPANESE = "# 設定ファイルを読み込む\nx = 1\n# ユーザー名が空です\n" * 20
ODD = b"# \xff\nx = 1\n"
"""One byte that no encoding but a single-byte one has."""


def left(name: str, raw: bytes) -> bytes | None:
    """What a file is after an edit that changes nothing; None where reading or writing is refused."""
    habit = HABITS[name]
    text = habit.read(raw)
    if isinstance(text, Rejected):
        return None
    written = habit.write(text, raw)
    return None if isinstance(written, Rejected) else written


@pytest.mark.parametrize("habit", HABITS)
def test_text_of_utf_8_is_read_and_written_as_it_is(habit: str) -> None:
    raw = "# é 設\nx = 1\n".encode()
    assert HABITS[habit].read(raw) == raw.decode()
    assert left(habit, raw) == raw


@pytest.mark.parametrize(
    ("habit", "after"),
    [
        ("kept", ODD),
        ("raw", ODD),
        ("strict", None),
        ("replaced", b"# \xef\xbf\xbd\nx = 1\n"),
        ("sampled", None),
        ("gb18030", "# \ufffd\nx = 1\n".encode("gb18030")),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_an_odd_byte(habit: str, after: bytes | None) -> None:
    assert left(habit, ODD) == after


def test_a_program_that_looks_at_the_first_bytes_only_replaces_those_below() -> None:
    raw = b"x = 1\n" * 200 + b"\xff\n"
    assert left("sampled", raw) == raw[:-2] + b"\xef\xbf\xbd\n"
    assert left("sampled", b"x\0y\n") is None
    cut = b"x" * 999 + "é\n".encode()
    assert left("sampled", cut) == cut, "the sample ends within a character"


@pytest.mark.parametrize("habit", ["kept", "detected", "detected_strict", "tried"])
def test_an_encoding_that_is_detected_is_kept(habit: str) -> None:
    raw = JAPANESE.encode("shift_jis")
    assert HABITS[habit].read(raw) == JAPANESE
    assert left(habit, raw) == raw


def test_new_text_that_the_encoding_lacks() -> None:
    raw = JAPANESE.encode("shift_jis")
    lacking = JAPANESE + "# €\n"
    assert HABITS["detected"].write(lacking, raw) == lacking.encode(), "the whole file becomes UTF-8"
    for habit in ("kept", "detected_strict", "tried"):
        assert isinstance(HABITS[habit].write(lacking, raw), Rejected)


def test_a_mark_says_the_encoding_before_any_detector() -> None:
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        assert HABITS["tried"].read(JAPANESE.encode(encoding)) == JAPANESE


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_known_by_its_nuls_where_there_is_no_mark(encoding: str) -> None:
    raw = ("x = 1\n" * 10).encode(encoding)
    assert decoded(raw) == "x = 1\n" * 10
    assert encoded(decoded(raw), raw) == raw
    assert "\0" in decoded(raw[:12]), "of few bytes they say nothing"


def test_marks_are_kept() -> None:
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        raw = mark + "x = 設\n".encode(encoding)
        assert decoded(raw) == "x = 設\n"
        assert encoded("x = 設\n", raw) == raw


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"a\x80b", "a\u20acb"),
        (b"a\xffb", "a\ufffdb"),
        (b"a\x81", "a\ufffd"),
        (b"\x81\x30\x81\x30", "\x80"),
        (b"\xfe\x39\xfe\x39", "\ufffd9\ufffd9"),
        (b"\xaa\xa1", "\ufffd"),
        ("設定".encode("gb18030"), "設定"),
    ],
)
def test_what_is_not_gb18030_is_replaced(raw: bytes, text: str) -> None:
    assert decoded(raw) == text


@given(st.binary(max_size=40))
def test_any_bytes_are_read_and_what_is_written_again_stays(raw: bytes) -> None:
    text = decoded(raw)
    again = encoded(text, raw)
    assert encoded(decoded(again), again) == again
