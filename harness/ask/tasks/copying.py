"""The level `copy`: a change of a text as blocks of old and new lines, each wide enough to stand once."""

from __future__ import annotations

from collections.abc import Sequence

from editcore.text.diff import changed_ranges
from editcore.text.endings import line_feeds
from harness.ask.tasks.steps import LineChange, Lines, Replace, done

_WIDEST = 15
"""Lines that are shown around a change, at most, on either side."""


def lines_of(text: str) -> Lines:
    """The lines of a text as a model sees them: no carriage returns, and no blank one for a final line feed."""
    return Lines(line_feeds(text).removesuffix("\n").split("\n"))


def blocks(before: Lines, after: Lines) -> tuple[Replace, ...] | None:
    """The steps that make one list of lines of another; None where no block says it with certainty."""
    steps = _widened(before, changes(before, after))
    return steps if steps and done(before, steps) == after else None


def changes(before: Lines, after: Lines) -> list[LineChange]:
    """The changed lines, as few as the diff has."""
    old, new = ("".join(f"{line}\n" for line in lines) for lines in (before, after))
    return [
        LineChange(first - 1, last, tuple(text.removesuffix("\n").split("\n") if text else ()))
        if last >= first
        else LineChange(last, last, tuple(text.removesuffix("\n").split("\n")))
        for first, last, text in changed_ranges(old, new)
    ]


def _widened(before: Lines, changed: Sequence[LineChange]) -> tuple[Replace, ...] | None:
    """The changes with the lines around them; those that come to touch are one."""
    wide = [_unique(before, change.first, change.end) for change in changed]
    spans = list[tuple[int, int]]()
    for span in wide:
        if span is None:
            return None
        if spans and span[0] <= spans[-1][1]:
            above = spans.pop()
            span = above[0], max(above[1], span[1])
        spans.append(span)
    steps = list[Replace]()
    for first, end in spans:
        new, at = list[str](), first
        for change in changed:
            if first <= change.first and change.end <= end:
                new += (*before[at : change.first], *change.new)
                at = change.end
        steps.append(Replace(tuple(before[first:end]), (*new, *before[at:end])))
    return tuple(steps)


def _unique(lines: Lines, first: int, end: int) -> tuple[int, int] | None:
    """The narrowest span around lines that stands once."""
    for by in range(_WIDEST + 1):
        start, stop = max(first - by, 0), min(end + by, len(lines))
        if any(lines.bare[start:stop]) and len(lines.places(lines[start:stop])) == 1:
            return start, stop
    return None
