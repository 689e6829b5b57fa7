"""Anchors of hunks, the texts after `@@`: lines of a file that match them, and the blocks that those lines begin."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from editcore.patches.placing.seek import Seeker
from editcore.text.indentation import indent_width
from editcore.text.whitespace import WHITESPACE, trim

_MAX_LINES = 100
"""An anchor that matches more lines than this is not used as a hint."""
_READS_BEFORE_TABLE = 4
"""After this many passes over the file a table is built, so that a patch of many hunks stays linear."""


class Anchors:
    """The lines of a file, looked up as anchors."""

    def __init__(self, seeker: Seeker) -> None:
        self._seeker, self._lines = seeker, seeker.lines
        self._like: dict[str, list[int]] = {}
        self._n_looked_at = self._n_read = 0
        self._ends: list[int] | None = None
        self._sorted: list[tuple[str, int]] | None = None

    def lines(self, anchors: Sequence[str]) -> list[int]:
        """The 0-based lines that match the last anchor, inside the blocks that the anchors before it begin, else below.

        Empty if there are too many of them to be a hint.
        """
        outer: list[int] = []
        for number, anchor in enumerate(anchors):
            found = self._lines_like(anchor)
            if number:
                if not outer:
                    return []
                found = self._inside(found, outer, 0) or found[bisect_right(found, outer[0]) :]
            outer = found if len(found) <= _MAX_LINES else []
        return outer

    def places_within(self, anchors: Sequence[str], places: Sequence[int], n_lines: int) -> list[int]:
        """Those of the ascending places of `n_lines` lines that overlap a block begun by the last anchor."""
        return self._inside(places, self.lines(anchors), n_lines)

    def _inside(self, places: Sequence[int], anchors: Sequence[int], n_lines: int) -> list[int]:
        found: list[int] = []
        done = 0
        for start in anchors:
            first = max(bisect_left(places, start + 1 - n_lines), done)
            end = bisect_left(places, self._scope_end(start))
            if first < end:
                found += places[first:end]
                done = end
        return found

    def _lines_like(self, anchor: str) -> list[int]:
        """The lines equal to the anchor, else those that begin with it, up to the end of a word."""
        if anchor not in self._like:
            first = "line_endings" if self._seeker.mixes_line_endings else "exact"
            tiers = (list(self._seeker.places([anchor], tier)) for tier in (first, "trimmed", "folded"))
            self._like[anchor] = next(filter(None, tiers), []) or sorted(self._beginning_with(trim(anchor)))
        return self._like[anchor]

    def _beginning_with(self, start: str) -> Iterator[int]:
        if not start:
            return
        for text, line in self._candidates(start):
            after = text[len(start) : len(start) + 1]
            if not (start[-1].isalnum() and (after.isalnum() or after == "_")):
                yield line

    def _candidates(self, start: str) -> Iterator[tuple[str, int]]:
        """The trimmed lines that begin with a text, and their numbers."""
        self._n_read += 1
        if self._n_read <= _READS_BEFORE_TABLE:
            trimmed = ((trim(text), line) for line, text in enumerate(self._lines))
            yield from ((text, line) for text, line in trimmed if text.startswith(start))
            return
        if self._sorted is None:
            self._sorted = sorted((trim(text), line) for line, text in enumerate(self._lines))
        for n in range(bisect_left(self._sorted, (start, -1)), len(self._sorted)):
            if not self._sorted[n][0].startswith(start):
                return
            yield self._sorted[n]

    def _scope_end(self, line: int) -> int:
        """The end of the block that a line begins: the next line that begins with a word and is not indented deeper."""
        if self._ends is not None:
            return self._ends[line]
        lines, indent = self._lines, indent_width(self._lines[line])
        below = (
            n for n in range(line + 1, len(lines)) if _begins_with_word(lines[n]) and indent_width(lines[n]) <= indent
        )
        end = next(below, len(lines))
        self._n_looked_at += end - line
        if self._n_looked_at > _READS_BEFORE_TABLE * len(lines):
            self._ends = _scope_ends(lines)
        return end


def _begins_with_word(line: str) -> bool:
    """Whether a line begins with a word, as the first line of a block does."""
    first = line.lstrip(WHITESPACE)[:1]
    return first.isalnum() or first in ("_", "@")


def _scope_ends(lines: Sequence[str]) -> list[int]:
    """`Anchors._scope_end` of every line, in linear time; one past the last line if there is none."""
    ends = [len(lines)] * len(lines)
    # Candidates below, nearest last: lines that begin with a word, without one above them that is indented no deeper.
    below: list[int] = []
    indents: list[int] = []
    for line in range(len(lines) - 1, -1, -1):
        indent = indent_width(lines[line])
        n = bisect_right(indents, indent)
        if n:
            ends[line] = below[n - 1]
        if _begins_with_word(lines[line]):
            n = bisect_left(indents, indent)
            below[n:], indents[n:] = [line], [indent]
    return ends
