"""Slips in the marks of a hunk's lines, undone if the file shows what was meant.

    written  |  x = 1     file  |  x = 1     The first mark is missing: the file has the whole line, and not the line
             |-  y = 2          |  y = 2     without its first character.

Undoing a slip gives another hunk. It is looked for if the hunk as written matches nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, groupby, pairwise
from math import gcd

from editcore.patches.placing.policy import changes
from editcore.text.line_index import MOST_LOOKED_FOR, LineIndex
from editcore.text.whitespace import indent, trim
from editcore.types import Hunk

SLIPS_EQUALITY = "right_trimmed"
"""The equality by which a hunk without its slips must match."""
_MOST_SPOTS = 5_000
"""Places of the rarest line of a hunk whose lines have two forms each."""
_MOST_READINGS = 8
"""Different hunks that such a hunk may mean."""
_MOST_RUNS = 4
"""Runs of blank lines whose combinations are all tried; with more runs, all are added."""
_NUMBER = re.compile(r"[ \t]*(\d{1,7})(?:→|\t| ?\| ?|: ?)")
_ESCAPED_TABS = re.compile(r"(?<=^[ +-])(?:\\t)+")
NO_SPACE = "context lines lacked their leading space"
NO_PLUS = "blank lines among added ones lacked their plus sign"


def without_slips(hunk: Hunk, seeker: LineIndex) -> Iterator[tuple[list[Hunk], str]]:
    """(hunks that may be meant instead, note) for each slip, likeliest first."""
    for undo, note in _SLIPS:
        found = undo(hunk, seeker)
        if found:
            yield found, note


def _with_spaces(hunk: Hunk, seeker: LineIndex) -> list[Hunk]:
    """The hunks in which the marks of some old lines are text, one for each combination that matches."""
    unmarked = set(hunk.unmarked)
    old = [n for n, line in enumerate(hunk.lines) if line[0] != "+"]
    forms = [(hunk.lines[n][1:],) if n in unmarked else (hunk.lines[n][1:], hunk.lines[n]) for n in old]
    found: dict[Hunk, None] = {}
    for place in _places(seeker, forms):
        lines = list(hunk.lines)
        for n, (form, *others), at in zip(old, forms, range(place, place + len(old)), strict=True):
            if others and not seeker.matches_at([form], SLIPS_EQUALITY, at):
                lines[n] = f" {hunk.lines[n]}"
        one = replace(hunk, lines=tuple(lines))
        if one != hunk and changes(one) == changes(hunk):
            found |= dict.fromkeys(_as_deep(hunk, one))
        if len(found) > _MOST_READINGS:
            return []
    return list(found)


def _as_deep(hunk: Hunk, found: Hunk) -> list[Hunk]:
    """What a hunk may mean if its context lacks a space: the mark of each context line, or a space of every line.

    Only added lines tell, by depths that the context has too; where they do not tell, the hunk may mean both. If some
    context lines lack no space, only added lines that are as deep as a line that lacks one may lack it too.
    """
    context = [line for line in found.lines if line[0] == " " and trim(line)]
    lacking = {indent(line[1:]) for line in hunk.lines if trim(line[1:]) and f" {line}" in context}
    # Lines at the margin, and only these, may be as they are in both readings.
    if all(indent(line[1:]) in ("", *lacking) for line in hunk.lines if trim(line[1:]) and line[0] != "+"):
        lacking |= {indent(line[1:]) for line in hunk.lines if line[0] == "+"} - {""}
    added = {indent(line[1:]) for line in hunk.lines if line[0] == "+" and trim(line[1:])} & lacking
    if not added or any("\t" in one for one in added):
        return [found]
    depths = {len(indent(line[1:])) for line in context}
    lines = [f"+ {line[1:]}" if line[0] == "+" and indent(line[1:]) in added else line for line in found.lines]
    shifted = replace(found, lines=tuple(lines))
    for fits in (depths.__contains__, lambda depth: depth % (gcd(*depths) or 1) == 0):
        kinds = [all(fits(depth + more) for depth in map(len, added) if depth) for more in (0, 1)]
        if kinds == [True, False]:
            return [found]
        if kinds == [False, True]:
            return [shifted]
    return [found, shifted]


def _places(seeker: LineIndex, forms: Sequence[tuple[str, ...]]) -> Iterator[int]:
    """The 0-based lines at which each line of a block matches in one of its forms; none if its lines are too common."""
    first = forms[:MOST_LOOKED_FOR]
    if not all(any(seeker.may_have(form, SLIPS_EQUALITY) for form in one) for one in first) or not first:
        return
    symbols = ["".join(filter(None, seeker.symbols(one, SLIPS_EQUALITY))) for one in forms]
    spots = [sum(len(seeker.spots(symbol, SLIPS_EQUALITY)) for symbol in one) for one in symbols]
    rarest = min(range(len(spots)), key=spots.__getitem__)
    if not all(symbols) or spots[rarest] > _MOST_SPOTS:
        return
    row = seeker.row(SLIPS_EQUALITY)
    for at in sorted(at for symbol in symbols[rarest] for at in seeker.spots(symbol, SLIPS_EQUALITY)):
        start = at - rarest
        if 0 <= start <= len(row) - len(forms) and all(row[start + n] in one for n, one in enumerate(symbols)):
            yield start


def with_added_blanks(hunk: Hunk, seeker: LineIndex) -> list[Hunk]:
    """The hunks in which some runs of blank context beside added lines are added too, for each combination of runs.

    A run with marks is context, unless it has added lines on both sides. A run at an end of the hunk is context.
    """
    unmarked = set(hunk.unmarked)
    runs: list[tuple[int, int]] = []
    for first, end in _blank_runs(hunk):
        around = (hunk.lines[first - 1 : first], hunk.lines[end : end + 1])
        n_added = sum(line[0][0] == "+" for line in around if line)
        if n_added == 2 or (n_added and first in unmarked and all(line and trim(line[0]) for line in around)):
            runs.append((first, end))
    if not runs or not _may_stand(hunk, seeker):
        return []
    few = len(runs) <= _MOST_RUNS
    picked = [one for n in range(1, len(runs) + 1) for one in combinations(runs, n)] if few else [tuple(runs)]
    return [_with_added(hunk, one) for one in picked]


def _may_stand(hunk: Hunk, seeker: LineIndex) -> bool:
    """True if the file may have all old lines, with their marks or without. Only the first ones are looked up."""
    old = [line for line in hunk.lines if line[0] != "+" and trim(line)][:MOST_LOOKED_FOR]
    return all(seeker.may_have(line[1:], SLIPS_EQUALITY) or seeker.may_have(line, SLIPS_EQUALITY) for line in old)


def _with_added(hunk: Hunk, runs: Sequence[tuple[int, int]]) -> Hunk:
    """The hunk in which the context lines of these runs, as (first, one past the last), are added."""
    added = {n for first, end in runs for n in range(first, end)}
    lines = tuple(["+" + line[1:] if n in added else line for n, line in enumerate(hunk.lines)])
    return replace(hunk, lines=lines, unmarked=tuple([n for n in hunk.unmarked if n not in added]))


def _blank_runs(hunk: Hunk) -> list[tuple[int, int]]:
    """(first, one past the last) of each run of blank context lines that all have marks, or all lack them."""
    unmarked = set(hunk.unmarked)
    kinds = ((n in unmarked) if line[0] == " " and not trim(line) else None for n, line in enumerate(hunk.lines))
    found: list[tuple[int, int]] = []
    at = 0
    for kind, run in groupby(kinds):
        end = at + len(list(run))
        if kind is not None:
            found.append((at, end))
        at = end
    return found


def _without_other_marks(hunk: Hunk, _: LineIndex) -> list[Hunk]:
    """The hunk without the tab or other whitespace in place of the leading space, if all unmarked lines have one."""
    marked = {n for n in hunk.unmarked if trim(hunk.lines[n])}
    if not marked or any(trim(hunk.lines[n][1]) for n in marked):
        return []
    lines = tuple([" " + line[2:] if n in marked else line for n, line in enumerate(hunk.lines)])
    return [replace(hunk, lines=lines, unmarked=())]


def _with_tabs(hunk: Hunk, _: LineIndex) -> list[Hunk]:
    r"""The hunk with tabs for the `\t` that its lines begin with."""
    lines = tuple([_ESCAPED_TABS.sub(lambda tabs: "\t" * (len(tabs[0]) // 2), line) for line in hunk.lines])
    return [replace(hunk, lines=lines)] if lines != hunk.lines else []


def _without_numbers(hunk: Hunk, _: LineIndex) -> list[Hunk]:
    """The hunk without line numbers, ascending by one, before all old lines. All added lines have some, or none.

    A number before an added line must be one of the hunk. If lines of the file begin with numbers, added ones may as
    well.
    """
    found = [(line, _NUMBER.match(line, 1)) for line in hunk.lines]
    numbers = [int(number[1]) if number else -2 for line, number in found if line[0] != "+"]
    if not numbers or numbers[0] < 0 or any(after != before + 1 for before, after in pairwise(numbers)):
        return []
    of_hunk = range(numbers[0], numbers[-1] + len(hunk.lines) + 1)
    found = [(line, number if number and int(number[1]) in of_hunk else None) for line, number in found]
    added = [number for line, number in found if line[0] == "+" and trim(line[1:])]
    if any(added) and not all(added):
        return []
    lines = tuple([line[0] + line[number.end() :] if number else line for line, number in found])
    if any(added) and any(_NUMBER.match(line, 1) for line in lines if line[0] != "+"):
        return []
    return [replace(hunk, lines=lines, source_start=numbers[0])]


def _without_blanks_past_end(hunk: Hunk, seeker: LineIndex) -> list[Hunk]:
    """The hunk without the blank context that it ends in, if its other lines are the last ones of the file."""
    lines = hunk.lines
    n = len(lines)
    while n and lines[n - 1][0] == " " and not trim(lines[n - 1]):
        n -= 1
    if n in (0, len(lines)):
        return []
    shorter = replace(
        hunk, lines=lines[:n], unmarked=tuple([one for one in hunk.unmarked if one < n]), end_of_file=True
    )
    old = shorter.old
    return [shorter] if old and seeker.matches_at(old, SLIPS_EQUALITY, len(seeker.lines) - len(old)) else []


def _with_added_blanks_and_spaces(hunk: Hunk, seeker: LineIndex) -> list[Hunk]:
    return [other for one in with_added_blanks(hunk, seeker) for other in _with_spaces(one, seeker)]


_SLIPS: tuple[tuple[Callable[[Hunk, LineIndex], list[Hunk]], str], ...] = (
    (_with_spaces, NO_SPACE),
    (with_added_blanks, NO_PLUS),
    (_without_other_marks, "context lines had other whitespace for their leading space"),
    (_with_tabs, "tabs were escaped"),
    (_without_numbers, "line numbers stood before the lines"),
    (_without_blanks_past_end, "blank lines past the end of the file were dropped"),
    (_with_added_blanks_and_spaces, f"{NO_PLUS}, and {NO_SPACE}"),
)
"""(undoes a slip, its note)."""
