"""The rule `recommended`: the edit is made where the seen lines are now; lines that were changed are examined.

The problem. An edit is written against a text that has changed since. Matched with the current text, it may be
refused though nobody touched its lines. Worse, it may fit a copy of its lines that somebody has added:

    seen  |a = 1     edit  a = 1 -> a = 2     live  |a = 1      <- a copy, added by somebody else
          |go()                                     |stop()
                                                    |a = 1      <- the line that was meant
                                                    |go()

The idea. The text that was seen decides where the edit belongs, since the edit was written against it. Its lines are
where every good alignment of both texts has them (`places`). Unchanged lines are replaced there, and lines that were
only reformatted get the edit merged into them. It is tried in two sizes:

    the lines of each search text        the model quoted them together, so their place is the best known
    each change alone                    a quoted line beside it was changed, or lines came or went there

An edit of lines that others changed in words is refused, and the refusal shows both versions. A part that others have
made is left out; if all of them are made, the edit is refused as done before. An edit of every place of a text has a
rule of its own (`everywhere`).

The invariant. The rule overwrites only lines that the model has seen as they are, or that a careful cascade forgives,
and only at a place that is certain.

What does not work:

- Merging by changed lines alone, as `git merge-file` does: it refuses changes of neighbouring lines, and takes any of
  two copies for the original.
- Refusing every edit of a changed file (`gate`, `mtime`): half of the refusals in recorded sessions were for a change
  elsewhere in the file.
- Matching with the current text alone (`match_live`): see the example.
- A size between the two, each change with its neighbours: the neighbour above says as much for the first of two copies
  as the one below says for the second. 11 of 80 drawn duplications were guessed.
- To quote whole hunks of a patch as search texts: of 44 drawn deletions beside an insertion, 4 got lines that belong to
  what was deleted.

To add a case: write its rule here, and a family in `corpora.mutators.stale` with one edit that it makes right and a
sibling that must be refused.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from operator import attrgetter, itemgetter

from editcore.stale.alignment import Alignment
from editcore.stale.edited import Edited, Part
from editcore.stale.everywhere import everywhere
from editcore.stale.formatted import in_indentation, in_reformatted, reindent
from editcore.stale.rule import Decide, has_changed, merged, not_told_apart, of_another_text, put_at, refused
from editcore.text.endings import line_feeds
from editcore.text.lines import BOM
from editcore.text.whitespace import trim
from editcore.types import Applied, EditResult, Reason, Rejected

_MOST_MERGED = 200
"""Parts that are merged one by one if one has reformatted lines; each costs a reading of the text."""


def recommended(seen: str, live: str, decide: Decide) -> EditResult:
    """The edit where its lines are now; a refusal where they were changed in what the edit is about."""
    if line_feeds(seen.removeprefix(BOM)) == line_feeds(live.removeprefix(BOM)):
        return decide(live)
    mine = decide(seen)
    if isinstance(mine, Rejected):
        return of_another_text(mine, decide(live))
    if mine.content is None:
        return decide(live)
    if (how := reindent(seen, live)) is not None:
        as_now = in_indentation(seen, mine, how)
        if as_now is None:
            return has_changed()
        seen, mine = as_now
    alignment = Alignment(seen, live)
    edited = Edited(seen, mine, alignment.old)
    placed = _placed(live, alignment, edited, mine, decide)
    return everywhere(live, alignment, edited, mine, placed, decide(live)) if mine.is_everywhere else placed


def _placed(live: str, alignment: Alignment, edited: Edited, mine: Applied, decide: Decide) -> EditResult:
    """The edit at the places as read."""
    quoted, near = edited.parts(), edited.parts(context=1)
    if any(_is_added(alignment, one) for one in quoted) or all(_is_made(alignment, one) for one in near):
        return _made()
    written = _written(live, alignment, [(one, _unchanged_at(alignment, one)) for one in quoted], mine)
    if written is not None:
        return written
    if any(_is_doubtful(alignment, one) for one in quoted):
        return not_told_apart(alignment, quoted)
    now = decide(live)
    if isinstance(now, Rejected) and now.reason is Reason.IDENTICAL:
        return now
    changes = [Part(first, last, tuple(new)) for first, last, new in edited.changes]
    written = _written(live, alignment, [(one, _changed_at(alignment, quoted, one)) for one in changes], mine)
    if written is None:
        return refused(alignment, near)
    # seen  |a()     live  |a()     The changed lines say that `c()` moved below a new `b()`: the first `b()` is the
    #       |b()           |b()     old one. The search text `b(), c()` finds the second: then the old one moved.
    #       |c()           |b()
    #       |b()           |c()
    is_elsewhere = isinstance(now, Applied) and now.content not in (None, written.content)
    return not_told_apart(alignment, quoted) if is_elsewhere else written


def _written(
    live: str, alignment: Alignment, parts: Sequence[tuple[Part, int | None]], mine: Applied
) -> Applied | None:
    """The current text with each part made at its place, or merged into its reformatted lines; else None.

    A part that somebody else has made is left out.
    """
    left = [(one, at) for one, at in parts if not _is_made(alignment, one)]
    done = [put_at(one, at) for one, at in left if at is not None]
    respaced = [one for one, at in left if at is None]
    if not left or len(respaced) > _MOST_MERGED:
        return None
    for part in respaced:
        change = in_reformatted(alignment, part)
        if change is None:
            return None
        done.append(change)
    done.sort(key=itemgetter(0, 1))
    if any(last > below for (_, last, _), (below, _, _) in pairwise(done)):
        return None
    return merged(live, alignment, done, mine)


def _changed_at(alignment: Alignment, quoted: Sequence[Part], change: Part) -> int | None:
    """The certain line of `new` where a change of `old` belongs, whatever became of the lines beside it."""
    if change.first < change.last:
        return _unchanged_at(alignment, change)
    return _added_at(alignment, quoted, change.first)


def _added_at(alignment: Alignment, parts: Sequence[Part], border: int) -> int | None:
    """The line of `new` above which lines belong that the edit adds above line `border` of `old`.

    The nearest unchanged lines must be certain. Of the quoted lines either all are unchanged, or the first and the last
    one, or a line at the border while others were changed line by line.
    """
    (start, end), (first, last) = alignment.around(border, border), alignment.between(border, border)
    above, below = alignment.with_telling(start, end)
    sides = [(one, other) for one, other in ((above, start), (end, below)) if one < other]
    if any(alignment.place_of(*side).at != alignment.there[side[0]] for side in sides):
        return None
    n = bisect_left(parts, border, key=attrgetter("last"))
    if n == len(parts) or parts[n].first > border or parts[n].first == parts[n].last:
        return None
    quoted = parts[n]
    lines = range(quoted.first, quoted.last)
    tells = [n for n in lines if trim(alignment.old[n])] or lines
    stays = {n for n in lines if alignment.there[n] is not None}
    if {tells[0], tells[-1]} <= stays:
        return first + border - start if end - start == last - first else last
    is_one_by_one = end - start == last - first and not stays.isdisjoint({border - 1, border}.intersection(tells))
    return first + border - start if is_one_by_one else None


def _unchanged_at(alignment: Alignment, part: Part) -> int | None:
    """The certain place of the part, if its lines are there as they were."""
    at = alignment.place_of(part.first, part.last).at
    if at is None:
        return None
    there = alignment.new[at : at + part.last - part.first]
    return at if there == alignment.old[part.first : part.last] else None


def _is_doubtful(alignment: Alignment, part: Part) -> bool:
    """True if the part's lines say something and are in several places, none of them certain."""
    if not any(map(trim, alignment.old[part.first : part.last])) or _is_made(alignment, part):
        return False
    found = alignment.place_of(part.first, part.last)
    return found.at is None and found.n_places > 1


