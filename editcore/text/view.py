"""A file text as edits see it: without byte order mark, with line feeds only; and the way back to the file.

A model sees neither carriage returns nor a byte order mark. Its edit is placed in the view, and written to the file
with the line endings of the lines that it replaces. Unchanged lines keep theirs.

Most edits concern a few lines of a long file. A view may have tables of some stretches only (see `nearby`). Line
numbers then count the lines of these stretches.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, compress, islice
from typing import Any, Generic, Self, TypeVar, overload

from editcore.text.document import Document
from editcore.text.endings import LineFeedView
from editcore.text.keys import BODY, FOLDED, RIGHT_TRIMMED, Key, folded_lines
from editcore.text.line_index import block_starts
from editcore.text.lines import BOM
from editcore.text.nearby import Span, stretches
from editcore.text.whitespace import WHITESPACE, indent, is_plain, trim
from editcore.types import Match

# A property that is computed on first use and kept, without the lock of `functools.cached_property` in Python 3.11.
#
# The lock costs 0.5 us, which is more than most of the properties that an edit in its plain place needs.

T = TypeVar("T")


class computed(Generic[T]):
    """The decorator of such a property; the value is kept in the object's `__dict__`, under the property's name."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute, self._name, self.__doc__ = compute, compute.__name__, compute.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...
    @overload
    def __get__(self, owner: object, kind: type) -> T: ...
    def __get__(self, owner: object | None, kind: type) -> T | Self:
        if owner is None:
            return self
        value = owner.__dict__[self._name] = self._compute(owner)
        return value


