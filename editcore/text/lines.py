"""Texts as tiers compare them: lines that are not blank, with their indentation, and the blank lines between them.

    |def f():      solid line 0, no blank lines above it
    |              a blank line
    |    return 1  solid line 1, one blank line above it, indentation of four spaces

The line feed at the end of the text ends its last line; it does not begin another one.
"""

from __future__ import annotations

from functools import cached_property
from itertools import compress

from editcore.text.folds import folded_lines
from editcore.text.indentation import indent
from editcore.text.keys import BODY, FOLDED, Key
from editcore.text.whitespace import WHITESPACE, is_plain


class Lines:
    """A piece of text by its lines that are not blank ("solid"), found on first use."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._keys: dict[Key, list[str]] = {}

    @cached_property
    def all(self) -> list[str]:
        """The lines without line feeds; none for an empty text."""
        return self.text.removesuffix("\n").split("\n") if self.text else []

    @cached_property
    def trimmed(self) -> list[str]:
        """The lines without whitespace at either end."""
        if is_plain(self.text):
            return list(map(str.strip, self.all))
        return [line.strip(WHITESPACE) for line in self.all]

    @cached_property
    def at(self) -> list[int]:
        """The indices in `all` of the solid lines."""
        return list(compress(range(len(self.all)), self.trimmed))

    @cached_property
    def solid(self) -> list[str]:
        """The solid lines as they are."""
        return list(compress(self.all, self.trimmed))

    @cached_property
    def bodies(self) -> list[str]:
        """The solid lines without whitespace at either end."""
        return list(filter(None, self.trimmed))

    @cached_property
    def indents(self) -> list[str]:
        """The indentation of each solid line."""
        return [indent(line) for line in self.solid]

    def keys(self, key: Key) -> list[str]:
        """The key of each solid line."""
        if key is BODY or (key is FOLDED and self.text.isascii()):
            return self.bodies
        if key not in self._keys:
            lines = folded_lines(self.solid) if key.folds else self.solid
            self._keys[key] = list(map(key.plain_of if is_plain(self.text) else key.of, lines))
        return self._keys[key]

    def blank_above(self, n: int) -> list[str]:
        """The blank lines directly above solid line `n`; those at the end of the text for `n = len(solid)`."""
        first = self.at[n - 1] + 1 if n else 0
        return self.all[first : self.at[n]] if n < len(self.at) else self.all[first:]
