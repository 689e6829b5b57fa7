"""Recorded diffs as evidence: compared with texts by their line numbers alone, never searched for."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from corpora.importers.session import RecordedDiff

_HEADER = re.compile(r"@@+ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class Stretch(NamedTuple):
    """One hunk: the lines of both sides, and the 0-based line at which each starts."""

    old_at: int
    old: list[str]
    new_at: int
    new: list[str]
    old_ends_open: bool
    """The last old line has no line feed."""
    new_ends_open: bool


def stretches(text: str) -> list[Stretch] | None:
    """The hunks of a unified diff; None where it has none, or one is not as long as its header says."""
    found: list[Stretch] = []
    lines = text.split("\n")
    n = 0
    while n < len(lines):
        header = _HEADER.match(lines[n])
        n += 1
        if not header:
            continue
        old_start, new_start = int(header[1]), int(header[3])
        n_old, n_new = int(header[2] or 1), int(header[4] or 1)
        old: list[str] = []
        new: list[str] = []
        open_ends = [False, False]
        while n < len(lines) and (len(old) < n_old or len(new) < n_new or lines[n].startswith("\\")):
            mark, line = lines[n][:1] or " ", lines[n][1:]
            if mark == "\\":
                previous = lines[n - 1][:1]
                open_ends = [open_ends[0] or previous != "+", open_ends[1] or previous != "-"]
            elif mark not in " -+":
                return None
            if mark in " -":
                old.append(line)
            if mark in " +":
                new.append(line)
            n += 1
        if len(old) != n_old or len(new) != n_new:
            return None
        # A side without lines stands after the line that its number names.
        found.append(Stretch(old_start - (n_old > 0), old, new_start - (n_new > 0), new, open_ends[0], open_ends[1]))
    return found or None


def result(diff: RecordedDiff, before: str) -> str | None:
    """The text after a recorded diff, laid on at its line numbers; None where it does not fit there to the letter."""
    if not diff.numbers_hold or diff.tabs_shown_as != "\t":
        return None
    hunks = stretches(diff.text)
    if hunks is None:
        return None
    ends_open = before != "" and not before.endswith("\n")
    lines = before.removesuffix("\n").split("\n") if before else []
    out: list[str] = []
    at = 0
    for hunk in hunks:
        if hunk.old_at < at or lines[hunk.old_at : hunk.old_at + len(hunk.old)] != hunk.old:
            return None
        out += lines[at : hunk.old_at] + hunk.new
        at = hunk.old_at + len(hunk.old)
        if at == len(lines):
            if hunk.old and hunk.old_ends_open != ends_open:
                return None
            ends_open = hunk.new_ends_open
    out += lines[at:]
    return "\n".join(out) + ("" if ends_open or not out else "\n")


def agrees(diff: RecordedDiff, before: str, after: str) -> bool:
    """Whether a recorded diff describes the step from one text to the other, as far as it can be read."""
    hunks = stretches(diff.text)
    if hunks is None:
        return False
    old, new = _shown(before, diff.tabs_shown_as), _shown(after, diff.tabs_shown_as)
    if not diff.numbers_hold:
        # Of a diff whose numbers are wrong only the difference counts: what lines there are more or fewer of.
        change = Counter(line for hunk in hunks for line in hunk.new)
        change.subtract(line for hunk in hunks for line in hunk.old)
        made = Counter(new)
        made.subtract(old)
        return {line: n for line, n in change.items() if n} == {line: n for line, n in made.items() if n and line}
    at_old = at_new = 0
    for hunk in hunks:
        hunk_old, hunk_new = (_without_returns(side) for side in (hunk.old, hunk.new))
        if old[hunk.old_at : hunk.old_at + len(hunk_old)] != hunk_old:
            return False
        if new[hunk.new_at : hunk.new_at + len(hunk_new)] != hunk_new:
            return False
        if old[at_old : hunk.old_at] != new[at_new : hunk.new_at]:
            return False
        at_old, at_new = hunk.old_at + len(hunk_old), hunk.new_at + len(hunk_new)
    # What is left of the last line feed is of no account here.
    return [line for line in old[at_old:] if line] == [line for line in new[at_new:] if line]


def _shown(text: str, tab: str) -> list[str]:
    """The lines of a text as the agent shows them."""
    lines = _without_returns(text.split("\n"))
    if tab == "\t":
        return lines
    return [tab * (len(line) - len(line.lstrip("\t"))) + line.lstrip("\t") for line in lines]


def _without_returns(lines: list[str]) -> list[str]:
    return [line.removesuffix("\r") for line in lines]