def _is_made(alignment: Alignment, part: Part) -> bool:
    """True if the current text has the edit's new lines between the neighbours of its old ones."""
    first, last = alignment.between(part.first, part.last)
    return alignment.new[first:last] == [*part.new] != alignment.old[part.first : part.last]


def _is_added(alignment: Alignment, part: Part) -> bool:
    """True if somebody has already added the lines that the edit adds above or below lines that it keeps."""
    by, new = alignment.moved_by(part.first, part.last), [*part.new]
    kept = alignment.old[part.first : part.last]
    if by is None or len(new) <= len(kept):
        return False
    for above in range(len(new) - len(kept) + 1):
        start = part.first + by - above
        cut = max(-start, 0)  # Blank lines at an end of the text are no difference.
        if new[above : above + len(kept)] != kept or any(map(trim, new[:cut])):
            continue
        wanted, there = new[cut:], alignment.new[start + cut : start + len(new)]
        wanted = _without_blank_end(wanted) if there != wanted and start + len(new) > len(alignment.new) else wanted
        if there == wanted and len(wanted) > len(kept):
            return True
    return False


def _without_blank_end(lines: list[str]) -> list[str]:
    return [*lines[: next((n for n in range(len(lines), 0, -1) if trim(lines[n - 1])), 0)]]


def _made() -> Rejected:
    return Rejected(Reason.IDENTICAL, "the file has this change already: nothing is left to do.")
