"""Rules: what one kind of secret looks like, how it is found, and an example."""

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
    """In lower case; a text without any of these contains no such secret."""
    find: Find
    example: str
    """A template for `example_of`. The secret is between « and », or all of it."""
    near_miss: str
    """A similar text that is not changed."""
    in_runs: bool = False
    """Whether the secret is one run of 16 or more letters, digits and `_.+/=%-`, so that runs can be searched first."""


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

    `{A36}` stands for 36 letters and digits, `{B40}` for base 64, `{W43}` for its form in URLs, `{x32}` for
    hexadecimal digits, `{U16}` and `{L16}` for digits and capitals or small letters, `{d9}` for digits, and `{S50}`
    for small letters, digits and punctuation. Thus no source file contains a text that looks like a key.
    """
    text = _PART.sub(lambda part: _drawn(_ALPHABETS[part[1]], int(part[2]), rng), template)
    before, mark, rest = text.partition("«")
    if not mark:
        return Example(text, text)
    secret, _, after = rest.partition("»")
    return Example(before + secret + after, secret)


def _drawn(alphabet: str, n: int, rng: Random) -> str:
    """A text of `n` characters. A text that looks written is drawn again; fewer than one in a thousand does."""
    while True:
        drawn = "".join(rng.choices(alphabet, k=n - 1)) + rng.choice([one for one in alphabet if one.isalnum()])
        if n < _JUDGED or looks_random(drawn, least=_JUDGED, surprise_from=_DRAWN_SURPRISE) or drawn.isdigit():
            return drawn


def by_pattern(pattern: re.Pattern[str], accept: Callable[[str], bool] | None = None) -> Find:
    """Finds the matches of a pattern, or their group `value`, that are accepted."""
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
    """The words of a text, as a set."""
    return frozenset(text.split())
