"""Folding: characters that look alike become one, and those that cannot be seen none.

    |“a” – b|  ->  |"a" - b|        |a<U+200B>b|  ->  |ab|        |e<U+0301>|  ->  |<U+00E9>|

Letters of other alphabets stay what they are, since they name other things: a Cyrillic a is no Latin one.
"""

from __future__ import annotations

from unicodedata import normalize

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


def folded(text: str) -> str:
    """The text with one character for all that look alike, and none for those that cannot be seen."""
    # Line by line, since nearly all lines are ASCII, and that is known of each without reading it.
    return text if text.isascii() else "\n".join([_folded_line(line) for line in text.split("\n")])


def _folded_line(line: str) -> str:
    return line if line.isascii() else normalize("NFC", line.translate(_FOLDED))
