"""Stretches of lines, first and last, 1-based and inclusive; and where they are once the text has changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

Stretches = tuple[tuple[int, int], ...]
"""In order, none of which touch."""
Changes = Iterable[tuple[int, int, str]]
"""First and last line before, and the new text, in order: as `editcore.text.diff.changed_ranges` finds them."""


def joined(stretches: Iterable[tuple[int, int]]) -> Stretches:
    """The stretches in order, those that touch as one; none of one that ends above its start."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(one for one in stretches if one[0] <= one[1]):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return tuple(found)


def moved(lines: Stretches, changes: Changes) -> Stretches:
    """Where those lines are after changes which were not changed."""
    found: list[tuple[int, int]] = []
    rest, by = list(lines), 0
    for first, last, new in changes:
        found += [(start + by, min(end, first - 1) + by) for start, end in rest if start < first]
        rest = [(max(start, last + 1), end) for start, end in rest if end > last]
        by += _n_lines(new) - (last - first + 1)
    found += [(start + by, end + by) for start, end in rest]
    return joined(found)


def put_in(changes: Changes) -> Iterator[tuple[int, int]]:
    """The lines after changes that were put in; where some were only taken out, the last is one less than the first."""
    by = 0
    for first, last, new in changes:
        n_new = _n_lines(new)
        yield first + by, first + by + n_new - 1
        by += n_new - (last - first + 1)


def lines_in(stretches: Iterable[tuple[int, int]]) -> Iterator[int]:
    """The lines of the stretches."""
    for first, last in stretches:
        yield from range(first, last + 1)


def _n_lines(text: str) -> int:
    return text.count("\n") + bool(text and not text.endswith("\n"))
