"""Edits of lines that a formatter has changed since they were seen: merged into the formatted lines.

    seen  |f(a,          live  |    f(a, b)     edit  |f(a,          merged  |    f(a, b)
          |  b)                |    go('x')           |  b)                  |    if a:
          |go("x")                                   |if a:                 |      go('x')
                                                      |  go("x")

- `in_reformatted`: between two unchanged lines, both texts have the same characters but for whitespace and quotes. The
  lines are paired in the smallest groups that end at the same character.
- `reindent`: the whole file has another indentation. Lines with the same text show what each old indentation became.
  If all are multiples of one unit, as when four spaces became tabs, this also tells what a new line would get.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, chain, pairwise, takewhile

from editcore.stale.alignment import Alignment, Change, lines_of
from editcore.stale.edited import Part
from editcore.text.diff import changed_ranges
from editcore.text.keys import RIGHT_TRIMMED
from editcore.text.lines import line_spans, pieces_with, with_feeds
from editcore.text.whitespace import WHITESPACE, trim
from editcore.tiers import Query
from editcore.tiers.query import Place
from editcore.tiers.whole_lines import merge_at
from editcore.types import Applied, Edit, Match, Rejected

_CONTEXT = 20
"""Groups above and below an edit's own groups, which show how its lines are indented now."""
BARE = str.maketrans("'`", '""', WHITESPACE.replace("\n", ""))
"""Translation that drops what formatters change: whitespace goes, and all quotes become one."""


def in_reformatted(alignment: Alignment, part: Part) -> Change | None:
    """The part merged into its reformatted lines, as a change of `new`; None if it is doubtful, or they say others."""
    if not any(map(trim, part.new)) and not alignment.place_of(part.first, part.last).n_places:
        # The lines beside removed ones show where these were.
        above, below = alignment.with_telling(part.first, part.last)
        kept = alignment.old[above : part.first], alignment.old[part.last : below]
        part = Part(above, below, (*kept[0], *part.new, *kept[1]))
    place = _place(alignment, part)
    # Blank lines that a part begins or ends with are not among the lines that are paired.
    old = alignment.old[part.first : part.last]
    if place is None or any(_n_blank(old[::by]) != _n_blank(part.new[::by]) for by in (1, -1)):
        return None
    if (change := _among_blank_lines(alignment, part)) is not None:
        return change
    first, last, groups = place
    start, end = groups[0][1][0], groups[-1][1][-1] + 1
    old, there = alignment.old[first:last], alignment.new[start:end]
    new = [*alignment.old[first : part.first], *part.new, *alignment.old[part.last : last]]
    query = Query("".join(there), Edit("".join(old), "".join(new)), whole_lines=True)
    at, of_mine = (_numbered(lines, above) for lines, above in ((there, start), (old, first)))
    if len(query.view.solid) != len(at) or not of_mine or not query.new.solid:
        return None
    found = tuple([(_range(of_mine, mine), _range(at, theirs)) for mine, theirs in groups])
    result = merge_at(query, Place(query.view, found), RIGHT_TRIMMED, "stale", ("formatting",))
    return None if isinstance(result, Rejected) else (start, end, lines_of(result.content or ""))


def _among_blank_lines(alignment: Alignment, part: Part) -> Change | None:
    """The part as a change of `new`, if others have only added blank lines between its lines: these stay.

    seen  |go()     live  |go()     edit  |go()     written  |go()
          |end            |                                  |
                          |end

    None if others did more, or added a blank line between lines that the edit replaces as one block.
    """
    there = [n for n in alignment.there[part.first : part.last] if n is not None]
    if len(there) < max(part.last - part.first, 1):
        return None
    start, end = there[0], there[-1] + 1
    added = {*range(start, end)}.difference(there)
    if not added or any(trim(alignment.new[n]) for n in added):
        return None
    old, made = alignment.old[part.first : part.last], list[Change]()
    for line, last, text in changed_ranges("".join(old), "".join(part.new)):
        first = line - 1
        at = there[first - 1] + 1 if first else start
        if first < last:
            is_blank = not any(map(trim, old[first:last]))  # Any of several blank lines will do.
            place = there[first] if is_blank else alignment.place_of(part.first + first, part.first + last).at
            if place is None or not start <= place <= end - (last - first):
                return None
            if alignment.new[place : place + last - first] != old[first:last]:
                return None
            at = place
        made.append((at - start, at - start + last - first, with_feeds(text)))
    if any(end > below for (_, end, _), (below, *_) in pairwise(made)):
        return None
    return start, end, [*chain.from_iterable(pieces_with(alignment.new[start:end], made))]


