"""What an edit makes of the text that was seen: its lines, and what they become."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

from editcore.stale.alignment import lines_of
from editcore.text.diff import changed_ranges
from editcore.text.lines import with_feeds
from editcore.text.whitespace import trim
from editcore.types import Applied

_MOST_SLID = 50
"""Lines that a change is slid along, up and down."""


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of the text that was seen which belong to an edit, and what they become."""

    first: int
    """0-based."""
    last: int
    """One past the last line; never the first, but in a text without lines."""
    new: tuple[str, ...]
    """With their line feeds."""


class Edited:
    """An edit of the text that was seen: the lines of its search texts, and those that it changes."""

    def __init__(self, seen: str, mine: Applied, old: Sequence[str]) -> None:
        """Compare the text that was seen, whose lines are `old`, with what the edit makes of it."""
        self._old, new = old, lines_of(mine.content or "")
        self._spans = _line_spans(seen, [(one.start, one.end) for one in mine.matches])
        first, last = self._spans[0] if len(self._spans) == 1 else (0, len(old))
        end = len(new) - (len(old) - last)
        if end < first or new[:first] != [*old[:first]] or new[end:] != [*old[last:]]:
            first, last, end = 0, len(old), len(new)
        # A diff of the whole texts may slide a change along equal lines, away from the lines that were searched for.
        self.changes = [
            (first + start - 1, first + stop, with_feeds(text))
            for start, stop, text in changed_ranges("".join(old[first:last]), "".join(new[first:end]))
        ]

    def parts(self, *, context: int | None = None) -> list[Part]:
        """The lines of the edit, in order and apart.

        Lines are added below the line above them, or above the first line. With `context`, or where an edit does not
        say which lines it was matched with, as a patch, so many lines on either side of each change belong to it
        instead of those of its search text: one, if nothing is said; and more, until one of them is not blank.
        """
        old, matched = self._old, _joined(self._spans) if context is None else []
        spans, around = [*matched], 0 if matched else 1 if context is None else context
        for first, last, new in self.changes:
            n = bisect_right(matched, first, key=itemgetter(0)) - 1
            if n < 0 or matched[n][1] < last:
                reach = max(around, int(first == last))
                spans.append(self._reaching(*_slid(old, first, last, new), reach, around))
        parts: list[Part] = []
        for first, last in _joined(spans):
            last = last if last > first else min(first + 1, len(old))
            above = bisect_left(self.changes, first, key=itemgetter(0))
            inside = self.changes[above : bisect_right(self.changes, last, key=itemgetter(1))]
            parts.append(Part(first, last, tuple(_changed(old, first, last, inside))))
        return parts

    def _reaching(self, first: int, last: int, above: int, below: int) -> tuple[int, int]:
        """The lines with so many above and below, and with more where these are blank."""
        start, end = max(first - above, 0), min(last + below, len(self._old))
        if below:
            up, down = (bisect_left(self._telling, n) for n in (first, last))
            start = min(start, self._telling[up - 1] if up else 0)
            end = max(end, self._telling[down] + 1 if down < len(self._telling) else len(self._old))
        return start, end

    @cached_property
    def _telling(self) -> list[int]:
        """The lines that are not blank."""
        return [n for n, line in enumerate(self._old) if trim(line)]


def _slid(old: Sequence[str], first: int, last: int, new: Sequence[str]) -> tuple[int, int]:
    """The lines of all changes that give the same text: lines that are only added or removed slide along equal ones."""
    if (first < last) == bool(new):
        return first, last
    moving = list(new) or list(old[first:last])
    up = down = 0
    while up < min(first, _MOST_SLID) and old[first - 1 - up] == moving[-1 - up % len(moving)]:
        up += 1
    while down < min(len(old) - last, _MOST_SLID) and old[last + down] == moving[down % len(moving)]:
        down += 1
    return first - up, last + down


def _line_spans(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The lines of spans of a text: the first, and one past the last; for nothing at a line start, that above."""
    above: dict[int, int] = {}
    at = n = 0
    for offset in sorted({offset for span in spans for offset in span}):
        n += text.count("\n", at, offset)
        above[offset], at = n, offset
    found = list[tuple[int, int]]()
    for start, end in spans:
        ends_line = end > 0 and text[end - 1] == "\n"
        if start == end and ends_line:
            found.append((above[start] - 1, above[start]))
        else:
            found.append((above[start], max(above[end] + (not (end > start and ends_line)), above[start])))
    return found


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans, with those that share a line or a border made one."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if found and first <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    return found


def _changed(old: Sequence[str], first: int, last: int, changes: Sequence[tuple[int, int, list[str]]]) -> list[str]:
    out, done = list[str](), first
    for start, end, new in changes:
        out += [*old[done:start], *new]
        done = end
    return [*out, *old[done:last]]
