"""The rule `recommended`: the edit is made where the seen lines are now; lines that were changed are examined.

The problem. An edit is written against a text that has changed since. Matched with the current text, it may be
refused though nobody touched its lines. Worse, it may fit a copy of its lines that somebody has added:

    seen  |a = 1     edit  a = 1 -> a = 2     live  |a = 1      <- a copy, added by somebody else
          |go()                                     |stop()
                                                    |a = 1      <- the line that was meant
                                                    |go()

The idea. The text that was seen decides where the edit belongs, since the edit was written against it. A diff of both
texts says where these lines are now. Unchanged lines are replaced there. For changed lines the current text is asked:
an edit that fits it between the same neighbours, as after a formatter, is made. An edit that was made before is
refused as such. Any other edit is refused, and the refusal shows both versions.

The invariant. The rule overwrites only lines that the model has seen as they are, or that a careful cascade forgives,
and only at a place that every diff tells apart from its copies.

What does not work:

- Merging by changed lines alone, as `git merge-file` does: it refuses changes of neighbouring lines, and takes any of
  two copies for the original.
- Refusing every edit of a changed file (`gate`, `mtime`): half of the refusals in recorded sessions were for a change
  elsewhere in the file.
- Matching with the current text alone (`match_live`): see the example.

To add a case: write its rule here, and a family in `corpora.mutators.stale` with one edit that it makes right and a
sibling that must be refused.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter, itemgetter

from editcore.stale.alignment import Alignment, ended, lines_of
from editcore.stale.edited import Edited, Part, are_made
from editcore.stale.formatted import in_indentation, in_reformatted, is_reformatted, reindent
from editcore.stale.rule import NOTE, Decide, has_changed, merged, of_now, refused
from editcore.text.diff import changed_ranges
from editcore.text.endings import line_feeds
from editcore.text.lines import BOM
from editcore.text.whitespace import trim
from editcore.types import Applied, EditResult, Match, Reason, Rejected

_FEWEST = 12
"""Letters and digits that lines must have to be recognised where they were moved to."""


def recommended(seen: str, live: str, decide: Decide) -> EditResult:
    """The edit where its lines are now; a refusal where they were changed in what the edit is about."""
    if line_feeds(seen.removeprefix(BOM)) == line_feeds(live.removeprefix(BOM)):
        return decide(live)
    mine = decide(seen)
    if isinstance(mine, Rejected):
        return _of_another_text(mine, decide(live))
    if mine.content is None:
        return decide(live)
    if (how := reindent(seen, live)) is not None:
        as_now = in_indentation(seen, mine, how)
        if as_now is None:
            return has_changed()
        seen, mine = as_now
    alignment = Alignment(seen, live)
    edited = Edited(seen, mine, alignment.old)
    parts = edited.parts()
    if are_made(alignment.old, edited.changes, alignment.changes) or any(_is_added(alignment, one) for one in parts):
        return _made()
    if (placed := _placed(live, alignment, parts, mine)) is not None:
        return placed
    if any(_is_doubtful(alignment, one) for one in parts):
        return _not_told_apart()
    narrow = edited.parts(context=1)
    if (placed := _placed(live, alignment, narrow, mine)) is not None:
        return placed if _are_within(parts, narrow) else _unless_found_elsewhere(placed, decide(live))
    result = _where_lines_changed(live, alignment, parts, narrow, mine, decide)
    if result is not None:
        return result
    bare = edited.parts(context=0)
    if all(_is_line_by_line(alignment, one) for one in bare):
        if (placed := _placed(live, alignment, bare, mine)) is not None:
            return placed
    if any(_is_doubtful(alignment, one) for one in narrow):
        return _not_told_apart()
    return refused(alignment, narrow)


def _placed(live: str, alignment: Alignment, parts: list[Part], mine: Applied) -> Applied | None:
    """The current text with the parts made where their lines certainly are; None if that is uncertain for one.

    A part that somebody else has made is left out.
    """
    left = [one for one in parts if not _is_made(alignment, one)]
    places = [(at, one) for one in left if (at := _unchanged_at(alignment, one)) is not None]
    if not left or len(places) < len(left):
        return None
    places.sort(key=itemgetter(0))
    if any(at + one.last - one.first > below for (at, one), (below, _) in pairwise(places)):
        return None
    return merged(live, alignment, places, mine)


def _unchanged_at(alignment: Alignment, part: Part) -> int | None:
    """The certain place of the part, if its lines are there as they were."""
    at = alignment.place_of(part.first, part.last).at
    if at is None:
        return None
    there = alignment.new[at : at + part.last - part.first]
    return at if ended(there) == ended(alignment.old[part.first : part.last]) else None


def _is_doubtful(alignment: Alignment, part: Part) -> bool:
    """True if the part's lines are in several places, none of them certain."""
    found = alignment.place_of(part.first, part.last)
    return found.at is None and found.n_places > 1 and not _is_made(alignment, part)


def _are_within(parts: list[Part], others: list[Part]) -> bool:
    """True if each part lies within one of the others, so that its search text adds no evidence."""
    at = [bisect_right(others, one.first, key=attrgetter("first")) - 1 for one in parts]
    return all(n >= 0 and one.last <= others[n].last for n, one in zip(at, parts, strict=True))