def _n_blank(lines: Sequence[str]) -> int:
    """The number of blank lines that the lines begin with."""
    return sum(1 for _ in takewhile(lambda line: not trim(line), lines))


def _numbered(lines: Sequence[str], first: int) -> dict[int, int]:
    """The ordinal of each line with text, by its number; the first line has the number `first`."""
    return {n: k for k, n in enumerate([n for n, line in enumerate(lines, first) if trim(line)])}


def _range(numbers: dict[int, int], lines: Sequence[int]) -> range:
    return range(numbers[lines[0]], numbers[lines[-1]] + 1)


_Groups = list[tuple[list[int], list[int]]]


def _place(alignment: Alignment, part: Part) -> tuple[int, int, _Groups] | None:
    """(first, last, groups): the groups of the part and its context, and the lines of the old text in them."""
    about = part.first, part.last
    at = alignment.place_of(*about).at
    if at is not None:
        return _line_by_line(alignment, part, at)
    if alignment.moved_by(*about) is not None:  # Nobody formatted these: those beside them tell them from a copy.
        about = alignment.with_telling(*about)
        if alignment.moved_by(*about) is not None:
            return None  # Its neighbours do not tell it apart either: it may be a copy.
    if not _has_certain_ends(alignment, *about):
        return None
    (start, end), (first, last) = alignment.around(*about), alignment.between(*about)
    old, new = alignment.old[start:end], alignment.new[first:last]
    bare_old, bare_new = list(map(bare, old)), list(map(bare, new))
    if "".join(bare_old) != "".join(bare_new) or _may_have_moved(old, new) or _may_be_others(old, new):
        return None
    read_old, read_new = list(accumulate(map(len, bare_old))), list(accumulate(map(len, bare_new)))
    borders = sorted({*read_old} & {*read_new} - {0})
    groups: _Groups = [([], []) for _ in borders]
    for numbers, texts, read, side in ((start, bare_old, read_old, 0), (first, bare_new, read_new, 1)):
        group = 0
        for n, text in enumerate(texts):
            if not text:
                continue
            while borders[group] < read[n]:
                group += 1
            groups[group][side].append(numbers + n)
    of_part = [n for n, one in enumerate(groups) if one[0][0] < part.last and part.first <= one[0][-1]]
    if not of_part:
        return None
    shown = groups[max(of_part[0] - _CONTEXT, 0) : of_part[-1] + 1 + _CONTEXT]
    return min(shown[0][0][0], part.first), max(shown[-1][0][-1] + 1, part.last), shown


def _has_certain_ends(alignment: Alignment, first: int, last: int) -> bool:
    """True if the first and the last line with text of a block are certain where nobody has changed them."""
    tells = [n for n in range(first, last) if trim(alignment.old[n])]
    return all(alignment.there[n] in (None, alignment.place_of(n, n + 1).at) for n in {*tells[:1], *tells[-1:]})


def _line_by_line(alignment: Alignment, part: Part, at: int) -> tuple[int, int, _Groups] | None:
    """The groups of a part whose lines have a certain place, where only whitespace at their ends differs."""
    old, new, by = alignment.old, alignment.new, at - part.first
    pairs = zip(old[part.first : part.last], new[at : at + part.last - part.first], strict=True)
    respaced = [one for one, other in pairs if one.rstrip() != other.rstrip()]
    if respaced and not any(map(str.isalnum, "".join(respaced))):
        return None  # Brackets alone have another depth now: they may not be the brackets that were seen.
    first, last = part.first, part.last
    least, most = max(first - _CONTEXT, -by, 0), min(last + _CONTEXT, len(new) - by, len(old))
    while first > least and trim(old[first - 1]) == trim(new[first - 1 + by]):
        first -= 1
    while last < most and trim(old[last]) == trim(new[last + by]):
        last += 1
    groups = [([n], [n + by]) for n in range(first, last) if trim(old[n])]
    return (first, last, groups) if groups else None


def _may_have_moved(old: Sequence[str], new: Sequence[str]) -> bool:
    """True if the new lines are the old lines in another order, and two of them have the same text.

    seen  |go()    live  |        One of the calls may have moved above the other, with its blank line, or one blank
          |              |go()    line may have moved. Nothing tells which call is which.
          |go()          |go()
    """
    says = [said for said in map(bare, old) if said]
    return len(set(says)) < len(says) and sorted(old) == sorted(new)


