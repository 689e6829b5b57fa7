"""Where an edit was applied, in lines of the file as it is now, for the model that sent it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from editcore.text.diff import changed_ranges
from editcore.types import Applied

_EXACT = frozenset({"exact", "simple", "multi_occurrence", "line_endings", "insert", "append"})
_MOST_NAMED = 6
"""Changes whose lines are named."""
_MOST_SHOWN, _AT_ENDS = 3, 2
"""Lines of a change that are shown, and those at each end of a longer one."""
_MOST_CHANGES_SHOWN = 2
_LONGEST = 160
"""Characters of a line that are shown."""


class _Lines(NamedTuple):
    """Lines of the file as it is now, 1-based; the last is one less than the first where lines were only removed."""

    first: int
    last: int
    n_removed: int


def where_applied(
    before: str, after: str, result: Applied, *, around: int | None = 0, what: str = "Edit applied successfully"
) -> list[str]:
    """The lines for the model: what was changed where, and how the lines are now where the match was not exact.

    With `around`, the changed lines are shown in any case, with as many on each side; None for a tool that shows them
    itself. The first line begins with `what`.
    """
    changes = list(_changes(before, after))
    n_places = max(len(result.matches), len(result.landings))
    places = f" in {n_places} places" if n_places > 1 else ""
    named = ", ".join(map(_named, changes[:_MOST_NAMED]))
    more = f" and {len(changes) - _MOST_NAMED} more" if len(changes) > _MOST_NAMED else ""
    lines = [f"{what}{places}{': ' if named else ''}{named}{more}."]
    if around is None:
        return lines
    found = _inexact(result)
    if found:
        lines.append(f"The match was not exact, but by {', '.join(found)}. These lines are now:")
    if found or around:
        rows = after.split("\n")
        for change in changes[:_MOST_CHANGES_SHOWN]:
            lines += _shown(rows, change, around)
    return lines


def is_exact(finder: str | None) -> bool:
    """Whether what found a place takes only text that is there to the letter, line endings aside."""
    return finder is None or finder in _EXACT


def _changes(before: str, after: str) -> Iterator[_Lines]:
    moved = 0
    for first, last, new in changed_ranges(before, after):
        n_new = new.count("\n") + (not new.endswith("\n") and bool(new))
        start = first + moved
        yield _Lines(start, start + n_new - 1, last - first + 1)
        moved += n_new - (last - first + 1)


def _named(change: _Lines) -> str:
    if change.last < change.first:
        removed = f"{change.n_removed} line{'s' if change.n_removed > 1 else ''} removed"
        return f"{removed} {f'below line {change.first - 1}' if change.first > 1 else 'at the start'}"
    return f"line {change.first}" if change.first == change.last else f"lines {change.first}-{change.last}"


def _inexact(result: Applied) -> list[str]:
    """What found the places, other than exactly; empty where all were."""
    found = {result.replacer: None} if result.replacer else {one.equality: None for one in result.landings}
    return [name for name in found if not is_exact(name)]


def _shown(rows: Sequence[str], change: _Lines, around: int) -> Iterator[str]:
    """The lines of a change with their numbers, those in the middle of a long one left out."""
    start, end = change.first - around, change.last + 1 + around
    parts = [range(start, end)]
    if change.last - change.first > _MOST_SHOWN:
        parts = [range(start, change.first + _AT_ENDS), range(change.last + 1 - _AT_ENDS, end)]
    n_rows = len(rows) - (not rows[-1])
    for at, part in enumerate(parts):
        if at:
            yield "..."
        for number in part:
            if 1 <= number <= n_rows:
                row = rows[number - 1].removesuffix("\r")
                yield f"{number}: {row if len(row) <= _LONGEST else f'{row[:_LONGEST]}...'}"
