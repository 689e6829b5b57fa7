"""Hunks in parts: lines far apart in the file under one header. Each part occurs once, and they are in the file's
order.

    hunk  | def f():         file  |def f():            read as  | def f():
          |-    return 1           |    return 1                 |-    return 1
          |+    return 2           |                             |+    return 2
          |-LAST = 1              |def g(): ...                 | and so on: the lines between
          |+LAST = 2              |LAST = 1                     |-LAST = 1
                                                                 |+LAST = 2

The parts must be the same from the top and from the bottom: then no line can belong to either of two. They meet
between context lines, or between lines that are replaced one by one. Any other border beside a change is refused
(None): what is left out there may be meant to go, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from editcore.patches.placing.alignment import EQUALITY, Aligned
from editcore.text.line_index import MOST_LOOKED_FOR, LineIndex
from editcore.text.whitespace import trim
from editcore.types import Hunk

_MOST_PARTS = 8
_LEAST_KNOWN = 8
"""Characters from which on a line is not added if a line left out equals it."""
NOTE = "lines between the parts of the hunk were left out"


class _Part(NamedTuple):
    """Old lines of a hunk that are together in the file."""

    first: int
    end: int
    line: int
    """The 0-based line of the file."""


def spread(seeker: LineIndex, hunk: Hunk) -> Aligned | None:
    """The hunk with the lines between its parts as context; None if a part is not certain."""
    old = hunk.old
    if not all(seeker.may_have(line, EQUALITY) for line in old[:MOST_LOOKED_FOR]):
        return None
    parts = _parts(seeker, old)
    if len(parts) < 2 or parts != _parts(seeker, old, from_end=True):
        return None
    if any(above.line + above.end - above.first > below.line for above, below in pairwise(parts)):
        return None
    lines = _with_lines_between(hunk, parts, seeker.lines)
    return None if lines is None else Aligned(replace(hunk, lines=lines), parts[0].line, (NOTE,))


def _parts(seeker: LineIndex, old: Sequence[str], *, from_end: bool = False) -> list[_Part]:
    """The longest parts from the top, or from the end; none if one of them does not occur exactly once."""
    parts: list[_Part] = []
    done = 0
    while done < len(old) and len(parts) < _MOST_PARTS:
        low, high = 0, len(old) - done
        places: Sequence[int] = ()
        while low < high:
            middle = (low + high + 1) // 2
            piece = old[len(old) - done - middle : len(old) - done] if from_end else old[done : done + middle]
            found = seeker.first_places(piece, EQUALITY, 2)
            if found:
                low, places = middle, found
            else:
                high = middle - 1
        first = len(old) - done - low if from_end else done
        if len(places) != 1 or not any(map(trim, old[first : first + low])):
            return []
        parts.append(_Part(first, first + low, places[0]))
        done += low
    if done < len(old):
        return []
    return parts[::-1] if from_end else parts


def _with_lines_between(hunk: Hunk, parts: Sequence[_Part], there: Sequence[str]) -> tuple[str, ...] | None:
    """The lines of the hunk with the file's lines between its parts; None if added lines may belong to either part."""
    at = [n for n, line in enumerate(hunk.lines) if line[0] != "+"]
    added = {trim(line[1:]) for line in hunk.lines if line[0] == "+" and len(trim(line[1:])) >= _LEAST_KNOWN}
    out = list(hunk.lines[: at[parts[0].end - 1] + 1])
    for above, below in pairwise(parts):
        top, bottom = at[above.end - 1], at[below.first]
        between = there[above.line + above.end - above.first : below.line]
        if not _is_border(hunk.lines, top, bottom) or any(trim(line) in added for line in between):
            return None
        out += hunk.lines[top + 1 : bottom]
        out += [f" {line}" for line in between]
        out += hunk.lines[bottom : at[below.end - 1] + 1]
    return tuple(out) + hunk.lines[at[-1] + 1 :]


def _is_border(lines: Sequence[str], top: int, bottom: int) -> bool:
    """True if two parts may meet between these old lines: in context, or between lines that are replaced one by one."""
    if bottom == top + 1:
        return lines[top][0] == lines[bottom][0] == " "
    signs = "".join([line[0] for line in lines])
    removed = len(signs[: top + 1]) - len(signs[: top + 1].rstrip("-"))
    below = signs[bottom:].lstrip("-")
    return (
        signs[bottom] == "-"
        and removed == bottom - top - 1
        and len(signs) - bottom - len(below) == len(below) - len(below.lstrip("+"))
    )
