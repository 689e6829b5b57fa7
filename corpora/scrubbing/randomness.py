"""A test for random texts, by their entropy and by pairs of characters that written texts do not have.

getTokenFromHeader2     4 pairs of 18 are surprising: a lower-case letter before a capital, a letter before a digit
a8Kd92mXqLz71PbVw04     15 of 18: the same, and pairs of letters that words do not have
"""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

_LEAST_LENGTH = 16
_LEAST_BITS = 3.0
"""The least Shannon entropy of a random text, in bits per character. Less is required of short texts."""
_LEAST_SURPRISE = 0.4
"""The least share of surprising pairs in a random text. Letters and digits at random have 0.78 on average."""
_LEAST_TURNS = 0.12
"""The least share of pairs of a letter and a digit in random hexadecimal digits. They have 0.47 on average."""
_PAIRS = (
    "abcdgiklmnprstuvy baeilorsu cacehiklorstu dadeilorsu eabcdefgilmnpqrstvwxy faefiloru gaehilnrsu haeiot "
    "iabcdefglmnoprstvxz jaeou keis ladeilostuy mabeimopsu nacdefgiklnostuv oabcdfgiklmnoprstuvw paeiloprstuy qu "
    "racdegiklmnorstuy sacehilopstuy tacehiloprstuy uabcefilmnprst vaei waehior xept yps ze"
)
"""A letter and those that often follow it: 93 % of the pairs in the words of Python's standard library."""
_FOLLOWERS = {row[0]: frozenset(row[1:]) for row in _PAIRS.split()}
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_SEPARATORS = frozenset("_-./~ ")
_PIECE = re.compile(r"[A-Za-z0-9+/]{12,}")


def looks_random(value: str, *, least: int = _LEAST_LENGTH, surprise_from: float = _LEAST_SURPRISE) -> bool:
    """Whether a text of at least `least` characters has as little structure as a random one."""
    n = len(value)
    if n < least:
        return False
    bits = -sum(count / n * math.log2(count / n) for count in Counter(value).values())
    if bits < min(_LEAST_BITS, math.log2(n) - 1.3):
        return False
    bare = value.removeprefix("0x").replace("-", "")
    if _HEX.fullmatch(bare):
        return not bare.isdigit() and not bare.isalpha() and _turns(bare) >= _LEAST_TURNS * len(bare)
    return surprise(value) >= surprise_from


def holds_random(value: str) -> bool:
    """Whether a text, or a long piece of it, looks random. For capitals and digits, one digit suffices."""
    if value.isupper() and value.isalnum() and not value.isalpha():
        return True
    return looks_random(value) or any(looks_random(piece, least=12) for piece in _PIECE.findall(value))


def surprise(value: str) -> float:
    """The share of adjacent pairs of characters that words and names do not have."""
    return sum(map(_surprises, value, value[1:])) / max(len(value) - 1, 1)


def _surprises(one: str, other: str) -> bool:
    if one.isalpha() and other.isalpha():
        if one.islower() and other.isupper():
            return True
        follows = ord(other) - ord(one) == 1  # An alphabet is no secret.
        return not follows and other.lower() not in _FOLLOWERS.get(one.lower(), "")
    if one in _SEPARATORS or other in _SEPARATORS:
        return False
    return not (one.isdigit() and other.isdigit())


def _turns(value: str) -> int:
    return sum(one.isdigit() != other.isdigit() for one, other in pairwise(value))
