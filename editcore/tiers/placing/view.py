"""A file text as edits see it: without its byte order mark, with line feeds alone; and the way back to the file.

A model sees neither carriage returns nor a byte order mark. What it asks for is placed in the view, and written to the
file with the line endings of the lines that are replaced. Lines that stay keep theirs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from editcore.document import is_plain
from editcore.line_feeds import LineFeedView
from editcore.replacers.search import alphabet, occurrences
from editcore.tiers.placing.folding import folded
from editcore.tiers.placing.keys import SQUEEZED, Key
from editcore.tiers.placing.text import Lines
from editcore.types import Match

_BOM = "\ufeff"
_CRLF = "\r\n"
_NEEDLES = 16
"""Lines of a search text that are looked for in the whole text before lines are compared."""


class FileView(Lines):
    """A file text without byte order mark and carriage returns, with tables of its lines, each built on first use."""

    def __init__(self, original: str) -> None:
        self._bom = _BOM if original.startswith(_BOM) else ""
        self._original = original[len(self._bom) :]
        super().__init__(self._original.replace(_CRLF, "\n") if "\r" in self._original else self._original)
        self._keys: dict[Key, list[str]] = {}

    @cached_property
    def _feeds(self) -> LineFeedView:
        return LineFeedView(self._original)

    @cached_property
    def starts(self) -> list[int]:
        """The offset of each line's start in the view, and one entry more: the end of the text and its line feed."""
        return list(accumulate((len(line) + 1 for line in self.all), initial=0))

    @cached_property
    def folded(self) -> str:
        """The folded text; it has the same lines."""
        return folded(self.text)

    @cached_property
    def squeezed(self) -> str:
        """The folded text without whitespace."""
        return "".join(self.folded.split())

    @cached_property
    def squeezed_ends(self) -> list[int]:
        """Where each solid line ends in the squeezed text, after a zero for the start of the first."""
        return list(accumulate(map(len, self.keys(SQUEEZED)), initial=0))

    def line_at(self, offset: int) -> int:
        """The 0-based line of an offset in the view."""
        return bisect_right(self.starts, offset) - 1

    def keys(self, key: Key) -> list[str]:
        """The key of each solid line."""
        if key not in self._keys:
            lines = self.folded.split("\n") if key.folds and self.folded is not self.text else self.all
            of = key.plain_of if is_plain(self.text) else key.of
            self._keys[key] = list(map(of, map(lines.__getitem__, self.at)))
        return self._keys[key]

    def windows(self, key: Key, wanted: Sequence[str], *, most: int = 2) -> list[int]:
        """Where solid lines in a row have these keys: the first of each such row, ascending, at most `most` of them."""
        text = self.folded if key.folds else self.text
        if not all(one in text for one in sorted(wanted, key=len, reverse=True)[:_NEEDLES]):
            return []
        codes = alphabet(wanted)
        keys = self.keys(key)
        if not wanted or codes is None or len(wanted) > len(keys):
            return []
        row = "".join([codes.get(one, "\0") for one in keys])
        found: list[int] = []
        for at in occurrences(row, "".join(map(codes.__getitem__, wanted))):
            found.append(at)
            if len(found) == most:
                break
        return found

    # The way back

    def match(self, start: int, end: int, tier: str, *, similarity: float = 1.0) -> Match:
        """A span of the view as a match of the file."""
        ahead = len(self._bom)
        if self.text is self._original:
            return Match(start + ahead, end + ahead, tier, similarity)
        feeds = self._feeds
        return Match(feeds.offset(start) + ahead, feeds.offset(end) + ahead, tier, similarity)

    def with_text(self, spans: Sequence[tuple[int, int]], new: str) -> str:
        """The file with `new` in place of each span of the view; spans are in order and do not overlap."""
        if self.text is self._original:
            out, after = [self._bom], 0
            for start, end in spans:
                out += [self.text[after:start], new]
                after = end
            return "".join(out) + self.text[after:]
        return self._bom + self._feeds.replaced([Match(start, end, "") for start, end in spans], new)

    def with_lines(self, first: int, last: int, lines: Sequence[str | int]) -> str:
        """The file with lines `first` to `last - 1` replaced: by new lines, and by lines of the file as they are.

        A number is a line of the file. A new line gets the line ending of the line it stands for, or of the nearest.
        """
        text, offset = self.text, self._feeds.offset
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

    def _start(self, line: int) -> int:
        return min(self.starts[line], len(self.text))

    def _ending(self, line: int) -> str:
        """The line ending of a line; the last one may have none, and takes that of the line above."""
        if self.starts[line + 1] > len(self.text):
            line -= 1
        if line < 0:
            return "\n"
        return _CRLF if self._original.startswith(_CRLF, self._feeds.offset(self.starts[line + 1] - 1)) else "\n"
