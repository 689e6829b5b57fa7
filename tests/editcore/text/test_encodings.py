"""Bytes as text and back: the encoding that is found, and what is refused."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from editcore import replace
from editcore.text.encodings import ENCODINGS, Decoded, _likely, decode, decode_as, encode
from editcore.types import AppliedBytes, Rejected

JAPANESE = "# 設定ファイルを読み込む\n# ユーザー名が空です\nx = 1\n"
CHINESE = "# 读取配置文件\n# 用户名不能为空\n# 计算日期的函数\n# 登录页面的标题\nx = 1\n"
KOREAN = "# 설정 파일을 읽는다\n# 사용자 이름이 비어 있습니다\nx = 1\n"
RUSSIAN = "# читаем файл настроек\n# имя пользователя пустое\n# считает дату\nx = 1\n"


def read(raw: bytes) -> Decoded:
    found = decode(raw)
    assert isinstance(found, Decoded), found
    return found


def written(text: str, like: Decoded) -> bytes:
    data = encode(text, like, name="f.py")
    assert isinstance(data, bytes), data
    return data


def refusal(text: str, like: Decoded) -> str:
    data = encode(text, like, name="f.py")
    assert isinstance(data, Rejected)
    assert "\n" not in data.message
    return data.message


@pytest.mark.parametrize(
    ("text", "codec", "encoding", "found"),
    [
        ("x = 1\n", "utf-8", "utf-8", "strict"),
        ("é\n", "utf-8-sig", "utf-8", "bom"),
        ("\ufeffé\n", "utf-16-le", "utf-16-le", "bom"),
        ("\ufeffé\n", "utf-16-be", "utf-16-be", "bom"),
        ("\ufeffé\n", "utf-32-le", "utf-32-le", "bom"),
        ("# Jürgen Müller\n", "latin-1", "latin-1", "detected"),
        ("# à côté, déjà créé ©\n", "latin-1", "latin-1", "detected"),
        ("# 20 °C\n", "latin-1", "latin-1", "detected"),
        ("# it’s “quoted”\n", "cp1252", "cp1252", "detected"),
        (JAPANESE, "shift_jis", "shift_jis", "detected"),
        (JAPANESE + "# ①\n", "cp932", "cp932", "detected"),
        (JAPANESE, "euc_jp", "euc_jp", "detected"),
        (CHINESE, "gb18030", "gb18030", "detected"),
        (KOREAN, "euc_kr", "euc_kr", "detected"),
        (RUSSIAN, "koi8_r", "koi8_r", "detected"),
        (RUSSIAN, "cp1251", "cp1251", "detected"),
        ("# -*- coding: koi8-r -*-\n# и\n", "koi8_r", "koi8_r", "declared"),
        ("<?xml encoding='Shift_JIS'?>\n表\n", "shift_jis", "shift_jis", "declared"),
    ],
)
def test_the_encoding_is_found(text: str, codec: str, encoding: str, found: str) -> None:
    one = read(text.encode(codec))
    assert (one.text, one.encoding, one.found) == (text.lstrip("\ufeff"), encoding, found)
    assert one.is_plain == (encoding == "utf-8")


@pytest.mark.parametrize("text", ["# Don’t — “ever”\n", "# читаем файл\n", "# 小包\n# €4.90\n"])
def test_one_bad_byte_among_characters_of_utf_8_makes_no_other_encoding_of_them(text: str) -> None:
    one = read(b"# na\xefve\n" + text.encode())
    assert (one.encoding, one.text) == (None, "# na\udcefve\n" + text)
    assert written(one.text + "# €\n", one) == one.raw + "# €\n".encode()


@pytest.mark.parametrize(
    "raw",
    [
        "# é\n".encode() + b"# \xff\n",  # UTF-8, but for one byte
        "# 读\n".encode("gb18030"),  # too short: Korean as well
        "это и\n".encode("koi8_r"),
        b"\xef\xbb\xbfx\xff\n",  # UTF-8 by its mark
        b"# -*- coding: rot13 -*-\n\xff\xfe\xfd\n",  # no encoding of files
        b"# -*- coding: utf-7 -*-\n\xff\xfe\xfd\n",
    ],
)
def test_bytes_that_may_be_anything_are_kept_and_match_nothing(raw: bytes) -> None:
    one = read(raw)
    assert (one.encoding, one.found) == (None, "kept")
    assert "\ufffd" in one.shown
    assert any("\udc80" <= character <= "\udcff" for character in one.text)
    assert written(one.text + "x", one) == raw + b"x"


def test_without_the_detector_only_western_letters_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    _likely.cache_clear()
    monkeypatch.setitem(sys.modules, "charset_normalizer", None)
    assert read(b"# J\xfcrgen\n").encoding == "latin-1"
    assert read(JAPANESE.encode("shift_jis")).encoding is None
    _likely.cache_clear()


def test_new_text_that_the_encoding_lacks_is_refused_with_its_line() -> None:
    latin = read("# Jürgen\nx = 1\n".encode("latin-1"))
    assert written("# Jürgen\nx = 'é'\n", latin) == "# Jürgen\nx = 'é'\n".encode("latin-1")
    assert refusal("# Jürgen\nx = '中'\n", latin).startswith(
        "Line 2 of the new text has 中 (U+4E2D), which the encoding of f.py, latin-1, lacks: write it in ASCII"
    )
    # Python writes a yen sign as the byte that it reads as a backslash.
    assert "has ¥ (U+00A5)" in refusal(JAPANESE + "¥", read(JAPANESE.encode("shift_jis")))


def test_no_bytes_are_made_up_where_some_are_kept() -> None:
    unknown, mostly = read("это\nx\n".encode("koi8_r")), read("# éàü\n".encode() + b"\xff\nx\n")
    assert "encoding of f.py is not known" in refusal(f"{unknown.text}é\n", unknown)
    assert written("# éàü\n\udcff\né\n", mostly) == "# éàü\n".encode() + b"\xff\n" + "é\n".encode()
    assert "leave its line out of the edit" in refusal("# éàü\n\ufffd\nx\n", mostly)
    assert "a lone surrogate ('\\udcff')" in refusal("# éàü\n\udcff\n\udcff\n", mostly)
    assert written("# éàü\nx\n\udcff\n", mostly) == "# éàü\nx\n".encode() + b"\xff\n"


def test_replace_takes_bytes() -> None:
    raw = "# Größe\r\nx = 1\r\ny = 2\r\n".encode("latin-1")
    result = replace(raw, "x = 1\n", "x = 10\nz = 'ß'\n")
    assert isinstance(result, AppliedBytes)
    assert result.data == raw.replace(b"x = 1", b"x = 10\r\nz = '\xdf'")
    assert isinstance(replace(raw, "x = 1", "x = '中'"), Rejected)
    assert isinstance(replace(raw, "x = 1", "x = 2", wrong_cost=1e9), Rejected)
    refused = replace(b"a\0", "a", "b")
    assert isinstance(refused, Rejected)
    assert refused.message.startswith("The file is binary")


_CODECS = sorted(ENCODINGS)


@st.composite
def _files(draw: st.DrawFn) -> bytes:
    """A file of some encoding; perhaps with a byte changed."""
    codec = draw(st.sampled_from(_CODECS))
    line = st.text("ab =()é©ß“日本語ソ表中文字개발설привет\t\x0b\x0c\x85\u2028\r", max_size=8)
    text = "".join(draw(st.lists(st.builds(str.__add__, line, st.sampled_from(["\n", "\r\n"])), max_size=6)))
    raw = (("\ufeff" if codec[4:6] in ("16", "32") else "") + text + draw(line)).encode(codec, "ignore")
    if raw and draw(st.booleans()):
        at = draw(st.integers(0, len(raw) - 1))
        raw = raw[:at] + bytes([draw(st.integers(0, 255))]) + raw[at + 1 :]
    return raw


@given(_files(), st.data(), st.text("xé中и\n\r=", max_size=4))
def test_no_byte_outside_the_lines_of_an_edit_changes(raw: bytes, data: st.DataObject, new: str) -> None:
    one = decode(raw)
    assume(isinstance(one, Decoded))
    assert isinstance(one, Decoded)
    assert written(one.text, one) == raw
    assert decode_as(raw, one.encoding) is not None
    lines = one.text.split("\n")
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first, len(lines) - 1))
    after = encode("\n".join([*lines[:first], new, *lines[last + 1 :]]), one)
    if isinstance(after, Rejected):
        assert not new.isascii()
        return
    head = one.bom + b"".join(_bytes(line + "\n", one) for line in lines[:first])
    tail = b"".join(_bytes("\n" + line, one) for line in lines[last + 1 :])
    assert raw.startswith(head)
    assert raw.endswith(tail)
    assert after == head + _bytes(new, one) + tail


def _bytes(text: str, one: Decoded) -> bytes:
    return text.encode(one.encoding or "utf-8", "strict" if one.encoding else "surrogateescape")


@pytest.fixture(autouse=True)
def _other_windows() -> Iterator[None]:
    yield
    _likely.cache_clear()
