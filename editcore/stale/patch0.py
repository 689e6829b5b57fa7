"""The rule `patch0`: makes the edit of the text that was seen, and applies its diff to the text of now, without fuzz.

What pi-hashline-edit does with a version that it remembers: each hunk has three lines of context on either side, all of
which must stand in a row. Of several such places the nearest to the line where the hunk would be is taken.
"""

from __future__ import annotations

from itertools import pairwise

from editcore.stale.alignment import lines_in, lines_of
from editcore.stale.gate import has_changed
from editcore.stale.rule import Decide, of_now
from editcore.text.diff import changed_ranges
from editcore.text.endings import written_like
from editcore.types import EditResult, Rejected

_BOM = "\ufeff"
_CONTEXT = 3


def patch0(seen: str, live: str, decide: Decide) -> EditResult:
    """The diff of the edit, applied with offsets; a refusal where lines of a hunk stand nowhere in a row."""
    mine = decide(seen)
    if isinstance(mine, Rejected) or mine.content is None:
        return mine
    old, new, by = lines_of(seen), lines_of(live), 0
    above = 0
    for first, last, lines in _hunks(old, mine.content):
        at = _nearest(new, old[first:last], first + by, above)
        if at is None:
            return has_changed()
        new[at : at + last - first] = lines
        by, above = at - first + len(lines) - (last - first), at + len(lines)
    mark = _BOM if live.startswith(_BOM) else ""
    return of_now(mine, mark + written_like("".join(new), live.removeprefix(_BOM)))


def _hunks(old: list[str], content: str) -> list[tuple[int, int, list[str]]]:
    """The hunks of the diff: the lines of the old text, context included, and those in their place."""
    changes = changed_ranges("".join(old), "".join(lines_of(content)))
    groups = [[change] for change in changes[:1]]
    for above, below in pairwise(changes):
        if below[0] - above[1] - 1 <= 2 * _CONTEXT:
            groups[-1].append(below)
        else:
            groups.append([below])
    found: list[tuple[int, int, list[str]]] = []
    for group in groups:
        first, last = max(group[0][0] - 1 - _CONTEXT, 0), min(group[-1][1] + _CONTEXT, len(old))
        lines, done = list[str](), first
        for start, end, text in group:
            lines += [*old[done : start - 1], *lines_in(text)]
            done = end
        found.append((first, last, [*lines, *old[done:last]]))
    return found


def _nearest(lines: list[str], wanted: list[str], at: int, above: int) -> int | None:
    """Where lines stand in a row, nearest to a line and not above another; None if nowhere."""
    if not wanted:
        return min(max(at, above), len(lines))
    # Outward, since most hunks are where they should be: all places of each would take the square of a long patch.
    last = len(lines) - len(wanted)
    for distance in range(max(at - above, last - at, 0) + 1):
        for start in dict.fromkeys((at - distance, at + distance)):
            if above <= start <= last and lines[start : start + len(wanted)] == wanted:
                return start
    return None
