"""Lines of a text: one splitter, one byte order mark; and stretches of lines, carried through a change of the text.

    text        "a\\r\\nb"
    pieces      ["a\\r", "b"]     what is between line feeds: `text.split("\\n")`
    with_feeds  ["a\\r\\n", "b"]  each line with its own line feed; the last one may have none

A line feed at the end of a text ends its last line. It does not begin another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

BOM = "\ufeff"
"""The byte order mark. Only at the start of a text is U+FEFF one; elsewhere it is a character."""


def with_feeds(text: str) -> list[str]:
    """The lines of `text`, each with its line feed; none is empty. Joined, they are `text` again."""
    # Not `splitlines`: form feeds and the like end no line here.
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


Pieces = TypeVar("Pieces", str, Sequence[str])


def pieces_with(of: Pieces, spans: Iterable[tuple[int, int, Pieces]]) -> Iterator[Pieces]:
    """The pieces of a text, or of lines, with each span (start, end, new) replaced. Spans ascend and do not overlap."""
    done = 0
    for start, end, new in spans:
        yield of[done:start]
        yield new
        done = end
    yield of[done:]


def n_lines(text: str) -> int:
    """The number of lines of `text`; a last line without a line feed counts."""
    return text.count("\n") + (text[-1:] not in ("", "\n"))


def mark_of(text: str) -> str:
    """The byte order mark of `text`; "" if it has none."""
    return BOM if text.startswith(BOM) else ""


Stretches = tuple[tuple[int, int], ...]
"""Stretches of lines as (first, last), 1-based and inclusive; in order, with a line or more between any two."""
Changes = Iterable[tuple[int, int, str]]
"""First and last line before, and the new text, in order: the result of `editcore.text.diff.changed_ranges`."""


def joined(stretches: Iterable[tuple[int, int]]) -> Stretches:
    """The stretches in order; stretches that overlap or touch are joined, empty ones (last < first) are dropped."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(one for one in stretches if one[0] <= one[1]):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return tuple(found)


def moved_stretches(lines: Stretches, changes: Changes) -> Stretches:
    """The unchanged lines of the stretches, by their numbers after the changes."""
    found: list[tuple[int, int]] = []
    rest, by = list(lines), 0
    for first, last, new in changes:
        found += [(start + by, min(end, first - 1) + by) for start, end in rest if start < first]
        rest = [(max(start, last + 1), end) for start, end in rest if end > last]
        by += n_lines(new) - (last - first + 1)
    found += [(start + by, end + by) for start, end in rest]
    return joined(found)


def put_in(changes: Changes) -> Iterator[tuple[int, int]]:
    """The new lines of each change, by their numbers after all changes; last is first - 1 for a mere deletion."""
    by = 0
    for first, last, new in changes:
        n_new = n_lines(new)
        yield first + by, first + by + n_new - 1
        by += n_new - (last - first + 1)


def lines_in(stretches: Iterable[tuple[int, int]]) -> Iterator[int]:
    """Every line number of the stretches."""
    for first, last in stretches:
        yield from range(first, last + 1)


def line_spans(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The lines of each span of `text`, as (first, last); an empty span at the start of a line means the line above."""
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
