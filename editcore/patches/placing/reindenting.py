"""Hunks whose lines match but for whitespace get the indentation of the file.

    hunk  |-go()        file  |    go()        becomes  |-    go()
          |+walk()                                      |+    walk()

Context stays as the file has it. The indentation of an added line is decided as for edits (`editcore.tiers.merging`).
A hunk is refused if that is not certain.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from editcore.patches.placing.policy import Placed
from editcore.text.keys import FOLDED
from editcore.text.view import FileView, Lines
from editcore.text.whitespace import WHITESPACE, indent, trim
from editcore.tiers.merging.frame import even
from editcore.tiers.merging.merge import Doubt, Merged, merged
from editcore.tiers.query import line_by_line
from editcore.types import Hunk

_LEAST_WIDTH = 2
"""The fewest spaces that can stand for one tab."""
_AROUND = 20
"""Lines above and below a place that are looked at with it, for blank lines among them."""


def reindented(found: Placed, old: Sequence[str], lines: Sequence[str], *, by_context: bool) -> Placed | None:
    """The hunk re-indented as the file is; None if the indentation of a new line is not certain.

    `old`: its old lines as they matched. `lines`: the lines of the file. With `by_context`, a hunk whose context is
    indented as the file is not shifted by some removed lines that are not.
    """
    # A space may follow each sign of the patch: then another reading of it decides (see `other_readings`).
    if _may_follow_spaces(found, lines):
        return None
    if not _is_shifted(found, lines, by_context=by_context):
        return None if _adds_like_misread(found, lines) else found
    found = replace(found, shifted=True)
    if not any(line[0] == "+" and trim(line[1:]) for line in found.hunk.lines):
        return found
    first = max(found.line - _AROUND, 0)
    view = FileView("".join([f"{line}\n" for line in lines[first : found.line + found.n_old + _AROUND]]))
    solid = Lines("".join([f"{line}\n" for line in old]))
    new = Lines("".join([f"{line}\n" for line in found.hunk.new]))
    at = bisect_left(view.at, found.line - first)
    pairs = list(zip(solid.indents, map(indent, view.solid[at:]), strict=False))
    if not _is_function(pairs) or (not all(map(_is_same_kind, pairs)) and _mixes_kinds(lines)):
        return None
    units = _units(pairs)
    if units is not None:
        hunk = _in_units(found.hunk, *units)
        if hunk is None:
            return None
        found = replace(found, hunk=hunk, notes=(*found.notes, "re-indented"))
        solid, new = (Lines("".join([f"{line}\n" for line in lines])) for lines in (hunk.old, hunk.new))
        # From here on the hunk has the file's units: its old indentations are the file's.
        pairs = [(one, one) for _, one in pairs]
    result = merged(line_by_line(view, at, len(solid.solid)), solid, new, FOLDED)
    # Edits may drop what they doubt; a hunk names every line, so its own old lines check the result.
    if isinstance(result, Doubt) or not _follows_old(found.hunk, view.all, pairs, result):
        return None
    if not _has_its_blanks(found, lines, result, first):
        return None
    notes = (*found.notes, "re-indented") if result.is_reindented else found.notes
    n_old = result.last - result.first
    return replace(
        found,
        hunk=_with_lines_of(view, found.hunk, result, dict(pairs)),
        line=first + result.first,
        n_old=n_old,
        notes=notes,
    )


def _follows_old(hunk: Hunk, lines: Sequence[str], pairs: Sequence[tuple[str, str]], result: Merged) -> bool:
    """True if each added line that is indented as an old line is written with the file's indentation of that line.

    `pairs`: the indentations of the old lines, in the hunk and in the file. If no indented line is as in the file,
    and the lines are not all off by the same, the hunk may use another unit. Then other indentations are not certain.
    """
    there = dict(pairs)
    is_certain = even(pairs) is not None or any(ours == theirs != "" for ours, theirs in pairs)
    written = {line for line in result.lines if isinstance(line, str)}
    written |= {lines[line] for line in result.lines if isinstance(line, int) and line < len(lines)}
    for text in (line[1:] for line in hunk.lines if line[0] == "+" and trim(line[1:])):
        start = indent(text)
        if start not in there:
            if not is_certain:
                return False
        elif there[start] + text[len(start) :] not in written:
            return False
    return True


def _has_its_blanks(found: Placed, lines: Sequence[str], result: Merged, first: int) -> bool:
    """True if the result has exactly the hunk's blank lines. Edits forgive blank lines; a hunk names each of them.

    `first`: the line of the file at which the numbers of the result begin.
    """
    above, below = lines[found.line : first + result.first], lines[first + result.last : found.line + found.n_old]
    merged_lines = [line if isinstance(line, str) else lines[first + line] for line in result.lines]
    after = [bool(trim(line)) for line in (*above, *merged_lines, *below)]
    return after == [bool(trim(line)) for line in found.hunk.new]


def _adds_like_misread(found: Placed, lines: Sequence[str]) -> bool:
    """True if an added line is indented like a removed line that the file indents otherwise."""
    misread: set[str] = set()
    at = found.line
    for line in found.hunk.lines:
        if line[0] == "-" and trim(line[1:]) and indent(line[1:]) != indent(lines[at]):
            misread.add(indent(line[1:]))
        at += line[0] != "+"
    return any(line[0] == "+" and trim(line[1:]) and indent(line[1:]) in misread for line in found.hunk.lines)


def _may_follow_spaces(found: Placed, lines: Sequence[str]) -> bool:
    """True if context is as in the file, and every removed line has one more space: it may follow the sign."""
    removed: list[bool] = []
    at = found.line
    for line in found.hunk.lines:
        if line[0] == " " and trim(line[1:]) and indent(line[1:]) != indent(lines[at]):
            return False
        if line[0] == "-" and trim(line[1:]):
            removed.append(indent(line[1:]) == " " + indent(lines[at]))
        at += line[0] != "+"
    return bool(removed) and all(removed)


def shows_indentation(found: Placed, lines: Sequence[str]) -> bool:
    """True if a hunk has an indented line of the file, with the file's own indentation."""
    there = lines[found.line : found.line + found.n_old]
    return not found.shifted and any(indent(line) for line in there if trim(line))


