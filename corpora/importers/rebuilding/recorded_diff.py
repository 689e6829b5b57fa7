"""Recorded diffs as evidence: compared with texts by their line numbers alone, never searched for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from corpora.importers.rebuilding.session import RecordedDiff

_HEADER = re.compile(r"@@+ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_REMOVED = re.compile(r"(?:(?!@@).*\n)*\+\+\+ /dev/null\b")


class Stretch(NamedTuple):
    """One hunk: the lines of both sides, and the 0-based line at which each starts."""

    old_at: int
    old: list[str]
    new_at: int
    new: list[str]
    marks: str
    """One a line of the hunk: blank, `-` or `+`."""
    old_ends_open: bool
    """The last old line has no line feed."""
    new_ends_open: bool


def stretches(text: str) -> list[Stretch] | None:
    """The hunks of a unified diff; None where one is not as long as its header says."""
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
        marks = ""
        open_ends = [False, False]
        while n < len(lines) and (len(old) < n_old or len(new) < n_new or lines[n].startswith("\\")):
            mark, line = lines[n][:1] or " ", lines[n][1:]
            if mark == "\\":
                open_ends = [open_ends[0] or marks[-1:] != "+", open_ends[1] or marks[-1:] != "-"]
            elif mark in " -+":
                marks += mark
            else:
                return None
            if mark in " -":
                old.append(line)
            if mark in " +":
                new.append(line)
            n += 1
        if len(old) != n_old or len(new) != n_new:
            return None
        # A side without lines stands after the line that its number names.
        at = old_start - (n_old > 0), new_start - (n_new > 0)
        if min(at) < 0:
            return None
        found.append(Stretch(at[0], old, at[1], new, marks, open_ends[0], open_ends[1]))
    return found


def removes(diff: RecordedDiff) -> bool:
    """Whether a recorded diff says that the file is gone."""
    return bool(_REMOVED.match(diff.text))


def result(diff: RecordedDiff, before: str, *, said: Sequence[str] = ()) -> str | None:
    """The text after a recorded diff, laid on at its line numbers; None where it does not fit there to the letter.

    `said` are the lines that the model wrote: where indentation was cut off, they tell what a diff no longer does.
    """
    if not diff.numbers_hold or diff.tabs_shown_as != "\t":
        return None
    hunks = stretches(diff.text)
    ends_open = before != "" and not before.endswith("\n")
    lines = before.removesuffix("\n").split("\n") if before else []
    if hunks and diff.dedented:
        hunks = _indented(hunks, lines, said)
    if hunks is None:
        return None
    out: list[str] = []
    at = 0
    for hunk in hunks:
        if hunk.old_at < at or lines[hunk.old_at : hunk.old_at + len(hunk.old)] != hunk.old:
            return None
        out += lines[at : hunk.old_at]
        if hunk.new and hunk.new_at != len(out):
            return None
        out += hunk.new
        at = hunk.old_at + len(hunk.old)
        if at < len(lines):
            if hunk.old_ends_open or hunk.new_ends_open:
                return None
        elif hunk.old_ends_open != ends_open:
            return None
        else:
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
        gone, come = [line for hunk in hunks for line in hunk.old], [line for hunk in hunks for line in hunk.new]
        return _difference(gone, come) == _difference(old, new)
    cut = _cut_off(hunks, old, new) if diff.dedented else 0
    at_old = at_new = 0
    for hunk in hunks:
        end_old, end_new = hunk.old_at + len(hunk.old), hunk.new_at + len(hunk.new)
        if [line[cut:] for line in old[hunk.old_at : end_old]] != _without_returns(hunk.old):
            return False
        if [line[cut:] for line in new[hunk.new_at : end_new]] != _without_returns(hunk.new):
            return False
        if old[at_old : hunk.old_at] != new[at_new : hunk.new_at]:
            return False
        at_old, at_new = end_old, end_new
    # The last line feed is of no account here.
    return "\n".join(old[at_old:]).rstrip("\n") == "\n".join(new[at_new:]).rstrip("\n")


def _indented(hunks: list[Stretch], lines: list[str], said: Sequence[str]) -> list[Stretch] | None:
    """The hunks with the indentation that was cut off all their lines; None where it cannot be told."""
    pairs = [
        (line, shown)
        for hunk in hunks
        for line, shown in zip(lines[hunk.old_at : hunk.old_at + len(hunk.old)], hunk.old, strict=False)
    ]
    prefixes = {line[: len(line) - len(shown)] for line, shown in pairs if shown.strip()}
    added = [
        line for hunk in hunks for mark, line in zip(hunk.marks.replace("-", ""), hunk.new, strict=True) if mark == "+"
    ]
    written = set(said)
    if not prefixes and all(line in written for line in added):
        prefixes = {""}
    if len(prefixes) != 1 or (prefix := prefixes.pop()).strip():
        return None
    has_blanks = any(line and line.isspace() for line in (*written, *(line for line, _ in pairs)))
    if prefix and has_blanks and not all(map(str.strip, added)):
        return None
    if prefix and any(_written_otherwise(prefix + line, written) for line in added):
        return None
    return [_with_prefix(hunk, lines, prefix) for hunk in hunks]


def _written_otherwise(line: str, written: set[str]) -> bool:
    """Whether the model wrote a line with other blanks before it, and not from its middle on."""
    alike = [own for own in written if own.strip() and own.strip() == line.strip()]
    return bool(alike) and not any(line.endswith(own) for own in alike)


def _with_prefix(hunk: Stretch, lines: list[str], prefix: str) -> Stretch:
    """The hunk as it was: old lines are the file's own where they fit; empty new ones stay so."""
    old: list[str] = []
    new: list[str] = []
    shown_old, shown_new = iter(hunk.old), iter(hunk.new)
    for mark in hunk.marks:
        shown = next(shown_new) if mark == "+" else next(shown_old)
        if mark == "+":
            new.append(prefix + shown if shown else "")
            continue
        at = hunk.old_at + len(old)
        own = lines[at] if at < len(lines) else ""
        line = own if own[len(prefix) :] == shown and not own[: len(prefix)].strip() else prefix + shown
        old.append(line)
        if mark == " ":
            next(shown_new)
            new.append(line)
    return hunk._replace(old=old, new=new)


def _cut_off(hunks: list[Stretch], old: list[str], new: list[str]) -> int:
    """How many characters were cut off each line: as many as the least indented line of all begins with."""
    sides = [
        *(line for hunk in hunks for line in old[hunk.old_at : hunk.old_at + len(hunk.old)]),
        *(line for hunk in hunks for line in new[hunk.new_at : hunk.new_at + len(hunk.new)]),
    ]
    return min((len(line) - len(line.lstrip()) for line in sides if line.strip()), default=0)


def _difference(old: Iterable[str], new: Iterable[str]) -> dict[str, int]:
    """What lines there are more or fewer of; empty ones are of no account."""
    change = Counter(new)
    change.subtract(Counter(old))
    return {line: n for line, n in change.items() if n and line}


def _shown(text: str, tab: str) -> list[str]:
    """The lines of a text as the agent shows them."""
    lines = _without_returns(text.split("\n"))
    if tab == "\t":
        return lines
    return [tab * (len(line) - len(line.lstrip("\t"))) + line.lstrip("\t") for line in lines]


def _without_returns(lines: Sequence[str]) -> list[str]:
    return [line.removesuffix("\r") for line in lines]
