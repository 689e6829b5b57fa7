"""A file text as edits see it: without its byte order mark, with line feeds alone; and the way back to the file.

A model sees neither carriage returns nor a byte order mark. What it asks for is placed in the view, and written to the
file with the line endings of the lines that are replaced. Lines that stay keep theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

from editcore.text.document import Document
from editcore.text.endings import LineFeedView
from editcore.text.folds import folded_lines
from editcore.text.keys import BODY, FOLDED, RIGHT_TRIMMED, Key
from editcore.text.lines import Lines
from editcore.text.search import alphabet, occurrences
from editcore.text.whitespace import is_plain, trim
from editcore.types import Match

_BOM = "\ufeff"
_CRLF = "\r\n"
_NEEDLES = 3
"""Lines of a search text that are looked for in the whole text before lines are compared."""


_MOST_WORK = 2
"""Times the number of lines of the file: more are not compared place by place."""


class FileView(Lines):
    """A file text without byte order mark and carriage returns, with tables of its lines, each built on first use."""

    def __init__(self, original: str) -> None:
        self._bom = _BOM if original.startswith(_BOM) else ""
        self._original = original[len(self._bom) :]
        super().__init__(self._original.replace(_CRLF, "\n") if "\r" in self._original else self._original)
        self._keys: dict[Key, list[str]] = {}
        self._last_start = 0, 0
        self._may_have: dict[str, bool] = {}

    @cached_property
    def _feeds(self) -> LineFeedView:
        return LineFeedView(self._original)

    def start(self, line: int) -> int:
        """The offset of a line's start in the view; past the last line, the end of the text and its line feed."""
        # Counted from the line that was asked for last: an edit asks for a few that are near each other.
        last, offset = self._last_start
        if line >= last:
            offset += sum(map(len, self.all[last:line])) + line - last
        else:
            offset -= sum(map(len, self.all[line:last])) + last - line
        self._last_start = line, offset
        return offset

    def line_at(self, offset: int) -> int:
        """The 0-based line of an offset in the view."""
        return self.text.count("\n", 0, offset)

    def document(self) -> Document:
        """The view as a document, with the tables of its lines that are there already."""
        found = Document(self.text)
        if self.text:
            ends = [""] if self.text.endswith("\n") else []
            found.take_lines([*self.all, *ends], [*self.trimmed, *ends])
        return found

    def may_have(self, line: str) -> bool:
        """Whether a line without whitespace at its ends stands in the text, in a line of its own or in another."""
        known = self._may_have.get(line)
        if known is None:
            known = self._may_have[line] = line in self.text
        return known

    def keys(self, key: Key) -> list[str]:
        """The key of each solid line."""
        if key is BODY or (key is FOLDED and self.text.isascii()):
            return self.bodies
        if key not in self._keys:
            lines = folded_lines(self.solid) if key.folds else self.solid
            self._keys[key] = list(map(key.plain_of if is_plain(self.text) else key.of, lines))
        return self._keys[key]

    def windows(self, key: Key, wanted: Sequence[str], *, most: int = 2) -> list[int]:
        """Where solid lines in a row have these keys: the first of each such row, ascending, at most `most` of them."""
        longest = sorted(wanted, key=len, reverse=True)[:_NEEDLES]
        is_literal = not key.folds or self.text.isascii()
        if not wanted or (is_literal and not all(self.may_have(trim(one)) for one in longest)):
            return []
        if key is RIGHT_TRIMMED and not all(one in self.text for one in longest):
            return []
        keys, found, work = self.keys(key), [], 0
        ahead = wanted.index(longest[0])
        for at in _indices(keys, longest[0]):
            start = at - ahead
            if start >= 0 and keys[start : start + len(wanted)] == wanted:
                found.append(start)
                if len(found) == most:
                    break
            work += len(wanted)
            if work > _MOST_WORK * len(keys):
                return list(islice(_windows(keys, wanted), most))
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
        for line in lines:
            if isinstance(line, int):
                out.append(self._original[offset(self._start(line)) : offset(self._start(line + 1))])
                if not out[-1].endswith("\n"):
                    out[-1] += self._ending(line)
                at = line + 1
            else:
                out.append(line + self._ending(min(at, max(last - 1, 0))))
                at = min(at + 1, last)
        before, after = self._original[:head], self._original[rest:]
        if before and not before.endswith("\n") and out:
            before += self._ending(0)
        if out and not after and not text.endswith("\n"):
            # The file has no line feed at its end, and gets none.
            out[-1] = out[-1].removesuffix("\n").removesuffix("\r")
        return self._bom + before + "".join(out) + after

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


def _indices(keys: Sequence[str], wanted: str) -> Iterator[int]:
    """Where a key is among the keys."""
    at = -1
    try:
        while True:
            at = keys.index(wanted, at + 1)
            yield at
    except ValueError:
        return


def _windows(keys: Sequence[str], wanted: Sequence[str]) -> Iterator[int]:
    """Where all wanted keys are in a row, in linear time for whatever keys: each distinct one is a character."""
    codes = alphabet(wanted)
    if codes is None:
        return iter(())
    row = "".join([codes.get(one, "\0") for one in keys])
    return occurrences(row, "".join(map(codes.__getitem__, wanted)))
