"""The hashes by which anchored formats name lines and texts.

    H2  a line without whitespace at its end, as two of sixteen letters; one without letters and digits with its number
    H4  a text without whitespace at the ends of its lines, as four hexadecimal digits
    exhash  a line as it is, twelve bits of its CRC-32 as two letters of Base64url

xxhash is imported when something is first hashed: who applies other edits needs none of it.
"""

from __future__ import annotations

import hashlib
import re
import string
import zlib
from collections.abc import Callable
from functools import cache

from editcore.text.endings import line_feeds
from editcore.text.lines import BOM
from editcore.text.whitespace import WHITESPACE

LETTERS = "ZPMQVRWSNKTXJBYH"
"""The sixteen letters of H2, in the order of their values."""
BASE64URL = f"{string.ascii_uppercase}{string.ascii_lowercase}{string.digits}-_"
"""The letters of exhash, in the order of their values."""
_NO_WHITESPACE = dict.fromkeys(map(ord, WHITESPACE))
_SURROGATE = re.compile("[\ud800-\udfff]")


@cache
def _xxh32() -> Callable[[bytes, int], int]:
    from xxhash import xxh32_intdigest

    return xxh32_intdigest


def _hashed(text: str, seed: int = 0) -> int:
    """xxHash32 of a text in UTF-8, in which lone surrogates are U+FFFD, as JavaScript encodes them."""
    return _xxh32()(_encoded(text), seed & 0xFFFFFFFF)


def _encoded(text: str) -> bytes:
    return (text if text.isascii() else _SURROGATE.sub("\ufffd", text)).encode()


def squeezed(line: str) -> str:
    """The line without any whitespace."""
    return line.translate(_NO_WHITESPACE)


def h2_hash(line: str, number: int) -> str:
    """The two letters of H2 for a line and its 1-based number."""
    return _letters(_hashed(_ended(line), 0 if _says_something(line) else number))


def h2_loose_hash(line: str, number: int) -> str:
    """The two letters that H2 accepts besides: those of the line without any whitespace."""
    return _letters(_hashed(squeezed(line), 0 if _says_something(line) else number))


def h4_tag(text: str) -> str:
    """The four hexadecimal digits by which H4 names a text."""
    lines = _line_feeds(text.removeprefix(BOM)).split("\n")
    return f"{_hashed(chr(10).join([line.rstrip(' ' + chr(9)) for line in lines])) & 0xFFFF:04X}"


def gptme_tag(text: str) -> str:
    """The eight hexadecimal digits by which gptme names a text, which it reads with line feeds alone."""
    return hashlib.sha256(_line_feeds(text).encode("utf-8", "surrogatepass")).hexdigest()[:8].upper()


def _line_feeds(text: str) -> str:
    return line_feeds(text).replace("\r", "\n")


def exhash_hash(line: str) -> str:
    """The two letters of exhash, of the first line with the text's byte order mark."""
    value = zlib.crc32(_encoded(line)) & 0xFFF
    return BASE64URL[value >> 6] + BASE64URL[value & 63]


def _ended(line: str) -> str:
    return line.replace("\r", "").rstrip(WHITESPACE)


def _says_something(line: str) -> bool:
    return any(map(str.isalnum, line))


def _letters(value: int) -> str:
    """The lowest byte of a number as two letters, the higher first."""
    return LETTERS[value >> 4 & 15] + LETTERS[value & 15]