def _is_shifted(found: Placed, lines: Sequence[str], *, by_context: bool) -> bool:
    """True if context, or every removed line, is indented otherwise than in the file. Without context, any line."""
    context: list[bool] = []
    removed: list[bool] = []
    at = found.line
    for line in found.hunk.lines:
        if line[0] == "+":
            continue
        if trim(line[1:]):
            (context if line[0] == " " else removed).append(indent(line[1:]) != indent(lines[at]))
        at += 1
    if by_context and context:
        return any(context) or (bool(removed) and all(removed))
    return any((*context, *removed))


def _is_function(pairs: Iterable[tuple[str, str]]) -> bool:
    """True if every indentation of the hunk stands for only one of the file."""
    found: dict[str, str] = {}
    return all(found.setdefault(ours, theirs) == theirs for ours, theirs in pairs)


def _is_same_kind(pair: tuple[str, str]) -> bool:
    """True if two indentations use the same characters, or if one is the other behind more whitespace."""
    ours, theirs = pair
    return set(ours) == set(theirs) or ours.endswith(theirs) or theirs.endswith(ours)


def _units(pairs: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    """(unit of the hunk, unit of the file) if one indents by tabs and the other by spaces in constant ratio; else
    None.

    A line at the left margin or two depths must show that no level is missing.
    """
    shown = {pair for pair in pairs if any(pair)}
    if not shown or (len(shown) < 2 and ("", "") not in pairs) or any(not one for pair in shown for one in pair):
        return None
    for side in (0, 1):
        tabs, spaces = ({pair[n] for pair in shown} for n in (side, 1 - side))
        widths = {len(pair[1 - side]) / len(pair[side]) for pair in shown}
        if set("".join(tabs)) == {"\t"} and set("".join(spaces)) == {" "} and len(widths) == 1:
            width = int(widths.pop())
            return None if width < _LEAST_WIDTH else ("\t", " " * width) if side == 0 else (" " * width, "\t")
    return None


def _in_units(hunk: Hunk, ours: str, theirs: str) -> Hunk | None:
    """The hunk with the unit `theirs` for `ours`; None if a line has a part of a unit.

    None also if added lines have the hunk's unit and other lines the file's: they may be meant so.
    """
    indents = {(line[0], indent(line[1:])[:1]) for line in hunk.lines if trim(line[1:])}
    if ("+", ours[0]) in indents and any(first == theirs[0] for _, first in indents):
        return None
    lines: list[str] = []
    for line in hunk.lines:
        start = indent(line[1:])
        rest = start.lstrip(ours[0])
        n_units, part = divmod(len(start) - len(rest), len(ours))
        if part or (rest and (theirs == "\t" or "\t" in rest)):
            return None
        lines.append(line[0] + theirs * n_units + line[1 + n_units * len(ours) :])
    return replace(hunk, lines=tuple(lines))


def _mixes_kinds(lines: Sequence[str]) -> bool:
    """True if a file indents with several characters: then it does not show what another one stands for."""
    return len({character for line in lines if line[:1] in WHITESPACE and trim(line) for character in indent(line)}) > 1


def _with_lines_of(view: FileView, hunk: Hunk, result: Merged, there: Mapping[str, str]) -> Hunk:
    """The hunk with the file's own lines for its old ones, and the merged lines for its new ones.

    `there`: indentation of the hunk -> indentation of the file, for lines that consist of indentation.
    """
    out: list[str] = []
    done = result.first
    for line in result.lines:
        if isinstance(line, str):
            out.append(f"+{there.get(line, line) if line and not trim(line) else line}")
            continue
        if line < done:  # A blank line of the file that stands in the new text twice.
            out.append(f"+{view.all[line]}")
            continue
        out += [f"-{one}" for one in view.all[done:line]]
        out.append(f" {view.all[line]}")
        done = line + 1
    out += [f"-{one}" for one in view.all[done : result.last]]
    return replace(hunk, lines=tuple(out))
