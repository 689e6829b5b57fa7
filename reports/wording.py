"""Numbers and lists in sentences."""

from __future__ import annotations

from collections.abc import Sequence


def counted(n: int, noun: str) -> str:
    """A number of things: `1 sample`, `1,200 strategies`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{n:,} {noun if n == 1 else plural}"


def listed(words: Sequence[str]) -> str:
    """`one, two and three`."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def first_named(names: Sequence[str], *, most: int = 2) -> str:
    """The names as a list; of more than `most`, the first ones and a number: `one and 4 others`."""
    return listed(names) if len(names) <= most else f"{', '.join(names[: most - 1])} and {len(names) - most + 1} others"


def examples(ids: Sequence[str], *, most: int = 3) -> str:
    """The first ids: `a, b, c, ...`."""
    return f"{', '.join(ids[:most])}{', ...' if len(ids) > most else ''}"