def _may_be_others(old: Sequence[str], new: Sequence[str]) -> bool:
    """True if lines of brackets alone have another depth now: they may not be the brackets that were seen."""
    if any(map(str.isalnum, "".join(old))):
        return False
    return [line.rstrip() for line in old if trim(line)] != [line.rstrip() for line in new if trim(line)]


def bare(line: str) -> str:
    """The line without whitespace, with all quotes as one."""
    return line.removesuffix("\n").translate(BARE)


Reindent = Callable[[str], str | None]
"""A line -> the line with its current indentation; None if nothing shows what that is."""


def reindent(seen: str, live: str) -> Reindent | None:
    """A function that indents lines of `seen` as in `live`; None unless `live` is indented otherwise, in one regular
    way.
    """
    old, new = (_Lines(lines_of(text)) for text in (seen, live))
    if {*old.indents} <= {*new.indents}:
        return None
    table = _table(old, new)
    steps = sorted((one for one in table if one), key=len)
    if not any(one != table[one] for one in steps):
        return None
    unit = steps[0]
    # One depth alone may have become another by a shift, but not spaces tabs.
    is_regular = (len(steps) > 1 or {*unit} != {*table[unit]}) and all(
        table[one] == _scaled(one, unit, table[unit]) for one in steps
    )

    def reindented(line: str) -> str | None:
        text = line.lstrip(WHITESPACE)
        if not text:
            return line
        own = line[: -len(text)]
        other = table.get(own)
        if other is None and is_regular:
            other = _scaled(own, unit, table[unit])
        return None if other is None else other + text

    return reindented


class _Lines:
    """The lines with text, and the indentation of each."""

    def __init__(self, lines: list[str]) -> None:
        found = [(line, line[: -len(rest)]) for line in lines if (rest := line.lstrip(WHITESPACE))]
        self.lines, self.indents = [line for line, _ in found], [own for _, own in found]

    def said(self) -> list[str]:
        # As `bare`, of all lines at once, which is faster.
        return "".join(self.lines).removesuffix("\n").translate(BARE).split("\n")


def _table(old: _Lines, new: _Lines) -> Mapping[str, str]:
    """Old indentation -> new indentation, by lines with the same text; empty if one old indentation has become
    several.

    A text that is now more or less frequent is left out, since nothing tells which of its lines stayed: an `else:`
    may have been removed here and added at another depth.
    """
    said_old, said_new = old.said(), new.said()
    n_old, n_new = Counter(said_old), Counter(said_new)
    found: dict[str, str] = {}
    at_old = at_new = 0
    changes = changed_ranges(*("".join([f"{line}\n" for line in said]) for said in (said_old, said_new)))
    for first, last, text in [*changes, (len(said_old) + 1, len(said_old), "")]:
        n = first - 1 - at_old
        kept = zip(said_old[at_old:], old.indents[at_old:], new.indents[at_new : at_new + n], strict=False)
        for said, own, other in kept:
            if n_old[said] == n_new[said] and found.setdefault(own, other) != other:
                return {}
        at_old, at_new = last, at_new + n + text.count("\n")
    return found


def _scaled(own: str, unit: str, new: str) -> str | None:
    n, rest = divmod(len(own), len(unit))
    return None if rest or own != unit * n else new * n


def in_indentation(seen: str, mine: Applied, reindented: Reindent) -> tuple[str, Applied] | None:
    """The text that was seen, and the edit's result on it, in the current indentation; None if a new line has none."""
    assert mine.content is not None
    # A line whose indentation stands nowhere else was changed otherwise, too, and stays.
    lines = lines_of(seen)
    old = {line: reindented(line) or line for line in lines}
    new = [old.get(line) or reindented(line) for line in lines_of(mine.content)]
    if None in new:
        return None
    now = [old[line] for line in lines]
    starts = list(accumulate(map(len, now), initial=0))
    # An edit of all places is counted by its lines; any other one is merged change by change.
    rows = line_spans(seen, [(one.start, one.end) for one in mine.matches if mine.is_everywhere])
    matches = tuple([Match(starts[first], starts[last], "stale") for first, last in rows])
    return "".join(now), replace(mine, content="".join(filter(None, new)), matches=matches)
