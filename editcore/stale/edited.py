"""What an edit does to the text that was seen: the lines that it needs unchanged (`Part`), and the lines it writes.

search text  |go()        seen  |a = 1        part: lines 1 to 2, which become `go(2)`, `b = 1`
             |b = 1             |go()         change: line 1 alone, which becomes `go(2)`
                                |b = 1
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import itemgetter

from editcore.stale.alignment import lines_of
from editcore.text.diff import changed_ranges
from editcore.text.lines import line_spans, pieces_with, with_feeds
from editcore.text.whitespace import trim
from editcore.types import Applied


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of the text that was seen that the edit depends on, and what they become."""

    first: int
    """0-based."""
    last: int
    """One past the last line; greater than `first`, except in a text without lines."""
    new: tuple[str, ...]
    """Lines with their line feeds."""


class Edited:
    """An edit of the text that was seen: the lines of its search texts, and the lines that it changes."""

    def __init__(self, seen: str, mine: Applied, old: Sequence[str]) -> None:
        """Compare `seen`, whose lines are `old`, with the result `mine` of the edit on it."""
        self._old, new = old, lines_of(mine.content or "")
        self.spans = line_spans(seen, [(one.start, one.end) for one in mine.matches])
        first, last = self.spans[0] if len(self.spans) == 1 else (0, len(old))
        end = len(new) - (len(old) - last)
        if end < first or new[:first] != [*old[:first]] or new[end:] != [*old[last:]]:
            first, last, end = 0, len(old), len(new)
        # A diff of the whole texts may slide a change along equal lines, away from the lines that were searched for.
        self.changes = [
            (first + start - 1, first + stop, with_feeds(text))
            for start, stop, text in changed_ranges("".join(old[first:last]), "".join(new[first:end]))
        ]

    def parts(self, *, context: int | None = None) -> list[Part]:
        """The parts of the edit, in order; no two touch.

        By default a part is the lines of a search text. With `context`, it is a change with that many lines on either
        side, and more until one of them has text. So it is for an edit that does not tell its matches, such as a
        patch: one line on either side. Lines are added below the line above them; at the start of a text, above its
        first line.
        """
        old, matched = (
            self._old,
            [one for one in _joined(self.spans) if self._has_change(*one)] if context is None else [],
        )
        spans, around = [*matched], 0 if matched else 1 if context is None else context
        for first, last, _ in self.changes:
            n = bisect_right(matched, first, key=itemgetter(0)) - 1
            if n < 0 or matched[n][1] < last:
                reach = max(around, int(first == last))
                spans.append(self._reaching(first, last, reach, around))
        parts: list[Part] = []
        for first, last in _joined(spans):
            last = min(max(last, first + 1), len(old))
            above = bisect_left(self.changes, first, key=itemgetter(0))
            inside = self.changes[above : bisect_right(self.changes, last, key=itemgetter(1))]
            pieces = pieces_with(old[first:last], ((start - first, end - first, new) for start, end, new in inside))
            parts.append(Part(first, last, tuple(chain.from_iterable(pieces))))
        return parts

    def _has_change(self, first: int, last: int) -> bool:
        """True if the edit changes something there: the matches of a list of edits are of texts between."""
        n = bisect_left(self.changes, first, key=itemgetter(1))
        return n < len(self.changes) and self.changes[n][0] <= last

    def _reaching(self, first: int, last: int, above: int, below: int) -> tuple[int, int]:
        """The block with `above` and `below` more lines, and with further ones until a line with text is reached."""
        start, end = max(first - above, 0), min(last + below, len(self._old))
        if below:
            up, down = (bisect_left(self._telling, n) for n in (first, last))
            start = min(start, self._telling[up - 1] if up else 0)
            end = max(end, self._telling[down] + 1 if down < len(self._telling) else len(self._old))
        return start, end

    @cached_property
    def _telling(self) -> list[int]:
        return [n for n, line in enumerate(self._old) if trim(line)]


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order; spans that share a line or a border are joined."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if found and first <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    return found