class Lines:
    """A text by its lines that are not blank ("solid"), each table made on first use.

    |def f():      solid line 0, no blank lines above it
    |              a blank line
    |    return 1  solid line 1, one blank line above it, indentation of four spaces
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._keys: dict[Key, list[str]] = {}

    @computed
    def all(self) -> list[str]:
        """The lines without line feeds; an empty text has none."""
        return self.text.removesuffix("\n").split("\n") if self.text else []

    @computed
    def trimmed(self) -> list[str]:
        if is_plain(self.text):
            return list(map(str.strip, self.all))
        return [line.strip(WHITESPACE) for line in self.all]

    @computed
    def at(self) -> list[int]:
        """The index in `all` of each solid line."""
        return list(compress(range(len(self.all)), self.trimmed))

    @computed
    def solid(self) -> list[str]:
        return list(compress(self.all, self.trimmed))

    @computed
    def bodies(self) -> list[str]:
        """The solid lines, trimmed."""
        return list(filter(None, self.trimmed))

    @computed
    def indents(self) -> list[str]:
        return [indent(line) for line in self.solid]

    def keys(self, key: Key) -> list[str]:
        if key is BODY or (key is FOLDED and self.text.isascii()):
            return self.bodies
        if key not in self._keys:
            lines = folded_lines(self.solid) if key.folds else self.solid
            self._keys[key] = list(map(key.plain_of if is_plain(self.text) else key.of, lines))
        return self._keys[key]

    def blank_above(self, n: int) -> list[str]:
        """The blank lines directly above solid line `n`; for `n = len(solid)`, at the end of the text."""
        first = self.at[n - 1] + 1 if n else 0
        return self.all[first : self.at[n]] if n < len(self.at) else self.all[first:]


_CRLF = "\r\n"
_NEEDLES = 3
"""Lines of a search text that are searched for in the whole text before lines are compared."""
_MOST_WORK = 2
"""Compared lines per line of the file, above which an index is used."""


class FileView(Lines):
    """A file text without byte order mark and carriage returns, with tables of its lines, each built on first use."""

    def __init__(self, original: str) -> None:
        self._bom = BOM if original.startswith(BOM) else ""
        self._original = original[len(self._bom) :]
        super().__init__(self._original.replace(_CRLF, "\n") if "\r" in self._original else self._original)
        self._first: dict[str, int] = {}
        self._spans: Sequence[Span] = [(0, len(self.text))]

    def around(self, spans: Iterable[Span], reach: int) -> FileView:
        """The view with tables of some lines only: the spans, and at least `reach` solid lines on either side of each.

        The view itself, if its tables are there already, or if that would be more than half of the text.
        """
        found = None if "all" in self.__dict__ else stretches(self.text, spans, reach)
        if found is None:
            return self
        other = FileView.__new__(FileView)
        other.text, other._bom, other._original, other._first = self.text, self._bom, self._original, self._first
        other._keys, other._spans = {}, found
        return other

    @computed
    def all(self) -> list[str]:
        """The lines of all stretches, without line feeds."""
        return self._tables[0]

    @computed
    def _tables(self) -> tuple[list[str], list[int]]:
        """The lines of all stretches; and the index of each stretch's first line, with one more entry for the end."""
        pieces = [Lines(self.text[start:end]).all for start, end in self._spans]
        lines = pieces[0] if len(pieces) == 1 else [line for piece in pieces for line in piece]
        return lines, [0, *accumulate(map(len, pieces))]

    @computed
    def _feeds(self) -> LineFeedView:
        return LineFeedView(self._original)

    @computed
    def _lengths(self) -> list[int]:
        """The number of characters above each line, without line feeds."""
        return list(accumulate(map(len, self.all), initial=0))

    def start(self, line: int) -> int:
        """The offset in the view at which `line` starts; past the last line, the end of the text plus its line feed."""
        lengths, firsts = self._lengths, self._tables[1]
        n = bisect_right(firsts, line, 0, len(self._spans)) - 1
        first = firsts[n]
        return self._spans[n][0] + lengths[line] - lengths[first] + line - first

    def span(self, solid: range) -> tuple[int, int]:
        """The offsets of solid lines, without the line feed of the last."""
        return self.start(self.at[solid.start]), self.start(self.at[solid.stop - 1] + 1) - 1

    def solid_at(self, offset: int) -> int:
        """The index of the solid line at `offset`, or of the first one below."""
        return bisect_left(self.at, self.line_of(offset))

    def line_of(self, offset: int) -> int:
        """The index in the tables of the line at `offset`."""
        n = bisect_right(self._spans, (offset, len(self.text))) - 1
        return self._tables[1][n] + self.text.count("\n", self._spans[n][0], offset)

    def line_at(self, offset: int) -> int:
        """The 0-based line of the file at `offset`."""
        return self.text.count("\n", 0, offset)

    def document(self) -> Document:
        """The view as a document that shares the tables built so far."""
        found = Document(self.text)
        ends = [""] if self.text.endswith("\n") else []
        lines, trimmed = self.__dict__.get("all"), self.__dict__.get("trimmed")
        found.take_tables([*lines, *ends] if lines else None, [*trimmed, *ends] if trimmed else None, self._first)
        return found

    def first(self, line: str) -> int:
        """The first offset of a trimmed line in the text, within another line too; -1 if the text lacks it."""
        known = self._first.get(line)
        if known is None:
            known = self._first[line] = self.text.find(line)
        return known

    def may_have(self, wanted: Sequence[str], key: Key) -> bool:
        """False if the text certainly lacks solid lines with these keys: one of the longest is in no line of it."""
        if key.folds and not self.text.isascii():
            return True
        for one in sorted(wanted, key=len, reverse=True)[:_NEEDLES]:
            at = self.first(trim(one))
            if at < 0 or (key is RIGHT_TRIMMED and self.text.find(one, max(at - len(one), 0)) < 0):
                return False
        return True

    def windows(self, key: Key, wanted: Sequence[str], *, most: int = 2) -> list[int]:
        """The first solid line of each place at which these keys follow each other; ascending, at most `most`."""
        if not wanted:
            return []
        keys, found, work = self.keys(key), [], 0
        longest = max(wanted, key=len)
        ahead = wanted.index(longest)
        for at in _indices(keys, longest):
            start = at - ahead
            if start >= 0 and keys[start : start + len(wanted)] == wanted:
                found.append(start)
                if len(found) == most:
                    break
            work += len(wanted)
            if work > _MOST_WORK * len(keys):
                return list(islice(block_starts(keys, wanted), most))
        return found

    # The way back

    def match(self, start: int, end: int, tier: str, *, similarity: float = 1.0) -> Match:
        """A span of the view as a match of the file."""
        ahead = len(self._bom)
        return Match(self._offset(start) + ahead, self._offset(end) + ahead, tier, similarity)

    def with_text(self, *changes: tuple[int, int, str]) -> str:
        """The file with another text for each span (start, end) of the view; spans ascend and do not overlap."""
        if self.text is self._original:
            out, after = [self._bom], 0
            for start, end, new in changes:
                # A carriage return at its end would become a part of the line ending that follows.
                out += [self.text[after:start], new.rstrip("\r") if self.text.startswith("\n", end) else new]
                after = end
            out.append(self.text[after:])
            return "".join(out)
        return self._bom + self._feeds.replaced_each((Match(start, end, ""), new) for start, end, new in changes)

    def with_lines(self, first: int, last: int, lines: Sequence[str | int]) -> str:
        """The file with lines `first` to `last - 1` replaced by `lines`: new lines, or numbers of lines of the file.

        A new line gets the line ending of the line that it replaces, or of the nearest one.
        """
        text, offset = self.text, self._offset
        head, rest = offset(self._start(first)), offset(self._start(last))
        out: list[str] = []
        at = first
        for line in _joined(lines):
            if isinstance(line, range):
                out.append(self._original[offset(self._start(line.start)) : offset(self._start(line.stop))])
                if not out[-1].endswith("\n"):
                    out[-1] += self._ending(line.stop - 1)
                at = line.stop
            else:
                out.append(line + self._ending(min(at, max(last - 1, 0))))
                at = min(at + 1, last)
        before, after = self._original[:head], self._original[rest:]
        if before and not before.endswith("\n") and out:
            before += self._ending(0)
        if out and not after and not text.endswith("\n"):
            # The file has no line feed at its end, and gets none.
            out[-1] = out[-1].removesuffix("\n").removesuffix("\r")
        return "".join([self._bom, before, *out, after])

    def _offset(self, at: int) -> int:
        """The offset in the file, without byte order mark, for an offset in the view."""
        return at if self.text is self._original else self._feeds.offset(at)

    def _start(self, line: int) -> int:
        return min(self.start(line), len(self.text))

    def _ending(self, line: int) -> str:
        """The line ending of `line`; a last line without one has the ending of the line above."""
        if self.start(line + 1) > len(self.text):
            line -= 1
        if line < 0:
            return "\n"
        return _CRLF if self._original.startswith(_CRLF, self._offset(self.start(line + 1) - 1)) else "\n"


def _joined(lines: Iterable[str | int]) -> list[str | range]:
    """The lines, with successive numbers joined to ranges."""
    found: list[str | range] = []
    for line in lines:
        if isinstance(line, str):
            found.append(line)
        elif found and isinstance(above := found[-1], range) and above.stop == line:
            found[-1] = range(above.start, line + 1)
        else:
            found.append(range(line, line + 1))
    return found


def _indices(keys: Sequence[str], wanted: str) -> Iterator[int]:
    """Every index of `wanted` in `keys`."""
    at = -1
    try:
        while True:
            at = keys.index(wanted, at + 1)
            yield at
    except ValueError:
        return
