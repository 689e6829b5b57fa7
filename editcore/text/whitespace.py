"""What whitespace is to all of editcore, and what is left of a text without it.

Whitespace is exactly `WHITESPACE`, JavaScript's. Python's also has U+001C-001F and U+0085, and lacks U+FEFF.
"""

from __future__ import annotations

import re

WHITESPACE = "\t\n\v\f\r \xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000\ufeff"
"""The characters that trimming removes and that separate words."""

WORD = re.compile(f"[^{re.escape(WHITESPACE)}]+")
"""A word: what is between runs of whitespace."""


def trim(text: str) -> str:
    """The text without whitespace at both ends."""
    return text.strip(WHITESPACE)


def is_plain(text: str) -> bool:
    """Whether Python's own whitespace is right for this text, so that its faster methods can be used.

    It is, if the text has none of the characters that `WHITESPACE` and `str.strip` judge differently.
    """
    if "\x1c" in text or "\x1d" in text or "\x1e" in text or "\x1f" in text:
        return False
    return text.isascii() or not ("\x85" in text or "\ufeff" in text)


def split_exactly(text: str) -> list[str]:
    """The words between runs of `WHITESPACE`, for any text."""
    return WORD.findall(text)


def words(text: str) -> list[str]:
    """The words between runs of `WHITESPACE`."""
    return text.split() if is_plain(text) else WORD.findall(text)


def tail(line: str) -> str:
    """The whitespace at the end of a line that is not blank."""
    return line[len(line.rstrip(WHITESPACE)) :]