def _unless_found_elsewhere(placed: Applied, now: EditResult) -> EditResult:
    """`placed`, which the diff of the changes found; refused if the whole search text finds another place, `now`.

    seen  |a()     live  |a()      The diff may say that `c()` moved below a new `b()`: then the first `b()` is the
          |b()           |b()      old one. The search text `b(), c()` finds the second: then the old one moved.
          |c()           |b()
          |b()           |c()
    """
    if isinstance(now, Applied) and now.content is not None and now.content != placed.content:
        return _not_told_apart()
    return placed


def _where_formatted(live: str, alignment: Alignment, parts: list[Part], mine: Applied) -> Applied | None:
    """The parts merged, each into lines that are unchanged or only reformatted; None if a part has other lines."""
    content, matches = live, list[Match]()
    for part in reversed(parts):
        # What is below a part stays, so the lines of those above it are the same.
        one = _placed(content, alignment, [part], mine)
        found = one or in_reformatted(content, alignment, part)
        if found is None or found.content is None:
            return None
        content, matches = found.content, [*found.matches, *matches]
    return of_now(mine, content, tuple(matches))


def _of_another_text(mine: Rejected, now: EditResult) -> EditResult:
    """The result for an edit that does not fit the text that was seen: the current text's result, if that is meant.

    A refusal of the seen text as ambiguous or without effect says nothing about the current text.
    """
    if isinstance(now, Rejected) or mine.reason is Reason.NO_MATCH:
        return now
    return replace(mine, candidates=())


def _where_lines_changed(
    live: str, alignment: Alignment, parts: list[Part], narrow: list[Part], mine: Applied, decide: Decide
) -> EditResult | None:
    """The result for lines that were reformatted, moved, or changed as the edit would; None if they were changed
    otherwise.
    """
    if all(_is_made(alignment, part) for part in narrow):
        return _made()
    now = decide(live)
    if isinstance(now, Applied):
        if _is_in_place(live, now, alignment, parts, narrow):
            return replace(now, notes=(*now.notes, NOTE))
    elif now.reason is Reason.IDENTICAL:
        return now
    return _where_formatted(live, alignment, narrow, mine)


def _is_made(alignment: Alignment, part: Part) -> bool:
    """True if the current text has the edit's new lines between the neighbours of its old ones."""
    first, last = alignment.between(part.first, part.last)
    return ended(alignment.new[first:last]) == ended(part.new) != ended(alignment.old[part.first : part.last])


def _is_added(alignment: Alignment, part: Part) -> bool:
    """True if somebody has already added the lines that the edit adds above or below lines that it keeps."""
    by, new = alignment.moved_by(part.first, part.last), ended(part.new)
    kept = ended(alignment.old[part.first : part.last])
    if by is None or len(new) <= len(kept):
        return False
    for above in range(len(new) - len(kept) + 1):
        start = part.first + by - above
        cut = max(-start, 0)  # Blank lines at an end of the text are no difference.
        if new[above : above + len(kept)] != kept or any(map(trim, new[:cut])):
            continue
        wanted, there = new[cut:], ended(alignment.new[start + cut : start + len(new)])
        if there in (wanted, _without_blank_end(wanted) if start + len(new) > len(alignment.new) else wanted):
            return True
    return False


def _without_blank_end(lines: list[str]) -> list[str]:
    return [*lines[: next((n for n in range(len(lines), 0, -1) if trim(lines[n - 1])), 0)]]


def _is_in_place(live: str, now: Applied, alignment: Alignment, parts: list[Part], narrow: list[Part]) -> bool:
    """True if `now` changes only the lines where the parts were, reformatted or put into a block."""
    if now.content is None or _is_deeper(live, now):
        return False
    wrapped = list[Part]()
    places = list[tuple[int, int]]()
    for one in parts:
        is_telling = _says_enough(alignment.old[one.first : one.last])
        if is_telling and (place := alignment.wrapped_at(one.first, one.last)):
            wrapped.append(one)
            places.append(place)
    for one in narrow:
        if is_reformatted(alignment, one):
            places.append(alignment.between(one.first, one.last))
        elif not any(whole.first < one.last and one.first < whole.last for whole in wrapped):
            return False  # Another part may have been matched where this one was meant.
    changes = changed_ranges("".join(alignment.new), "".join(lines_of(now.content)))
    return bool(changes) and all(
        any(start < first and last <= end for start, end in places) for first, last, _ in changes
    )


def _is_deeper(live: str, now: Applied) -> bool:
    """True if a match begins within an indented line: other lines of its new text would lack that indentation."""
    before = (live[live.rfind("\n", 0, one.start) + 1 : one.start] for one in now.matches)
    return any(text and not trim(text) for text in before)


def _is_line_by_line(alignment: Alignment, part: Part) -> bool:
    """True if the part replaces lines, and its neighbours are unchanged or were changed line by line."""
    kept = tuple(alignment.old[part.first : part.last])
    if kept in (part.new[: len(kept)], part.new[len(part.new) - len(kept) :]):
        return False  # Lines that are only added belong between two that stayed.
    return all(
        end - start == last - first
        for (start, end), (first, last) in (
            (alignment.around(at, at + 1), alignment.between(at, at + 1)) for at in (part.first - 1, part.last)
        )
    )


def _says_enough(lines: Iterable[str]) -> bool:
    return sum(map(str.isalnum, "".join(lines))) >= _FEWEST


def _made() -> Rejected:
    return Rejected(Reason.IDENTICAL, "the file has this change already: nothing is left to do.")


def _not_told_apart() -> Rejected:
    return Rejected(
        Reason.AMBIGUOUS,
        "the file was changed since you read it, and the lines of this edit stand in it several times now: read it "
        "again, and send the edit with lines around it that tell them apart.",
    )
