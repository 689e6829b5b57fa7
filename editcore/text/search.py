"""Every place of one text in another, in linear time whatever the texts: rows of characters that stand for lines."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

_CHARACTERS = sys.maxunicode


def alphabet(pieces: Iterable[str]) -> dict[str, str] | None:
    """A character for each distinct piece, none of them NUL; None for more pieces than there are characters.

    A search text of over a million distinct lines is then not found by these tables. No edit has one.
    """
    distinct = dict.fromkeys(pieces)
    if len(distinct) > _CHARACTERS:
        return None
    return {piece: chr(n) for n, piece in enumerate(distinct, 1)}


def occurrences(row: str, needle: str, start: int = 0) -> Iterator[int]:
    """Every place of a needle, which is not empty, from `start` on, overlapping ones too, ascending.

    Linear in both; repeated `str.find` would compare all of a repetitive needle at each of its places.
    """
    size = len(needle)
    period = needle.find(needle[: size - size // 4], 1)
    if period < 0 or not needle.startswith(needle[period:]):
        # Its places are a quarter of it apart, or more.
        period = 0
    turn = needle[size - period :]
    at = row.find(needle, start)
    while at >= 0:
        yield at
        if period and row.startswith(turn, at + size):
            at += period
        else:
            # If not one period further, then nowhere within reach of the next: it would repeat itself sooner.
            at = row.find(needle, at + (size - period if period else 0) + 1)
