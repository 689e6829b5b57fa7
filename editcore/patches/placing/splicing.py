"""Hunks whose old lines occur in the text in order, once or at the stated line, are replaced as text.

Nine patches of ten are such. The result is the same as in the general way, which also handles every other case.
"""

from __future__ import annotations

from editcore.patches.placing.policy import ByNumber, Format, Policy, changes, n_added_above, runs
from editcore.text.whitespace import trim
from editcore.types import FilePatch, Hunk, Landing

_MOST_HUNKS = 16
"""Each hunk is looked for in the whole text. With more hunks, the lines are indexed instead."""


def spliced(text: str, section: FilePatch, policy: Policy) -> tuple[str, list[Landing]] | None:
    """The text with all hunks of an update replaced, and their landings; None if the case is not that simple."""
    hunks = section.hunks
    placing, is_diff = policy.placing, policy.format is Format.DIFF
    by_number = isinstance(placing, ByNumber)
    # Near a number, and among carriage returns, places must be compared: that is the general way.
    if (isinstance(placing, ByNumber) and placing.near) or len(hunks) > _MOST_HUNKS or "\r" in text:
        return None
    around = f"\n{text}" if text.endswith("\n") else f"\n{text}\n"
    pieces: list[str] = []
    landings: list[Landing] = []
    done = line = counted = 0
    for number, hunk in enumerate(hunks, 1):
        old, new = hunk.old, hunk.new
        is_plain = hunk.closed and not (hunk.unmarked or hunk.source_no_newline or hunk.target_no_newline)
        if not old or not is_plain or (is_diff and not by_number and not changes(hunk)):
            return None
        if not all(_begins_a_line(text, anchor) for anchor in hunk.anchors):
            return None
        # Where a hunk ends in an added line, wrong counts may mean that more are missing.
        if hunk.lines[-1][0] == "+" and not _is_counted(hunk, len(old), len(new)):
            return None
        needle = "\n".join(["", *old, ""])
        at = around.find(needle, done)
        # Offsets in `around` are one more than in the text.
        if at < 0 or at + len(needle) - 1 > len(text):
            return None
        replacement = "\n".join([*new, ""])
        if "\r" in replacement:
            return None
        line += around.count("\n", counted, at)
        counted = at
        if by_number:
            if line + 1 != hunk.source_start or (_ends_the_file(hunk) and at + len(needle) - 1 < len(text)):
                return None
        elif _stands_elsewhere(around, needle, done, at) or (
            len(new) > len(old) and _stands_around(around, replacement, at, hunk)
        ):
            return None
        landings.append(Landing(section.path, number, line + 1, "exact", runs=runs(hunk, line + 1)))
        pieces += (text[done:at], replacement)
        done = at + len(needle) - 1
    pieces.append(text[done:])
    return "".join(pieces), landings


def _begins_a_line(text: str, anchor: str) -> bool:
    """True if the first occurrence of an anchor is a line or the beginning of one, up to the end of a word."""
    at = text.find(anchor)
    above = text.rfind("\n", 0, at + 1) if at >= 0 and anchor else -2
    before, after = text[above + 1 : at], text[at + len(anchor) : at + len(anchor) + 1]
    return above > -2 and not trim(before) and not (anchor[-1].isalnum() and (after.isalnum() or after == "_"))


def _is_counted(hunk: Hunk, n_old: int, n_new: int) -> bool:
    return hunk.source_length in (None, n_old) and hunk.target_length in (None, n_new)


def _stands_around(around: str, replacement: str, at: int, hunk: Hunk) -> bool:
    """True if the new lines of a hunk, whose old lines are at an offset, are there already."""
    start = at + 1 - sum(map(len, hunk.lines[: n_added_above(hunk)]))
    return start > 0 and around[start - 1] == "\n" and around.startswith(replacement, start)


def _ends_the_file(hunk: Hunk) -> bool:
    """True if a hunk has context above its changes and none below. By number, this means the end of the file."""
    return hunk.lines[0][0] == " " != hunk.lines[-1][0]


def _stands_elsewhere(around: str, needle: str, done: int, at: int) -> bool:
    """True if a needle whose first place from `done` on is `at` occurs once more."""
    return around.find(needle, at + 1) >= 0 or (done > 0 and around.find(needle, 0, done + len(needle) - 1) >= 0)
