"""Edits of every place of a text, as `replace_all` makes them, in a text that others have changed.

    seen  |a = old()     live  |a = old()     edit  old -> new, everywhere     written  |a = new()
          |b = old()           |b=old()                                                 |b=new()
                               |c = old()     <- added by somebody else                 |c = new()

Every place of the current text is edited, and every place as read that others have only re-spaced. A place that others
deleted is gone. A place that others changed in words refuses the edit: what they wrote may still need it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from operator import itemgetter

from editcore.stale.alignment import Alignment, Change, lines_of
from editcore.stale.edited import Edited, Part
from editcore.stale.formatted import in_reformatted
from editcore.stale.rule import merged, not_told_apart, refused
from editcore.text.diff import changed_ranges
from editcore.text.lines import line_spans, with_feeds
from editcore.types import Applied, EditResult, Reason, Rejected


def everywhere(
    live: str, alignment: Alignment, edited: Edited, mine: Applied, placed: EditResult, now: EditResult
) -> EditResult:
    """The edit at every place. `placed` is its result at the places as read, `now` its result on the current text."""
    if isinstance(now, Rejected) or now.content is None:
        return placed
    rows = [first for first, _ in line_spans(live, [(one.start, one.end) for one in now.matches])]
    ours = [*_by_lines(alignment.new, (0, len(alignment.new), lines_of(now.content)))]
    # A line that the edit of the current text changes is right as it is there.
    done = {n for first, last, _ in ours for n in range(first, max(last, first + 1))}
    is_made = isinstance(placed, Rejected) and placed.reason is Reason.IDENTICAL
    for part in () if is_made else _rows(edited.parts(context=0)):
        if _is_there(alignment, part, edited, rows):
            continue
        change = in_reformatted(alignment, part) if mine.matches else None
        if change is None:
            return refused(alignment, [part])
        ours += [one for one in _by_lines(alignment.new, change) if done.isdisjoint(range(one[0], one[1] + 1))]
    ours.sort(key=itemgetter(0, 1))
    if any(last > below for (_, last, _), (below, _, _) in pairwise(ours)):
        return not_told_apart(alignment, edited.parts())
    note = _note(rows, {*alignment.there})
    return replace(merged(live, alignment, ours, mine), matches=now.matches, notes=(*mine.notes, note))


def _rows(parts: list[Part]) -> Iterator[Part]:
    """The parts. A part whose lines are replaced one by one is a part for each line: others may have made some."""
    for one in parts:
        if len(one.new) == one.last - one.first:
            yield from (Part(n, n + 1, (line,)) for n, line in enumerate(one.new, one.first))
        else:
            yield one


def _is_there(alignment: Alignment, part: Part, edited: Edited, rows: list[int]) -> bool:
    """True if the current text has the part's places still, or their new text, or nothing where they were.

    `rows` are the lines of the places in the current text.
    """
    first, last = alignment.between(part.first, part.last)
    if alignment.moved_by(part.first, part.last) is not None or alignment.new[first:last] in ([], [*part.new]):
        return True
    n_now, (above, below) = sum(first <= row < last for row in rows), alignment.around(part.first, part.last)
    return n_now >= sum(above <= row < below for row, _ in edited.spans)


def _by_lines(lines: list[str], change: Change) -> Iterator[Change]:
    """The change as small changes: of one line each, where as many lines replace them."""
    first, last, new = change
    for start, stop, text in changed_ranges("".join(lines[first:last]), "".join(new)):
        at, put = first + start - 1, with_feeds(text)
        if len(put) == stop - start + 1:
            yield from ((at + n, at + n + 1, [line]) for n, line in enumerate(put))
        else:
            yield at, first + stop, put


def _note(rows: list[int], known: set[int | None]) -> str:
    n_new = sum(row not in known for row in rows)
    places = "1 place" if len(rows) == 1 else f"{len(rows)} places"
    return f"made in {places}" + (
        f", {n_new} of them in lines that were added or changed since the file was read" if n_new else ""
    )
