"""Edits of every place of a text, as `replace_all` makes them, in a text that others have changed.

    seen  |a = old()     live  |a = old()     edit  old -> new, everywhere     written  |a = new()
          |b = old()           |b=old()                                                 |b=new()
                               |c = old()     <- added by somebody else                 |c = new()

Every place of the current text is edited, and every place as read that others have only re-spaced. A place that others
deleted is gone. A place that others changed in words refuses the edit: what they wrote may still need it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import replace

from editcore.stale.alignment import Alignment
from editcore.stale.edited import Edited, Part
from editcore.stale.formatted import in_reformatted
from editcore.stale.rule import not_told_apart, of_now
from editcore.text.diff import changed_ranges
from editcore.text.lines import with_feeds
from editcore.types import Applied, EditResult, Reason, Rejected


def everywhere(
    live: str, alignment: Alignment, edited: Edited, mine: Applied, placed: EditResult, now: EditResult
) -> EditResult:
    """The edit at every place. `placed` is its result at the places as read, `now` its result on the current text."""
    if isinstance(now, Rejected) or now.content is None:
        return placed
    if isinstance(placed, Rejected) and placed.reason is Reason.IDENTICAL:
        results = [now]
    elif isinstance(placed, Rejected):
        changed = [one for one in edited.parts(context=0) if not _is_there(live, alignment, one, edited, now)]
        respaced = [in_reformatted(live, alignment, one) for one in changed]
        if not mine.matches or None in respaced:
            return placed
        results = [now, *filter(None, respaced)]
    else:
        results = [now, placed]
    content = _with_all(live, [one.content or "" for one in results])
    if content is None:
        return not_told_apart(alignment, edited.parts())
    return replace(of_now(mine, content, now.matches), notes=(*mine.notes, _note(live, alignment, now)))


def _is_there(live: str, alignment: Alignment, part: Part, edited: Edited, now: Applied) -> bool:
    """True if the current text has the part's places still, or their new text, or nothing where they were."""
    first, last = alignment.between(part.first, part.last)
    lines = alignment.new[first:last]
    if alignment.moved_by(part.first, part.last) is not None or lines in ([], [*part.new]):
        return True
    starts = _starts(live)
    n_now = sum(first <= bisect_left(starts, one.start + 1) - 1 < last for one in now.matches)
    return n_now >= sum(part.first <= above < part.last for above, _ in edited.spans)


def _starts(text: str) -> list[int]:
    found, at = [0], text.find("\n")
    while at >= 0:
        found.append(at + 1)
        at = text.find("\n", at + 1)
    return found


def _with_all(live: str, texts: Iterable[str]) -> str | None:
    """`live` with the changes to each of the texts; None if two changes overlap.

    In a line that the first text changes, where each place is edited as it stands now, no other text counts.
    """
    of_each = [[one for change in changed_ranges(live, text) for one in _line_by_line(*change)] for text in texts]
    done_lines = {n for first, last, _ in of_each[0] for n in range(first, last + 1)}
    more = {one for some in of_each[1:] for one in some if not done_lines.intersection(range(one[0], one[1] + 1))}
    changes = sorted({*of_each[0], *more})
    lines, out, done = with_feeds(live), list[str](), 0
    for first, last, new in changes:
        if first - 1 < done:
            return None
        out += [*lines[done : first - 1], new]
        done = last
    return "".join([*out, *lines[done:]])


def _line_by_line(first: int, last: int, new: str) -> Iterable[tuple[int, int, str]]:
    """The change of each line, if as many lines replace them."""
    lines = with_feeds(new)
    if len(lines) != last - first + 1:
        return [(first, last, new)]
    return [(n, n, line) for n, line in enumerate(lines, first)]


def _note(live: str, alignment: Alignment, now: Applied) -> str:
    starts, known = _starts(live), {*alignment.there}
    n_new = sum(bisect_left(starts, one.start + 1) - 1 not in known for one in now.matches)
    places = "1 place" if len(now.matches) == 1 else f"{len(now.matches)} places"
    return f"made in {places}" + (
        f", {n_new} of them in lines that were added or changed since the file was read" if n_new else ""
    )
