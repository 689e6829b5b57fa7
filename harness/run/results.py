"""What scoring, excerpts and repeats share about the results of one sample: equal results are looked at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from editcore.text.diff import common_ends
from editcore.types import Applied

CONTEXT_LINES = 3
EXCERPT = 10_000
"""The most characters of an excerpt."""

Value = TypeVar("Value")


class OncePerResult(Generic[Value]):
    """Calls `make` once for all results that leave the same texts: strategies often agree."""

    def __init__(self, make: Callable[[Applied], Value]) -> None:
        self._make = make
        self._known: list[tuple[object, Value]] = []
        # A list, because comparing texts is faster than hashing them.

    def __call__(self, result: Applied) -> Value:
        """The value of `result`."""
        left = result.content if result.files is None else dict(result.files)
        for known, value in self._known:
            if known == left:
                return value
        value = self._make(result)
        self._known.append((left, value))
        return value


class Excerpt(NamedTuple):
    """The lines in which two texts of a file differ, with some context."""

    line: int
    """1-based line of the first text at which the excerpt begins."""
    before: str
    after: str
    n_omitted: int
    """Characters that were cut from both excerpts."""


class Difference(NamedTuple):
    """Two texts of a file, and the lengths of their common start and end."""

    path: str
    before: str
    """"" for a new file."""
    after: str
    """"" for a deleted file."""
    head: int
    tail: int

    @classmethod
    def of(cls, path: str, before: str, after: str) -> Difference:
        """The difference of two texts."""
        return cls(path, before, after, *common_ends(before, after))

    def excerpt(self) -> Excerpt:
        """Both texts where they differ."""
        before, after, start, end = self.before, self.after, self.head, self.tail
        first = above(before, start, CONTEXT_LINES)
        # Of a long line, only the text shortly before the difference is kept.
        omitted = max(0, start - EXCERPT // 2 - first)
        first += omitted
        old = before[first : below(before, len(before) - end, CONTEXT_LINES)]
        new = after[first : below(after, len(after) - end, CONTEXT_LINES)]
        n_omitted = 2 * omitted + max(0, len(old) - EXCERPT) + max(0, len(new) - EXCERPT)
        return Excerpt(before.count("\n", 0, first) + 1, old[:EXCERPT], new[:EXCERPT], n_omitted)


def above(text: str, start: int, n_lines: int) -> int:
    """The start of the line `n_lines` above the line of `start`."""
    for _ in range(n_lines + 1):
        start = text.rfind("\n", 0, start) if start > 0 else -1
    return start + 1


def below(text: str, end: int, n_lines: int) -> int:
    """The end, line feed included, of the line `n_lines` below the line of `end`."""
    for _ in range(n_lines + 1):
        end = text.find("\n", end) + 1
        if not end:
            return len(text)
    return end
