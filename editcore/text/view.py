"""A file text as edits see it: without its byte order mark, with line feeds alone; and the way back to the file.

A model sees neither carriage returns nor a byte order mark. What it asks for is placed in the view, and written to the
file with the line endings of the lines that are replaced. Lines that stay keep theirs.

Most edits are about a few lines of a long file. A view may have tables of the lines near them only, which are numbered
on their own; what is near is said by `nearby`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, compress, islice

from editcore.text.document import Document
from editcore.text.endings import LineFeedView
from editcore.text.keys import BODY, FOLDED, RIGHT_TRIMMED, Key, folded_lines
from editcore.text.line_index import block_starts
from editcore.text.lines import BOM
from editcore.text.nearby import Span, stretches
from editcore.text.whitespace import WHITESPACE, indent, is_plain, trim
from editcore.types import Match


class Lines:
    """A text by its lines that are not blank ("solid"), each table made on first use.

    |def f():      solid line 0, no blank lines above it
    |              a blank line
    |    return 1  solid line 1, one blank line above it, indentation of four spaces
    """

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


_CRLF = "\r\n"
_NEEDLES = 3
"""Lines of a search text that are looked for in the whole text before lines are compared."""
_MOST_WORK = 2
"""Times the number of lines of the file: more are not compared place by place."""


class FileView(Lines):
    """A file text without byte order mark and carriage returns, with tables of its lines, each built on first use."""

    def __init__(self, original: str) -> None:
        self._bom = BOM if original.startswith(BOM) else ""
        self._original = original[len(self._bom) :]
        super().__init__(self._original.replace(_CRLF, "\n") if "\r" in self._original else self._original)
        self._first: dict[str, int] = {}
        self._spans: Sequence[Span] = [(0, len(self.text))]

    def around(self, spans: Iterable[Span], reach: int) -> FileView:
        """The same view with tables of some lines only: those of the spans, and at least `reach` solid ones about each.

        This one if its own are there already, or the others would be more than half of the text.
        """
        found = None if "all" in self.__dict__ else stretches(self.text, spans, reach)
        if found is None:
            return self
        other = FileView.__new__(FileView)
        other.text, other._bom, other._original, other._first = self.text, self._bom, self._original, self._first
        other._keys, other._spans = {}, found
        return other

    @cached_property
    def all(self) -> list[str]:
        """The lines without line feeds."""
        return self._tables[0]

    @cached_property
    def _tables(self) -> tuple[list[str], list[int]]:
        """The lines of all stretches; the first line of each stretch, and one past the last line of all."""
        pieces = [Lines(self.text[start:end]).all for start, end in self._spans]
        lines = pieces[0] if len(pieces) == 1 else [line for piece in pieces for line in piece]
        return lines, [0, *accumulate(map(len, pieces))]

    @cached_property
    def _feeds(self) -> LineFeedView:
        return LineFeedView(self._original)

    @cached_property
    def _lengths(self) -> list[int]:
        """The characters of all lines above each line, without line feeds."""
        return list(accumulate(map(len, self.all), initial=0))

    def start(self, line: int) -> int:
        """The offset of a line's start in the view; past the last line, the end of the text and its line feed."""
        lengths, firsts = self._lengths, self._tables[1]
        n = bisect_right(firsts, line, 0, len(self._spans)) - 1
        first = firsts[n]
        return self._spans[n][0] + lengths[line] - lengths[first] + line - first

    def span(self, solid: range) -> tuple[int, int]:
        """The offsets of solid lines, without the line feed of the last."""
        return self.start(self.at[solid.start]), self.start(self.at[solid.stop - 1] + 1) - 1

    def solid_at(self, offset: int) -> int:
        """Which of the solid lines is the one with an offset of the view, or the first below that."""
        return bisect_left(self.at, self.line_of(offset))

    def line_of(self, offset: int) -> int:
        """Which line of the tables has an offset of the view."""
        n = bisect_right(self._spans, (offset, len(self.text))) - 1
        return self._tables[1][n] + self.text.count("\n", self._spans[n][0], offset)

    def line_at(self, offset: int) -> int:
        """The 0-based line of the file that has an offset of the view."""
        return self.text.count("\n", 0, offset)

    def document(self) -> Document:
        """The view as a document, which knows what this view knows of its text already."""
        found = Document(self.text)
        ends = [""] if self.text.endswith("\n") else []
        lines, trimmed = self.__dict__.get("all"), self.__dict__.get("trimmed")
        found.take_tables([*lines, *ends] if lines else None, [*trimmed, *ends] if trimmed else None, self._first)
        return found

    def first(self, line: str) -> int:
        """Where a line without whitespace at its ends is first in the text, within another line too; -1 if nowhere."""
        known = self._first.get(line)
        if known is None:
            known = self._first[line] = self.text.find(line)
        return known

    def may_have(self, wanted: Sequence[str], key: Key) -> bool:
        """Whether solid lines with these keys may be in the text: the longest of them are there, in whatever lines."""
        if key.folds and not self.text.isascii():
            return True
        for one in sorted(wanted, key=len, reverse=True)[:_NEEDLES]:
            at = self.first(trim(one))
            if at < 0 or (key is RIGHT_TRIMMED and self.text.find(one, max(at - len(one), 0)) < 0):
                return False
        return True

    def windows(self, key: Key, wanted: Sequence[str], *, most: int = 2) -> list[int]:
        """Where solid lines in a row have these keys: the first of each such row, ascending, at most `most` of them."""
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

    def with_text(self, spans: Sequence[tuple[int, int]], new: str) -> str:
        """The file with `new` in place of each span of the view; spans are in order and do not overlap."""
        if self.text is self._original:
            out, after = [self._bom], 0
            for start, end in spans:
                # A carriage return at its end would become a part of the line ending that follows.
                out += [self.text[after:start], new.rstrip("\r") if self.text.startswith("\n", end) else new]
                after = end
            return "".join(out) + self.text[after:]
        return self._bom + self._feeds.replaced([Match(start, end, "") for start, end in spans], new)

    def with_lines(self, first: int, last: int, lines: Sequence[str | int]) -> str:
        """The file with lines `first` to `last - 1` replaced: by new lines, and by lines of the file as they are.

        A number is a line of the file. A new line gets the line ending of the line it stands for, or of the nearest.
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
        """The offset in the file, without byte order mark, for one in the view."""
        return at if self.text is self._original else self._feeds.offset(at)

    def _start(self, line: int) -> int:
        return min(self.start(line), len(self.text))

    def _ending(self, line: int) -> str:
        """The line ending of a line; the last one may have none, and takes that of the line above."""
        if self.start(line + 1) > len(self.text):
            line -= 1
        if line < 0:
            return "\n"
        return _CRLF if self._original.startswith(_CRLF, self._offset(self.start(line + 1) - 1)) else "\n"


def _joined(lines: Iterable[str | int]) -> list[str | range]:
    """The lines, with those of the file that follow each other as one range."""
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
    """Where a key is among the keys."""
    at = -1
    try:
        while True:
            at = keys.index(wanted, at + 1)
            yield at
    except ValueError:
        return
