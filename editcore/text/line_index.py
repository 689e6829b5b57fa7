"""One index of lines: where a line, or a block of lines that follow each other, is in a text.

    lines  a  b  a  b  c        block  a b c   ->  place 2 (0-based line)

Whatever looks for whole lines asks here: replacers, patches, stale edits, other agents' rules, mutators.
Three ways, by how often one text is asked:

- `block_starts`: once. Every distinct line of the block becomes one character, and `str.find` searches the file's
  string of them. `occurrences` keeps that linear for repetitive blocks.
- `LineTable`: several times, by one kind of key. A dict says where each key is; a block is looked for at the places of
  its rarest line.
- `LineIndex`: the hunks of a patch, by several equalities. The first few blocks are looked for in the text itself, by
  their longest line. Then each equality gets a string of characters, and from the seventeenth search on a table.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, repeat

from editcore.errors import PatchError
from editcore.types import Reason

MAX_DISTINCT = sys.maxunicode
"""Most distinct lines of a text: each becomes one character. None is NUL, which rapidfuzz takes for an empty text."""
_MOST_TRIED = 50
"""Places of a block's rarest line that `LineTable` tries one by one; for more, it searches the text of all keys."""


def alphabet(pieces: Iterable[str]) -> dict[str, str] | None:
    """A character for each distinct piece, none of them NUL; None for more pieces than there are characters.

    A search text with over a million distinct lines is then not found. No edit has one.
    """
    distinct = dict.fromkeys(pieces)
    if len(distinct) > MAX_DISTINCT:
        return None
    return {piece: chr(n) for n, piece in enumerate(distinct, 1)}


