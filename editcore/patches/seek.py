"""Where a block of lines stands in a file: every place, at the first tier of likeness that has one.

Each distinct line of the file becomes one character, once for each tier, and `str.find` searches the string
of them: linear in the file for each hunk, whatever the lines.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence

from editcore.errors import PatchError
from editcore.types import Reason

_PUNCTUATION = str.maketrans(
    dict.fromkeys((*range(8208, 8214), 8722), "-")
    | dict.fromkeys(range(8216, 8220), "'")
    | dict.fromkeys(range(8220, 8224), '"')
    | dict.fromkeys((160, *range(8194, 8203), 8239, 8287, 12288), " ")
)
_RUST_WHITESPACE = (
    "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)


def exact(line: str) -> str:
    """The line itself."""
    return line


def without_cr(line: str) -> str:
    """The line without the carriage return of a CRLF."""
    return line[:-1] if line.endswith("\r") else line


def right_trimmed(line: str) -> str:
    """The line without white space at its end."""
    return line.rstrip(_RUST_WHITESPACE)


def trimmed(line: str) -> str:
    """The line without white space at both ends."""
    return line.strip(_RUST_WHITESPACE)


def folded(line: str) -> str:
    """The trimmed line with look-alike dashes, quotes and blanks as ASCII."""
    return line.strip(_RUST_WHITESPACE).translate(_PUNCTUATION)


MAX_DISTINCT = sys.maxunicode + 1
"""So many different lines a file may have: each is one character."""

Tier = Callable[[str], str]

TIERS: dict[str, Tier] = {
    "exact": exact,
    "line_endings": without_cr,
    "right_trimmed": right_trimmed,
    "trimmed": trimmed,
    "folded": folded,
}
"""Name -> what of a line is compared, strictest first."""


class Seeker:
    """The lines of a file, to be searched for blocks at any tier."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self._symbols: dict[str, dict[str, str]] = {}
        self._rows: dict[str, str] = {}

    def places(self, block: Sequence[str], tier: str, *, start: int = 0) -> Iterator[int]:
        """The 0-based lines from `start` on at which the block stands, ascending, overlapping ones included."""
        needle = self._needle(block, tier)
        if needle is None:
            return
        row = self._rows[tier]
        at = row.find(needle, start)
        while at >= 0:
            yield at
            at = row.find(needle, at + 1)

    def stands_at(self, block: Sequence[str], tier: str, line: int) -> bool:
        """Whether the block stands at a 0-based line."""
        needle = self._needle(block, tier)
        return needle is not None and line >= 0 and self._rows[tier].startswith(needle, line)

    def nearest(self, block: Sequence[str], tier: str, line: int) -> tuple[int | None, int | None]:
        """The last place at or above a 0-based line, and the first below it."""
        needle = self._needle(block, tier)
        if needle is None:
            return None, None
        row = self._rows[tier]
        line = max(line, 0)
        above, below = row.rfind(needle, 0, line + len(needle)), row.find(needle, line + 1)
        return (above if above >= 0 else None), (below if below >= 0 else None)

    def _needle(self, block: Sequence[str], tier: str) -> str | None:
        """The block as symbols; None where one of its lines is not in the file."""
        if tier not in self._rows:
            self._index(tier)
        key, symbols = TIERS[tier], self._symbols[tier]
        found = [symbols.get(key(line)) for line in block]
        return None if None in found else "".join(symbol for symbol in found if symbol)

    def _index(self, tier: str) -> None:
        key = TIERS[tier]
        keys = [key(line) for line in self.lines]
        distinct = dict.fromkeys(keys)
        if len(distinct) > MAX_DISTINCT:
            raise PatchError(f"the file has more than {MAX_DISTINCT} different lines.", reason=Reason.TOO_LARGE)
        symbols = {line: chr(n) for n, line in enumerate(distinct)}
        self._symbols[tier] = symbols
        self._rows[tier] = "".join([symbols[line] for line in keys])
