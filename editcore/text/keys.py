"""Keys: what lines are compared by. Two lines with equal keys are the same line to a tier."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from editcore.text.folds import folded
from editcore.text.whitespace import WHITESPACE


@dataclass(frozen=True, slots=True)
class Key:
    """What a tier compares lines by."""

    of: Callable[[str], str]
    """The key of a line; of folded text, if `folds`."""
    plain_of: Callable[[str], str]
    """The same, faster, for text in which Python's own whitespace is right (see `is_plain`)."""
    folds: bool = False
    """Whether characters that look alike are one character to it."""

    def __call__(self, line: str) -> str:
        """The key of a line."""
        return self.of(folded(line) if self.folds else line)


def _right_trimmed(line: str) -> str:
    return line.rstrip(WHITESPACE)


def _body(line: str) -> str:
    return line.strip(WHITESPACE)


def _squeezed(line: str) -> str:
    return "".join(line.split())


RIGHT_TRIMMED = Key(_right_trimmed, str.rstrip)
"""The line without whitespace at its end."""
BODY = Key(_body, str.strip)
"""The line without whitespace at either end."""
FOLDED = Key(_body, str.strip, folds=True)
"""The folded line without whitespace at either end."""
SQUEEZED = Key(_squeezed, _squeezed, folds=True)
"""The folded line without any whitespace."""