def occurrences(row: str, needle: str, start: int = 0) -> Iterator[int]:
    """Every place of `needle` in `row` from `start` on, ascending; places may overlap. `needle` is not empty.

    Linear in both lengths. Repeated `str.find` would compare all of a repetitive needle at each of its places.
    """
    at = row.find(needle, start)
    if at < 0:
        return
    yield at
    at = row.find(needle, at + 1)
    if at < 0:
        return  # Most needles have one place at most, and need no period.
    size = len(needle)
    period = needle.find(needle[: size - size // 4], 1)
    if period < 0 or not needle.startswith(needle[period:]):
        # Without such a period, two places are at least a quarter of the needle apart.
        period = 0
    turn = needle[size - period :]
    while at >= 0:
        yield at
        if period and row.startswith(turn, at + size):
            at += period
        else:
            # A needle that is not found one period further is not found before its end: it would have a shorter period.
            at = row.find(needle, at + (size - period if period else 0) + 1)


def block_starts(lines: Iterable[str], block: Sequence[str], start: int = 0) -> Iterator[int]:
    """The 0-based places from `start` on at which the lines of `block` follow each other; they may overlap.

    An empty block has no place. Linear in both lengths.
    """
    symbols = alphabet(block)
    if symbols:
        row = "".join([symbols.get(line, "\0") for line in lines])
        yield from occurrences(row, "".join([symbols[line] for line in block]), start)


def apart(starts: Iterable[int], n_lines: int) -> Iterator[int]:
    """The places of a block of `n_lines` lines that do not overlap an earlier one; `starts` must ascend."""
    end = 0
    for start in starts:
        if start >= end:
            yield start
            end = start + n_lines


class LineTable:
    """Where each line of a text is, by its key; for several searches by one kind of key."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = keys
        self.at: dict[str, list[int]] = {}
        """Key -> its 0-based lines, ascending."""
        for n, key in enumerate(keys):
            if key in self.at:
                self.at[key].append(n)
            else:
                self.at[key] = [n]

    def places(self, block: Sequence[str], most: int | None = None) -> list[int]:
        """The first `most` places at which the keys of `block` follow each other; an empty block has none."""
        if not block or any(key not in self.at for key in block):
            return []
        ahead, rarest = min(enumerate(block), key=lambda one: len(self.at[one[1]]))
        if len(self.at[rarest]) > _MOST_TRIED:
            return list(islice(block_starts(self._keys, block), most))
        starts = (n - ahead for n in self.at[rarest])
        return list(islice((n for n in starts if n >= 0 and self._keys[n : n + len(block)] == [*block]), most))


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
    return line


def without_cr(line: str) -> str:
    """The line without the carriage return of a CRLF."""
    return line.removesuffix("\r")


_PIECE = 50_000
"""Characters that are translated at once, which takes some milliseconds."""


def right_trimmed(line: str) -> str:
    return line.rstrip(_RUST_WHITESPACE)


def trimmed(line: str) -> str:
    return line.strip(_RUST_WHITESPACE)


def folded(line: str) -> str:
    """The trimmed line, with typographic dashes, quotes and spaces as ASCII."""
    line = line.strip(_RUST_WHITESPACE)
    return line if line.isascii() else _plain(line)


def _plain(line: str) -> str:
    """The line with typographic dashes, quotes and spaces as ASCII; in pieces, so that other threads may run."""
    pieces = (line[at : at + _PIECE] for at in range(0, len(line), _PIECE))
    return "".join([piece.translate(_PUNCTUATION) for piece in pieces])


_FEW_SEARCHES = 16
"""Searches of one kind before the next, more expensive table is built."""

MOST_LOOKED_FOR = 32
"""Lines of a block that are looked for in the text before symbols are made; each costs one pass."""

_FEW_PLACES = 64
"""Places of a block's longest line that are tried in the text; and symbols whose places are found one by one."""

_PYTHON_ONLY = "\x1c\x1d\x1e\x1f"
"""Whitespace in Python, and not in Rust."""

_MAX_REMEMBERED = 1_000_000
"""Most places of earlier blocks that an index remembers."""

Equality = Callable[[str], str]

EQUALITIES: dict[str, Equality] = {
    "exact": exact, "line_endings": without_cr, "right_trimmed": right_trimmed, "trimmed": trimmed, "folded": folded,
}  # fmt: skip
"""Name -> the part of a line that is compared; the strictest first."""


class LineIndex:
    """The lines of a file, searchable for blocks of lines by any equality."""

    def __init__(
        self, lines: Sequence[str], text: str | None = None, *, equalities: Mapping[str, Equality] = EQUALITIES
    ) -> None:
        """`text`, if given, is the lines joined, with or without a final line feed; it saves joining them again.

        `equalities` replaces `EQUALITIES`. `first_places` needs equalities that compare a part of the line as it is.
        """
        self.lines = lines
        self._equalities = equalities
        self._given = text
        self._symbols: dict[str, dict[str, str]] = {}
        self._rows: dict[str, str] = {}
        self._spots: dict[str, dict[str, list[int]]] = {}
        self._n_searches = self._n_text_searches = self._n_anchored = self._n_spots = 0
        self._known: dict[str, bool] = {}
        """Trimmed line -> True if the text contains it."""
        self._found: dict[tuple[str, str, int], list[int]] = {}
        self._n_found = 0

    @cached_property
    def _text(self) -> str:
        """The file with a line feed before and after every line."""
        if not self.lines:
            return "\n"
        if self._given is None:
            return "\n".join(["", *self.lines, ""])
        return f"\n{self._given}" if self._given.endswith("\n") else f"\n{self._given}\n"

    @cached_property
    def _folded_text(self) -> str:
        # Line by line, since nearly all lines are ASCII, and that is known of each without reading it.
        lines = [line if line.isascii() else _plain(line) for line in self.lines]
        return "\n".join(["", *lines, ""])

    @cached_property
    def _has_returns(self) -> bool:
        return "\r" in self._text

    @cached_property
    def mixes_line_endings(self) -> bool:
        """True if some lines end in CRLF and others in LF."""
        if not self._has_returns:
            return False
        n_crlf = sum(map(str.endswith, self.lines, repeat("\r")))
        return 0 < n_crlf < len(self.lines)

    def places(self, block: Sequence[str], equality: str, *, start: int = 0) -> Iterator[int]:
        """The 0-based lines from `start` on at which the block matches, ascending; they may overlap."""
        if self._is_searched_as_text(equality):
            return (line for line in self._in_text(block) if line >= start)
        needle = self._needle(block, equality)
        if not needle:
            return iter(() if needle is None else range(start, len(self.lines) + 1))
        return self._places(needle, equality, start)

    def first_places(self, block: Sequence[str], equality: str, most: int) -> Sequence[int]:
        """The first `most` of `places`. Equal blocks are searched for once: a patch may repeat a hunk."""
        if equality == "line_endings" and not self._has_returns and not any(line.endswith("\r") for line in block):
            equality = "exact"  # The same, and found as text.
        if self._is_searched_as_text(equality):
            return list(islice(self._in_text(block), most))
        if equality not in self._rows:
            if not all(self.may_have(line, equality) for line in block[:MOST_LOOKED_FOR]):
                return ()
            few = self._by_longest_line(block, equality, most)
            if few is not None:
                return few
        needle = self._needle(block, equality)
        if not needle:
            return list(islice(self.places(block, equality), most))
        key = equality, needle, most
        found = self._found.get(key)
        if found is None:
            if self._n_found > _MAX_REMEMBERED:
                self._found.clear()
                self._n_found = 0
            found = self._found[key] = list(islice(self._places(needle, equality, 0), most))
            self._n_found += len(found)
        return found

    def matches_at(self, block: Sequence[str], equality: str, line: int) -> bool:
        if equality not in self._rows and len(self.lines) <= MAX_DISTINCT:
            # Comparing its few lines is cheaper than making symbols of the whole file.
            key, there = self._equalities[equality], self.lines[line : line + len(block)]
            in_file = 0 <= line <= len(self.lines) - len(block)
            return in_file and (there == block or (key is not exact and list(map(key, there)) == list(map(key, block))))
        needle = self._needle(block, equality)
        return needle is not None and line >= 0 and self._rows[equality].startswith(needle, line)

    def outward(self, block: Sequence[str], equality: str, line: int, *, floor: int = 0) -> Iterator[int]:
        """The places from `floor` on, the nearest to `line` first; of two equally near ones, the lower one first."""
        needle = self._needle(block, equality)
        if not needle:
            return
        line = max(line, 0)
        if line >= floor and self._rows[equality].startswith(needle, line):
            yield line
        lower = self._places(needle, equality, max(line + 1, floor))
        upper = self._places_above(needle, equality, line - 1, floor)
        below, above = next(lower, None), next(upper, None)
        while above is not None or below is not None:
            if above is None or (below is not None and below - line <= line - above):
                assert below is not None
                yield below
                below = next(lower, None)
            else:
                yield above
                above = next(upper, None)

    def _is_searched_as_text(self, equality: str) -> bool:
        """True for the first few exact blocks: looking for them in the text costs less than making symbols of it."""
        if equality != "exact" or equality in self._rows or len(self.lines) > MAX_DISTINCT:
            return False
        self._n_text_searches += 1
        return self._n_text_searches <= _FEW_SEARCHES

    def _in_text(self, block: Sequence[str]) -> Iterator[int]:
        """The lines at which a block is found in the text, exactly."""
        if not block:
            yield from range(len(self.lines) + 1)
            return
        text, needle = self._text, "\n".join(["", *block, ""])
        at, line, counted = text.find(needle), 0, 0
        while at >= 0:
            line += text.count("\n", counted, at)
            counted = at
            yield line
            at = text.find(needle, at + 1)

    def _by_longest_line(self, block: Sequence[str], equality: str, most: int) -> list[int] | None:
        """The first `most` places, found by the block's longest line; None where that would cost more than symbols."""
        key, lines, text = self._equalities[equality], self.lines, self._text
        self._n_anchored += 1
        if not block or self._n_anchored > _FEW_SEARCHES or len(lines) > MAX_DISTINCT:
            return None
        if key is folded and not text.isascii():
            return None
        keys = list(map(key, block))
        offset = max(range(len(keys)), key=lambda n: len(keys[n]))
        longest = trimmed(keys[offset])
        if not longest:
            return None
        found: list[int] = []
        at, line, counted = text.find(longest), -1, 0
        for _ in range(_FEW_PLACES):
            if at < 0 or len(found) == most:
                return found
            line += text.count("\n", counted, at)
            counted = at
            start = line - offset
            if 0 <= start <= len(lines) - len(keys) and keys == list(map(key, lines[start : start + len(keys)])):
                found.append(start)
            at = text.find(longest, text.find("\n", at))
        return None

    def may_have(self, line: str, equality: str) -> bool:
        """False if no line of the file can equal `line`; found in the text, without making symbols."""
        key = self._equalities[equality]
        if key is exact or key is without_cr:
            return key(line) in self._text
        line = key(line)
        if key is folded and not self._text.isascii():
            return line in self._folded_text
        line = trimmed(line)
        known = self._known.get(line)
        if known is None:
            known = self._known[line] = line in self._text
        return known

    def row(self, equality: str) -> str:
        """The file as one symbol per line; equal lines have the same symbol."""
        if equality not in self._rows:
            self._index(equality)
        return self._rows[equality]

    def symbols(self, block: Sequence[str], equality: str) -> list[str | None]:
        """The symbol of each line; None for a line that the file lacks."""
        if equality not in self._rows:
            self._index(equality)
        key, symbols = self._equalities[equality], self._symbols[equality]
        return [symbols.get(line) for line in (block if key is exact else map(key, block))]

    def spots(self, symbol: str, equality: str) -> Sequence[int]:
        """The 0-based lines with a symbol, ascending."""
        self._n_spots += 1
        if equality not in self._spots and self._n_spots <= _FEW_PLACES:
            return list(occurrences(self.row(equality), symbol))
        return self._table(equality)[symbol]

    def _places(self, needle: str, equality: str, start: int) -> Iterator[int]:
        rare = self._rare(needle, equality)
        if rare is None:
            yield from occurrences(self._rows[equality], needle, start)
            return
        offset, spots = rare
        row = self._rows[equality]
        for n in range(bisect_left(spots, start + offset), len(spots)):
            if row.startswith(needle, spots[n] - offset):
                yield spots[n] - offset

    def _places_above(self, needle: str, equality: str, line: int, floor: int) -> Iterator[int]:
        """The places from `line` upwards."""
        rare = self._rare(needle, equality)
        row = self._rows[equality]
        if rare is None:
            # Backwards through the mirror image, as finding from the right is not linear.
            last = min(line + len(needle), len(row))
            for at in occurrences(row[floor : max(last, floor)][::-1], needle[::-1]):
                yield last - at - len(needle)
            return
        offset, spots = rare
        for n in range(bisect_right(spots, line + offset) - 1, -1, -1):
            if spots[n] < floor + offset:
                return
            if row.startswith(needle, spots[n] - offset):
                yield spots[n] - offset

    def _rare(self, needle: str, equality: str) -> tuple[int, list[int]] | None:
        """The index of the block's rarest line, and the lines with that symbol; None if a plain search costs no more.

        The table of places is built after a few searches, when it pays.
        """
        self._n_searches += 1
        if self._n_searches <= _FEW_SEARCHES:
            return None
        spots = self._table(equality)
        offset = min(range(len(needle)), key=lambda n: len(spots[needle[n]]))
        rarest = spots[needle[offset]]
        return (offset, rarest) if len(rarest) * len(needle) <= len(self.lines) else None

    def _table(self, equality: str) -> dict[str, list[int]]:
        if equality not in self._spots:
            self._spots[equality] = LineTable(self.row(equality)).at
        return self._spots[equality]

    def _needle(self, block: Sequence[str], equality: str) -> str | None:
        """The block as symbols; None if the file lacks one of its lines."""
        found = self.symbols(block, equality)
        return None if None in found else "".join([symbol for symbol in found if symbol])

    def _index(self, equality: str) -> None:
        key = self._equalities[equality]
        same = self._same(key)
        if same:
            self._rows[equality] = self.row(same)
            self._symbols[equality] = self._symbols[same]
            return
        symbols = alphabet(keys := self._keys(key))
        if symbols is None:
            raise PatchError(f"the file has more than {MAX_DISTINCT} different lines.", reason=Reason.TOO_LARGE)
        self._symbols[equality] = symbols
        self._rows[equality] = "".join(map(symbols.__getitem__, keys))

    def _same(self, key: Equality) -> str | None:
        """A stricter equality with the same result in this file, which has nothing to fold, or no carriage return."""
        if key is folded:
            return "trimmed" if self._text.isascii() else None
        return "exact" if key is without_cr and "exact" in self._equalities and not self._has_returns else None

    def _keys(self, key: Equality) -> Sequence[str]:
        """The compared part of each line; by Python's own methods, which are faster, where they trim the same."""
        if key is exact:
            return self.lines
        if key in (trimmed, right_trimmed) and not any(character in self._text for character in _PYTHON_ONLY):
            return list(map(str.strip if key is trimmed else str.rstrip, self.lines))
        return list(map(key, self.lines))
