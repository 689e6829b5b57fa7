"""Keys: what lines are compared by. Two lines with equal keys are the same line to a tier.

    |“a” – b|  ->  |"a" - b|        |a<U+200B>b|  ->  |ab|        |e<U+0301>|  ->  |<U+00E9>|

Folding makes characters that look alike one character, and drops characters that cannot be seen. Letters of other
alphabets stay, since they name other things: a Cyrillic a is not a Latin a.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal
from unicodedata import combining, is_normalized, normalize

from editcore.text.whitespace import WHITESPACE, trim

_ALIKE = {
    "'": "\u2018\u2019\u201a\u201b\u2032\u02bc\uff07",
    '"': "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\uff02",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d",
    " ": "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
    "...": "\u2026",
    "": "\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff",
}
_FOLDED = {ord(other): plain for plain, others in _ALIKE.items() for other in others}
_FOLDED.update({code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if code not in _FOLDED})


_LONGEST_TRANSLATED = 2_000
"""Longest text that is folded by `str.translate`; in a longer one, each character of the table is replaced in turn."""


def folded(text: str) -> str:
    """The text with one character for all that look alike, and without characters that cannot be seen."""
    if text.isascii():
        return text
    return _folded(text) if len(text) <= _LONGEST_TRANSLATED else "\n".join(folded_lines(text.split("\n")))


def folded_lines(lines: Sequence[str]) -> list[str]:
    # Nearly all lines are ASCII, and that is known of each without reading it.
    others = [n for n, line in enumerate(lines) if not line.isascii()]
    found = list(lines)
    if not others:
        return found
    for n, line in zip(others, _folded("\n".join([lines[n] for n in others])).split("\n"), strict=False):
        found[n] = line
    return found


def _folded(text: str) -> str:
    if len(text) <= _LONGEST_TRANSLATED:
        return normal_form(text.translate(_FOLDED))
    for code, plain in _FOLDED.items():
        text = text.replace(chr(code), plain)
    return normal_form(text)


def normal_form(text: str, form: Literal["NFC", "NFKC", "NFD"] = "NFC") -> str:
    """The text in a Unicode normal form; runs of more than 30 combining marks stay as they are.

    No script has such runs (UAX #15, stream-safe text), and ordering the marks of a run takes quadratic time.
    """
    if text.isascii():
        return text
    # Every other piece is such a run.
    pieces = _long_runs().split(text)
    pieces[::2] = [one if is_normalized(form, one) else normalize(form, one) for one in pieces[::2]]
    return "".join(pieces)


@cache
def _long_runs() -> re.Pattern[str]:
    marks = "".join(filter(combining, map(chr, range(0x300, 0x1F000))))
    return re.compile(f"([{re.escape(marks)}]{{31,}})")


@dataclass(frozen=True, slots=True)
class Key:
    """A way of comparing lines."""

    of: Callable[[str], str]
    """The key of a line, which is folded before if `folds`."""
    plain_of: Callable[[str], str]
    """The same function, faster, for text in which Python's own whitespace is right (see `is_plain`)."""
    folds: bool = False
    """True if characters that look alike are one character."""

    def __call__(self, line: str) -> str:
        return self.of(folded(line) if self.folds else line)


def _squeezed(line: str) -> str:
    return "".join(line.split())


RIGHT_TRIMMED = Key(lambda line: line.rstrip(WHITESPACE), str.rstrip)
BODY = Key(trim, str.strip)
FOLDED = Key(trim, str.strip, folds=True)
"""The folded line without whitespace at both ends."""
SQUEEZED = Key(_squeezed, _squeezed, folds=True)
"""The folded line without any whitespace."""
