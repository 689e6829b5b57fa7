"""Where the anchors of hunks stand in a file, the lines that follow `@@`, and what lies in the blocks they begin."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from editcore.document import WHITESPACE, trim
from editcore.patches.placing.seek import Seeker

_MOST = 100
"""An anchor that stands in more lines than this is no hint."""
_FEW = 4
"""So many times the file is read for a hunk; then a table is made of it, so that no patch reads it once per hunk."""


class Anchors:
    """The lines of a file as anchors."""

    def __init__(self, seeker: Seeker) -> None:
        self._seeker, self._lines = seeker, seeker.lines
        self._like: dict[str, list[int]] = {}
        self._n_looked_at = self._n_read = 0
        self._ends: list[int] | None = None
        self._sorted: list[tuple[str, int]] | None = None

    def lines(self, anchors: Sequence[str]) -> list[int]:
        """The 0-based lines at which the last anchor stands: in the blocks that those before it begin, else below them.

        None of them where they are too many to be a hint.
        """
        outer: list[int] = []
        for number, anchor in enumerate(anchors):
            found = self._lines_like(anchor)
            if number:
                if not outer:
                    return []
                found = self._inside(found, outer, 0) or found[bisect_right(found, outer[0]) :]
            outer = found if len(found) <= _MOST else []
        return outer

    def places_within(self, anchors: Sequence[str], places: Sequence[int], n_lines: int) -> list[int]:
        """Of the ascending places of a block of so many lines, those in a block that an anchor begins."""
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
        """The lines that are the anchor, or that begin with it, up to the end of a word."""
        if anchor not in self._like:
            tiers = (list(self._seeker.places([anchor], tier)) for tier in ("exact", "trimmed", "folded"))
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
        """The trimmed lines that begin with a text, with their numbers."""
        self._n_read += 1
        if self._n_read <= _FEW:
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
        """The first line below that is indented no deeper and begins with a word."""
        if self._ends is not None:
            return self._ends[line]
        lines, indent = self._lines, _indent(self._lines[line])
        below = (n for n in range(line + 1, len(lines)) if _opens(lines[n]) and _indent(lines[n]) <= indent)
        end = next(below, len(lines))
        self._n_looked_at += end - line
        if self._n_looked_at > _FEW * len(lines):
            self._ends = _scope_ends(lines)
        return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(WHITESPACE))


def _opens(line: str) -> bool:
    """Whether a line begins with a word, as that of a new block does."""
    first = line.lstrip(WHITESPACE)[:1]
    return first.isalnum() or first in ("_", "@")


def _scope_ends(lines: Sequence[str]) -> list[int]:
    """Of each line, the first one below that is indented no deeper and begins with a word; else one past the last."""
    ends = [len(lines)] * len(lines)
    # Of the lines below that begin with a word, those with no such line, indented no deeper, above them: nearest last.
    below: list[int] = []
    indents: list[int] = []
    for line in range(len(lines) - 1, -1, -1):
        indent = _indent(lines[line])
        n = bisect_right(indents, indent)
        if n:
            ends[line] = below[n - 1]
        if _opens(lines[line]):
            n = bisect_left(indents, indent)
            below[n:], indents[n:] = [line], [indent]
    return ends
