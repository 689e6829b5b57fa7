"""A rule: one kind of secret, where it stands in a text, and an example that shows it."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal, NamedTuple

from corpora.scrubbing.randomness import looks_random

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
"""What is counted and reported: several rules have the same kind."""


class Span(NamedTuple):
    """A place in a text, and what is put there instead."""

    start: int
    end: int
    stand_in: str = REDACTED


Find = Callable[[str], Iterator[Span]]
"""The places of a secret in a text, in order, without overlaps. Its time is linear in the length of the text."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret."""

    name: str
    kind: Kind
    what: str
    needles: tuple[str, ...]
    """In lower case: a text without any of these holds no such secret."""
    find: Find
    example: str
    """A template for `example_of`; what must not survive stands between « and », or is all of it."""
    near_miss: str
    """A text much like it that stays as it is."""
    in_runs: bool = False
    """Whether all of it is one run of 16 or more letters, digits and `_.+/=%-`: other texts need not be looked at."""


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
    """A text that holds a secret."""

    text: str
    secret: str


def example_of(template: str, rng: Random) -> Example:
    """An example drawn from a template.

    `{A36}` stands for 36 letters and digits, `{B40}` for base 64, `{W43}` for its form in URLs, `{x32}` for
    hexadecimal digits, `{U16}` and `{L16}` for digits and capitals or small letters, `{d9}` for digits, and `{S50}`
    for small letters, digits and punctuation. Thus no file holds what looks like a key.
    """
    text = _PART.sub(lambda part: _drawn(_ALPHABETS[part[1]], int(part[2]), rng), template)
    before, mark, rest = text.partition("«")
    if not mark:
        return Example(text, text)
    secret, _, after = rest.partition("»")
    return Example(before + secret + after, secret)


def _drawn(alphabet: str, n: int, rng: Random) -> str:
    """So many characters. One draw in a thousand looks written, and is drawn again."""
    while True:
        drawn = "".join(rng.choices(alphabet, k=n - 1)) + rng.choice([one for one in alphabet if one.isalnum()])
        if n < _JUDGED or looks_random(drawn, least=_JUDGED, surprise_from=_DRAWN_SURPRISE) or drawn.isdigit():
            return drawn


def by_pattern(pattern: re.Pattern[str], accept: Callable[[str], bool] | None = None) -> Find:
    """Every match of a pattern, or its group `value` where it has one, that is accepted."""
    group = "value" if "value" in pattern.groupindex else 0

    def find(text: str) -> Iterator[Span]:
        for match in pattern.finditer(text):
            if match[group] != REDACTED and (accept is None or accept(match[group])):
                yield Span(match.start(group), match.end(group))

    return find


def places_of(lower: str, words: tuple[str, ...]) -> list[int]:
    """Where any of some words ends in a text, in order. Much quicker than a pattern that has them as alternatives."""
    found = []
    for word in words:
        at = lower.find(word)
        while at >= 0:
            found.append(at + len(word))
            at = lower.find(word, at + len(word))
    return sorted(found)


def lowered(text: str) -> str:
    """A text in small letters, as long as it was."""
    return text.replace("\u0130", "i").lower()  # The one letter that gets longer.


def words(text: str) -> frozenset[str]:
    """The words of a text, for tables that are easier to read as one."""
    return frozenset(text.split())
