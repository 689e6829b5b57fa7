"""Slips in the marks of a hunk's lines, undone where the file shows what was meant.

    written  |  x = 1     file  |  x = 1     A context line without its space is taken as a whole line, where that
             |-  y = 2          |  y = 2     stands in the file and the line without its first character does not.

Every slip gives another hunk, which is looked for where the hunk as written matches nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from editcore.document import trim
from editcore.patches.placing.policy import changes
from editcore.patches.placing.seek import Seeker
from editcore.types import Hunk

_TIER = "right_trimmed"
_MOST_FOUND = 200_000
"""Places of single lines that are looked at to find a hunk whose lines may each be one of two."""
_MOST_READINGS = 8
"""Different hunks that the places of such a hunk may give."""
NO_SPACE = "context lines lacked their leading space"


def without_slips(hunk: Hunk, seeker: Seeker) -> Iterator[tuple[list[Hunk], str]]:
    """The hunks that may be meant instead, likeliest first, with a note; several where a slip has several readings."""
    spaced = _with_spaces(hunk, seeker)
    if spaced:
        yield spaced, NO_SPACE
    for one, note in (
        (with_added_blanks(hunk), "blank lines among added ones lacked their plus sign"),
        (_without_doubled_signs(hunk), "signs were doubled"),
        (_without_other_marks(hunk), "context lines had other whitespace for their leading space"),
    ):
        if one is not None:
            yield [one], note


def _with_spaces(hunk: Hunk, seeker: Seeker) -> list[Hunk]:
    """The hunks with the marks of some old lines taken as text, one for each way that stands in the file."""
    unmarked = set(hunk.unmarked)
    old = [n for n, line in enumerate(hunk.lines) if line[0] != "+"]
    forms = [(hunk.lines[n][1:],) if n in unmarked else (hunk.lines[n][1:], hunk.lines[n]) for n in old]
    found: dict[Hunk, None] = {}
    for place in _places(seeker, forms):
        lines = list(hunk.lines)
        for n, (form, *others), at in zip(old, forms, range(place, place + len(old)), strict=True):
            if others and not seeker.matches_at([form], _TIER, at):
                lines[n] = f" {hunk.lines[n]}"
        one = replace(hunk, lines=tuple(lines))
        if one != hunk and changes(one):
            found[one] = None
        if len(found) > _MOST_READINGS:
            return []
    return list(found)


def _places(seeker: Seeker, forms: Sequence[tuple[str, ...]]) -> Iterator[int]:
    """The 0-based lines at which each line of a block stands in one of its forms, while that costs little."""
    spots: list[set[int]] = []
    n_found = 0
    for one in forms:
        spots.append({at for form in one for at in islice(seeker.places([form], _TIER), _MOST_FOUND)})
        n_found += len(spots[-1])
        if not spots[-1] or n_found > _MOST_FOUND:
            return
    rarest = min(range(len(spots)), key=lambda n: len(spots[n]))
    if len(spots[rarest]) * len(spots) > _MOST_FOUND:
        return
    for at in sorted(spots[rarest]):
        if all(at - rarest + n in one for n, one in enumerate(spots)):
            yield at - rarest


def with_added_blanks(hunk: Hunk) -> Hunk | None:
    """The hunk with blank lines between added ones added too."""
    lines = list(hunk.lines)
    for n in range(1, len(lines)):
        if not trim(lines[n]) and lines[n][0] == " " and lines[n - 1][0] == "+":
            after = next((line for line in lines[n:] if trim(line)), "")
            if after[:1] == "+":
                lines[n] = "+" + lines[n][1:]
    return _other(hunk, lines)


def _without_doubled_signs(hunk: Hunk) -> Hunk | None:
    """The hunk with one sign for two, if every changed line has two and some are removed."""
    changed = [line for line in hunk.lines if line[0] != " "]
    if not all(line[:2] in ("--", "++") for line in changed) or all(line[0] == "+" for line in changed):
        return None
    return _other(hunk, [line if line[0] == " " else line[1:] for line in hunk.lines])


def _without_other_marks(hunk: Hunk) -> Hunk | None:
    """The hunk without the tab or other blank that stands for the leading space, if all unmarked lines have one."""
    marked = [n for n in hunk.unmarked if trim(hunk.lines[n])]
    if not marked or any(trim(hunk.lines[n][1]) for n in marked):
        return None
    return _other(hunk, [" " + line[2:] if n in marked else line for n, line in enumerate(hunk.lines)])


def _other(hunk: Hunk, lines: Sequence[str]) -> Hunk | None:
    """The hunk with other lines; None if they are the same."""
    return None if tuple(lines) == hunk.lines else replace(hunk, lines=tuple(lines), unmarked=())
