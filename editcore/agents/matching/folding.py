"""Folding: look-alike characters as ASCII, with the way back to the offsets of the text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from itertools import accumulate

DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
SINGLE_QUOTES = "\u2018\u2019\u201a\u201b"
DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f"
SPACES = "\xa0" + "".join(map(chr, range(0x2002, 0x200B))) + "\u202f\u205f\u3000"

PUNCTUATION: Mapping[int, str] = str.maketrans(
    dict.fromkeys(DASHES, "-")
    | dict.fromkeys(SINGLE_QUOTES, "'")
    | dict.fromkeys(DOUBLE_QUOTES, '"')
    | dict.fromkeys(SPACES, " ")
)
"""Dashes, quotation marks and spaces, each as one ASCII character."""


class Folded:
    """A text with some characters replaced by others, one or several for one."""

    __slots__ = ("_offsets", "text")

    def __init__(self, text: str, table: Mapping[int, str]) -> None:
        self.text = text.translate(table)
        self._offsets: list[int] | None = None
        if len(self.text) != len(text) or any(len(one) != 1 for one in table.values()):
            self._offsets = list(accumulate((len(table.get(ord(one), one)) for one in text), initial=0))

    def offset(self, at: int) -> int:
        """The offset in the text for one in the folded text; that of the next character within what was one."""
        return at if self._offsets is None else bisect_left(self._offsets, at)

    def begins(self, at: int) -> bool:
        """Whether a character of the text begins at an offset in the folded text."""
        return self._offsets is None or self._offsets[min(self.offset(at), len(self._offsets) - 1)] == at
