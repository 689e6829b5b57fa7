"""Rules of scrubbing: how one kind of secret is found, with an example. And a test for random texts."""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Literal, NamedTuple

# A test for random texts, by entropy and by pairs of characters that are rare in written texts.
#
# getTokenFromHeader2     4 pairs of 18 are surprising: a lower-case letter before a capital, a letter before a digit
# a8Kd92mXqLz71PbVw04     15 of 18: the same, and pairs of letters that words do not have

_LEAST_LENGTH = 16
_LEAST_BITS = 3.0
"""The least Shannon entropy of a random text, in bits per character. Short texts need less."""
_LEAST_SURPRISE = 0.4
"""The least share of surprising pairs in a random text. Random letters and digits have 0.78 on average."""
_LEAST_TURNS = 0.12
"""The least share of pairs of a letter and a digit in random hexadecimal digits, which have 0.47 on average."""
_PAIRS = (
    "abcdgiklmnprstuvy baeilorsu cacehiklorstu dadeilorsu eabcdefgilmnpqrstvwxy faefiloru gaehilnrsu haeiot "
    "iabcdefglmnoprstvxz jaeou keis ladeilostuy mabeimopsu nacdefgiklnostuv oabcdfgiklmnoprstuvw paeiloprstuy qu "
    "racdegiklmnorstuy sacehilopstuy tacehiloprstuy uabcefilmnprst vaei waehior xept yps ze"
)
"""Each letter, followed by the letters that often come after it: 93 % of the pairs in the words of Python's library."""
_FOLLOWERS = {row[0]: frozenset(row[1:]) for row in _PAIRS.split()}
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_SEPARATORS = frozenset("_-./~ ")
_PIECE = re.compile(r"[A-Za-z0-9+/]{12,}")


def looks_random(value: str, *, least: int = _LEAST_LENGTH, surprise_from: float = _LEAST_SURPRISE) -> bool:
    """True if a text of at least `least` characters has as little structure as a random one."""
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
    """True if a text, or a long piece of it, looks random. Capitals with a digit count as random."""
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


REDACTED = "REDACTED"

Kind = Literal[
    "private_key",
    "key",
    "token",
    "bearer",
    "password_in_url",
    "assigned",
    "password",
    "random",
    "e-mail",
    "home",
    "host",
]
"""The kind of a secret, by which replacements are counted. Several rules share a kind."""


class Span(NamedTuple):
    """A range of a text, as offsets in characters, and its stand-in."""

    start: int
    end: int
    stand_in: str = REDACTED


Find = Callable[[str], Iterator[Span]]
"""Text -> spans of secrets, in order and without overlaps, in time linear in the length of the text."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret."""

    name: str
    kind: Kind
    what: str
    needles: tuple[str, ...]
    """In lower case. A text without any of these contains no such secret."""
    find: Find
    example: str
    """A template for `example_of`. The secret is between « and »; without these marks it is the whole example."""
    near_miss: str
    """A similar text that is not changed."""
    in_runs: bool = False
    """True if the secret is one run of 16 or more letters, digits and `_.+/=%-`. Such runs are searched first."""


_ALPHABETS = {
    "A": string.ascii_letters + string.digits,
    "B": string.ascii_letters + string.digits + "+/",
    "W": string.ascii_letters + string.digits + "-_",
    "L": string.ascii_lowercase + string.digits,
    "U": string.ascii_uppercase + string.digits,
    "x": "0123456789abcdef",
    "d": string.digits,
    "S": string.ascii_lowercase + string.digits + "!@#$%^&*(-_=+)",
}
_JUDGED, _DRAWN_SURPRISE = 10, 0.6
_PART = re.compile(r"\{([ABWLUxdS])(\d+)\}")


class Example(NamedTuple):
    """A text that contains a secret."""

    text: str
    secret: str


def example_of(template: str, rng: Random) -> Example:
    """An example drawn from a template.

    `{A36}` means 36 letters and digits, `{B40}` base 64, `{W43}` its form in URLs, `{x32}` hexadecimal digits,
    `{U16}` and `{L16}` digits with capitals or small letters, `{d9}` digits, and `{S50}` small letters, digits and
    punctuation. Thus no source file contains a text that looks like a key.
    """
    text = _PART.sub(lambda part: _drawn(_ALPHABETS[part[1]], int(part[2]), rng), template)
    before, mark, rest = text.partition("«")
    if not mark:
        return Example(text, text)
    secret, _, after = rest.partition("»")
    return Example(before + secret + after, secret)


def _drawn(alphabet: str, n: int, rng: Random) -> str:
    """A random text of `n` characters. A text that looks written is drawn again; fewer than one in a thousand does."""
    while True:
        drawn = "".join(rng.choices(alphabet, k=n - 1)) + rng.choice([one for one in alphabet if one.isalnum()])
        if n < _JUDGED or looks_random(drawn, least=_JUDGED, surprise_from=_DRAWN_SURPRISE) or drawn.isdigit():
            return drawn


def by_pattern(pattern: re.Pattern[str], accept: Callable[[str], bool] | None = None) -> Find:
    """A finder of the accepted matches of a pattern, or of their group `value`."""
    group = "value" if "value" in pattern.groupindex else 0

    def find(text: str) -> Iterator[Span]:
        for match in pattern.finditer(text):
            if match[group] != REDACTED and (accept is None or accept(match[group])):
                yield Span(match.start(group), match.end(group))

    return find


def places_of(lower: str, words: tuple[str, ...]) -> list[int]:
    """The offsets at which any of the words ends, in order. Much faster than a pattern with alternatives."""
    found = []
    for word in words:
        at = lower.find(word)
        while at >= 0:
            found.append(at + len(word))
            at = lower.find(word, at + len(word))
    return sorted(found)


def lowered(text: str) -> str:
    """The text in lower case, with the same length."""
    return text.replace("\u0130", "i").lower()  # The only letter whose lower case is longer.


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())
