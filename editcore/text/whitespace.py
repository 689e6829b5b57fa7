"""Whitespace: which characters count as whitespace in all of editcore, and the indentation of lines.

Whitespace is exactly `WHITESPACE`, JavaScript's. Python's also has U+001C-001F and U+0085, and lacks U+FEFF. The
parameter `of` is the set of characters that indent: all whitespace by default; None means Python's whitespace.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

WHITESPACE = "\t\n\v\f\r \xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000\ufeff"
"""The characters that trimming removes and that separate words."""

WORD = re.compile(f"[^{re.escape(WHITESPACE)}]+")
"""A run of characters that are not whitespace."""


def trim(text: str) -> str:
    return text.strip(WHITESPACE)


def is_plain(text: str) -> bool:
    """True if Python's own whitespace, with its faster methods, gives the same result for this text.

    It does unless the text has a character that `WHITESPACE` and `str.strip` judge differently.
    """
    if "\x1c" in text or "\x1d" in text or "\x1e" in text or "\x1f" in text:
        return False
    return text.isascii() or not ("\x85" in text or "\ufeff" in text)


def split_exactly(text: str) -> list[str]:
    """The words of any text."""
    return WORD.findall(text)


def words(text: str) -> list[str]:
    """The words of any text, by the faster of two ways."""
    return text.split() if is_plain(text) else WORD.findall(text)


def tail(line: str) -> str:
    """The whitespace at the end of a line that is not blank."""
    return line[len(line.rstrip(WHITESPACE)) :]


SPACES_AND_TABS = " \t"


def indent(line: str, of: str | None = WHITESPACE) -> str:
    return line[: len(line) - len(line.lstrip(of))]


def indent_width(line: str, of: str | None = WHITESPACE) -> int:
    return len(line) - len(line.lstrip(of))


def least_indent(lines: Iterable[str], of: str | None = WHITESPACE) -> int:
    """The length of the shortest indentation among lines that are not blank; 0 if all are blank."""
    return min((len(line) - len(text) for line in lines if (text := line.lstrip(of))), default=0)


def dedented(lines: Iterable[str], by: int, of: str | None = WHITESPACE) -> list[str]:
    """The lines without their first `by` characters; blank lines as they are."""
    return [line[by:] if line.strip(of) else line for line in lines]


def indented(lines: Iterable[str], by: str, of: str | None = WHITESPACE) -> list[str]:
    """The lines with `by` before each; blank lines as they are."""
    return [by + line if line.strip(of) else line for line in lines]


def moved(line: str, old: str, new: str, of: str | None = SPACES_AND_TABS) -> str:
    """The line with the indentation `old` replaced by `new`; a line with another indentation gets `new` too."""
    return new + (line[len(old) :] if line.startswith(old) else line.lstrip(of))
