"""What an edit makes of the text that was seen: its lines, and what they become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editcore.stale.alignment import lines_of
from editcore.text.diff import changed_ranges
from editcore.text.whitespace import trim
from editcore.types import Applied


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
        new = "".join(lines_of(mine.content or ""))
        self._old = old
        self.changes = [(first - 1, last, lines_of(text)) for first, last, text in changed_ranges("".join(old), new)]
        self._spans = [_line_span(seen, one.start, one.end) for one in mine.matches]

    def parts(self, *, context: int | None = None) -> list[Part]:
        """The lines of the edit, in order and apart.

        Lines are added below the line above them, or above the first line. With `context`, or where an edit does not
        say which lines it was matched with, as a patch, so many lines on either side of each change belong to it
        instead of those of its search text: one, if nothing is said; and more, until one of them is not blank.
        """
        old, spans = self._old, list(self._spans) if context is None else []
        around = 0 if spans else 1 if context is None else context
        for first, last, _ in self.changes:
            if not any(start <= first and last <= end for start, end in spans):
                reach = max(around, int(first == last))
                spans.append(_reaching(old, first, last, reach, around))
        parts: list[Part] = []
        for first, last in _joined(spans):
            last = last if last > first else min(first + 1, len(old))
            inside = [one for one in self.changes if first <= one[0] and one[1] <= last]
            parts.append(Part(first, last, tuple(_changed(old, first, last, inside))))
        return parts


def _reaching(old: Sequence[str], first: int, last: int, above: int, below: int) -> tuple[int, int]:
    """The lines with so many above and below, and with more where these are blank."""
    start, end = max(first - above, 0), min(last + below, len(old))
    while below and start and not any(map(trim, old[start:first])):
        start -= 1
    while below and end < len(old) and not any(map(trim, old[last:end])):
        end += 1
    return start, end


def _line_span(text: str, start: int, end: int) -> tuple[int, int]:
    """The lines of a span of a text: the first, and one past the last; for nothing at a line start, that above."""
    if start == end and text[:start].endswith("\n"):
        line = text.count("\n", 0, start)
        return line - 1, line
    last = text.count("\n", 0, end) + (not (end > start and text[end - 1] == "\n"))
    first = text.count("\n", 0, start)
    return first, max(last, first)


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
