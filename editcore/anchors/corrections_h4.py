"""What oh-my-pi 17.3 corrects in the new lines of H4 without a parser; one function each."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from functools import partial

from editcore.anchors.change import Change, named_lines
from editcore.anchors.corrections import Correction
from editcore.errors import PatchError
from editcore.text import whitespace
from editcore.text.whitespace import SPACES_AND_TABS
from editcore.types import Reason

_indent = partial(whitespace.indent, of=SPACES_AND_TABS)
_CLOSER = re.compile(r"\s*[)\]}]+[;,]?\s*")


def border_echo(change: Change, lines: Sequence[str]) -> Change:
    """Drops new lines that are exactly those above or below the range, if the others fill it; else refuses.

    Raises PatchError where lines of one side are repeated and the others are fewer than the range has.
    """
    if not change.n_lines:
        return change
    above, below = lines_repeated_above(change, lines), lines_repeated_below(change, lines)
    if above and below:
        fills = len(change.new) - above - below == change.n_lines
        return replace(change, new=change.new[above : len(change.new) - below]) if fills else change
    if not (above or below) or change.n_lines == 1:
        return change
    if len(change.new) - above - below < change.n_lines:
        where = f"opens with the {above} line(s) just above" if above else f"ends with the {below} line(s) just below"
        raise PatchError(
            f"`PUT {change.first}.={change.last}:` rejected: the body {where} the range, but is too short to be all of "
            "it. Issue the range of exactly the lines that change, and the body as their complete final content.",
            reason=Reason.AMBIGUOUS,
        )
    return replace(change, new=change.new[above : len(change.new) - below])


def border_indentation(change: Change, lines: Sequence[str]) -> Change:
    """Indents new lines that would leave the block opened above, if most lines are the old ones less indented."""
    if change.kind != "replace" or len(change.new) != change.n_lines or change.first < 2:
        return change
    opener, old = lines[change.first - 2], lines[change.first - 1 : change.last]
    width = len(_indent(opener))
    if not opener.rstrip().endswith("{") or len(_indent(old[0])) <= width or len(_indent(change.new[0])) > width:
        return change
    shifts = list[str]()
    for was, now in zip(old, change.new, strict=True):
        if was.strip() and was.lstrip() == now.lstrip():
            if not _indent(was).endswith(_indent(now)):
                return change
            shifts.append(_indent(was)[: len(_indent(was)) - len(_indent(now))])
    if len(shifts) < 2 or 2 * len(shifts) <= len(change.new) or len({*shifts}) != 1 or not shifts[0]:
        return change
    return replace(change, new=tuple([shifts[0] + line if line.strip() else line for line in change.new]))


def lines_repeated_above(change: Change, lines: Sequence[str]) -> int:
    """The most new lines at the start that are those above the range or the gap, not all of them blank."""
    above = change.first - (change.kind != "after")
    return _repeated(change.new, lines[max(above - len(change.new), 0) : above])


def lines_repeated_below(change: Change, lines: Sequence[str]) -> int:
    """The most new lines at the end that are those below the range or the gap, not all of them blank."""
    below = change.last - (change.kind == "before")
    return _repeated(change.new[::-1], lines[below : below + len(change.new)][::-1])


def _repeated(new: Sequence[str], outside: Sequence[str]) -> int:
    """The most of the first new lines that are the last of those outside, not all of them blank."""
    # What both ends have in common, by the borders of new lines + outside, which takes time linear in their number.
    row = [*new, None, *outside]
    borders = [0] * len(row)
    for n in range(1, len(row)):
        length = borders[n - 1]
        while length and row[n] != row[length]:
            length = borders[length - 1]
        borders[n] = length + (row[n] is not None and row[n] == row[length])
    longest = borders[-1] if outside else 0
    return longest if any(map(str.strip, new[:longest])) else 0


def landed(changes: Sequence[Change], lines: Sequence[str]) -> list[Change]:
    """The changes, lines that are put below deeper ones moved past the closing brackets that end these.

    They go below the last line of brackets alone that is not shallower than they are, if no change is about it.
    """
    named = {*named_lines(changes)}
    return [replace(one, first=at, last=at) if (at := _landing(one, lines, named)) else one for one in changes]


def _landing(change: Change, lines: Sequence[str], named: Set[int]) -> int | None:
    """The line below which the new lines belong; None where that is their own, or where another change is about it."""
    if change.kind != "after" or not change.is_anchored or not lines[change.first - 1].strip():
        return None
    depth, found = _depth(change.new), None
    if depth is None or not _is_deeper(_indent(lines[change.first - 1]), depth):
        return None
    for n in range(change.first + 1, len(lines) + 1):
        line = lines[n - 1]
        if not line.strip():
            continue
        if not _CLOSER.fullmatch(line) or not _indent(line).startswith(depth):
            break
        if n in named:
            return None
        found = n
        if len(_indent(line)) == len(depth):
            break
    return found


def _depth(lines: Sequence[str]) -> str | None:
    """The least indentation of lines; None of brackets alone, and where tabs and spaces are mixed."""
    said = [line for line in lines if line.strip()]
    if all(map(_CLOSER.fullmatch, said)):
        return None
    least = min(map(_indent, said), key=len)
    return least if all(_indent(line).startswith(least) for line in said) else None


def _is_deeper(one: str, other: str) -> bool:
    return len(one) > len(other) and one.startswith(other)


LANDING = "landing"
"""The name of the correction that moves lines: it looks at all changes, after the others."""
H4_CORRECTIONS: dict[str, Correction] = {"border_indentation": border_indentation, "border_echo": border_echo}
"""Those of oh-my-pi 17.3 that need no parser and look at one change, in their order."""
