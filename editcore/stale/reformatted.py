"""Lines that somebody has only formatted: the edit merged into them, as tiers merge one into what they forgive.

    seen  |f(a,          live  |\\tf(a, b)     edit  |f(a,          merged  |\\tf(a, b)
          |  b)                |\\tgo('x')           |  b)                  |\\tif a:
          |go("x")                                  |if a:                 |\\t\\tgo('x')
                                                    |  go("x")

Between two lines that were not changed, both texts have the same signs but for whitespace and quotes. Where as many of
them have been read at the end of a line of both, lines stand for each other, in groups as small as that makes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from editcore.stale.alignment import Alignment
from editcore.stale.edited import Part
from editcore.text.keys import RIGHT_TRIMMED
from editcore.text.whitespace import WHITESPACE, trim
from editcore.tiers import Query
from editcore.tiers.query import Place
from editcore.tiers.whole_lines import merge_at
from editcore.types import Applied, Edit

_CONTEXT = 20
"""Groups above and below those of an edit, which tell how its lines are indented now."""
BARE = str.maketrans("'`", '""', WHITESPACE.replace("\n", ""))
"""What formatters leave of the characters of a line; all quotes are one."""


def in_reformatted(live: str, alignment: Alignment, part: Part) -> Applied | None:
    """The part merged into lines that were only formatted; None where more became of them, or the merge is doubtful."""
    place = _place(alignment, part)
    if place is None:
        return None
    first, last, groups = place
    old = alignment.old[first:last]
    new = [*alignment.old[first : part.first], *part.new, *alignment.old[part.last : last]]
    query = Query(live, Edit("".join(old), "".join(new)), whole_lines=True)
    solid = [n for n, line in enumerate(alignment.new) if trim(line)]
    at = {n: k for k, n in enumerate(solid)}
    ours = [n for n in range(first, last) if trim(alignment.old[n])]
    if len(query.view.solid) != len(solid) or not ours or not query.new.solid:
        return None
    of_mine = {n: k for k, n in enumerate(ours)}
    found = tuple([(_range(of_mine, mine), _range(at, theirs)) for mine, theirs in groups])
    result = merge_at(query, Place(query.view, found), RIGHT_TRIMMED, "stale", ("formatting",))
    return result if isinstance(result, Applied) else None


def is_reformatted(alignment: Alignment, part: Part) -> bool:
    """Whether the lines between the unchanged ones about a part were only formatted."""
    return _place(alignment, part) is not None


def _range(numbers: dict[int, int], lines: Sequence[int]) -> range:
    return range(numbers[lines[0]], numbers[lines[-1]] + 1)


_Groups = list[tuple[list[int], list[int]]]


def _place(alignment: Alignment, part: Part) -> tuple[int, int, _Groups] | None:
    """The groups of a part with some about it, and the lines of the old text they have: first, one past the last."""
    about = part.first, part.last
    if alignment.moved_by(*about) is not None:  # Nobody formatted these: those beside them tell them from a copy.
        about = alignment.with_telling(*about)
        if alignment.moved_by(*about) is not None and not alignment.is_told_apart(part.first, part.last):
            return None  # Nor those beside them: they may be a copy.
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


def _may_have_moved(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether the lines of two texts that say the same are the same in another order, and some say the same.

    seen  |go()    live  |        One of the calls has been moved above the other, with its blank line;
          |              |go()    or one blank line has. Nothing tells which call is which.
          |go()          |go()
    """
    says = [said for said in map(bare, old) if said]
    return len(set(says)) < len(says) and sorted(old) == sorted(new)


def _may_be_others(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether lines of brackets alone stand at another depth: they may belong to others than those that went."""
    if any(map(str.isalnum, "".join(old))):
        return False
    return [line.rstrip() for line in old if trim(line)] != [line.rstrip() for line in new if trim(line)]


def bare(line: str) -> str:
    """What formatters leave of a line."""
    return line.removesuffix("\n").translate(BARE)
