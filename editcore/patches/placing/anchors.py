"""Anchors of hunks, the texts after `@@`: the lines that match an anchor, and the blocks that these lines begin.

anchor      its block ends above
def f():    the next line that begins with a word and is not indented deeper
[b]         the next such line with the same mark, here a section of TOML; also `- b` and `.b {`
# Two       the next heading that has no more marks
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from editcore.text.line_index import LineIndex
from editcore.text.whitespace import WHITESPACE, indent_width, trim

_MAX_LINES = 100
"""An anchor that matches more lines is not used as a hint."""
_MARKS = "[#-*."
"""First characters of sections, headings, items and rules of style sheets. Each ends at the next of its kind."""
_MOST_LEVELS = 8
_MOST_BESIDE = 100
"""Lines below an anchor within which the block around it must end to tell two places apart."""


class Anchors:
    def __init__(self, seeker: LineIndex) -> None:
        self._seeker, self._lines = seeker, seeker.lines
        self._like: dict[str, list[int]] = {}

    def lines(self, anchors: Sequence[str]) -> list[int]:
        """The 0-based lines that match the last anchor, inside the blocks of the anchors before it, else below them.

        Empty if there are too many to be a hint.
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

    def stand(self, anchors: Sequence[str]) -> bool:
        """True if every anchor is a line of the file, or the beginning of one."""
        return all(self._lines_like(anchor) for anchor in anchors)

    def places_within(self, anchors: Sequence[str], places: Sequence[int], n_lines: int) -> list[int]:
        """The ascending places of `n_lines` lines that overlap a block of the last anchor.

        If none does and one line matches the anchor, the only place below it, in the file or in the block around the
        anchor.
        """
        lines = self.lines(anchors)
        found = self._inside(places, lines, n_lines)
        return found if found or len(lines) != 1 else self._beside(lines[0], places)

    def _beside(self, line: int, places: Sequence[int]) -> list[int]:
        """The only ascending place that is below `line`, and in no other block than the one around it.

        Keys of one mapping are an example: `@@ name: y` is written above the `labels:` that is meant.
        """
        n = bisect_right(places, line)
        if n == len(places):
            return []
        first, others = places[n], places[n + 1 : n + 2]
        if not others:
            return [first]
        width = indent_width(self._lines[line])
        near = range(line + 1, min(others[0] + 1, line + _MOST_BESIDE))
        end = next((at for at in near if trim(self._lines[at]) and indent_width(self._lines[at]) < width), 0)
        return [first] if first < end <= others[0] else []

    def _inside(self, places: Sequence[int], anchors: Sequence[int], n_lines: int) -> list[int]:
        found: list[int] = []
        done = 0
        for start in anchors:
            first = max(bisect_left(places, start + 1 - n_lines), done)
            end = bisect_left(places, self._ends[start])
            if first < end:
                found += places[first:end]
                done = end
        return found

    def _lines_like(self, anchor: str) -> list[int]:
        """The lines equal to the anchor, else the lines that begin with it, up to the end of a word."""
        if anchor not in self._like:
            # In a file of mixed endings, a reader does not see which of two lines has a carriage return.
            first = "line_endings" if self._seeker.mixes_line_endings else "exact"
            found = (list(self._seeker.places([anchor], equality)) for equality in (first, "trimmed", "folded"))
            self._like[anchor] = next(filter(None, found), []) or sorted(self._beginning_with(trim(anchor)))
        return self._like[anchor]

    def _beginning_with(self, start: str) -> Iterator[int]:
        if not start:
            return
        for n in range(bisect_left(self._sorted, (start, -1)), len(self._sorted)):
            text, line = self._sorted[n]
            if not text.startswith(start):
                return
            after = text[len(start) : len(start) + 1]
            if not (start[-1].isalnum() and (after.isalnum() or after == "_")):
                yield line

    @cached_property
    def _sorted(self) -> list[tuple[str, int]]:
        """(trimmed line, its index), by their texts."""
        return sorted((trim(text), line) for line, text in enumerate(self._lines))

    @cached_property
    def _ends(self) -> list[int]:
        return _scope_ends(self._lines)


class _Head(NamedTuple):
    kind: str
    """`word`, one of `_MARKS`, or "" for a line that begins no block."""
    indent: int
    depth: int
    """The indentation; for headings, their level, too."""

    @staticmethod
    def of(line: str) -> _Head:
        text, width = line.lstrip(WHITESPACE), indent_width(line)
        first = text[:1]
        level = min(len(text) - len(text.lstrip("#")), _MOST_LEVELS - 1)
        is_word = first.isalnum() or first in ("_", "@")
        kind = "word" if is_word else first if first and first in _MARKS else ""
        return _Head(kind, width, width * _MOST_LEVELS + level)


def _scope_ends(lines: Sequence[str]) -> list[int]:
    """The end of the block that each line begins: the next line of its kind that is not deeper, or the file's end."""
    ends = [len(lines)] * len(lines)
    # For each kind, candidates below, nearest last: without one above them that is no deeper. And how deep they are.
    below: dict[str, tuple[list[int], list[int]]] = {kind: ([], []) for kind in ("word", *_MARKS)}
    words, depths = below["word"]
    for line in range(len(lines) - 1, -1, -1):
        kind, indent, depth = _Head.of(lines[line])
        n = (bisect_left if kind not in ("", "word") else bisect_right)(depths, indent * _MOST_LEVELS)
        if n:
            ends[line] = words[n - 1]
        if kind:
            mine, deep = below[kind]
            n = bisect_right(deep, depth)
            if n:
                ends[line] = min(ends[line], mine[n - 1])
            n = bisect_left(deep, depth)
            mine[n:], deep[n:] = [line], [depth]
    return ends
