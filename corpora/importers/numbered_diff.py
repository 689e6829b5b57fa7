"""Diffs in which each line has its number, as agents' tools show them -> the hunks of a unified diff.

-12 text    pi: removed and context lines with their old numbers, added ones with the new
-12|text    oh-my-pi, likewise; a context line `...` is a gap
-12    text, +12#VK:text    pi-hashline-edit: context lines have new numbers and, as added ones, their anchors
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from editcore.anchors.views import LETTERS

_PLAIN = re.compile(r"([ +-])\s*(\d{1,9}) (.*)", re.DOTALL)
_BAR = re.compile(r"([ +-])\s*(\d{1,9})\|(.*)", re.DOTALL)
_ANCHORED = re.compile(rf"[ +]\s*\d{{1,9}}(#[{LETTERS}]{{2,4}}:)")
_ELLIPSIS = "..."
_Row = tuple[str, int, str]
"""The mark, the number and the text of a line."""


def unified_hunks(numbered: str) -> str:
    """The unified hunks of a diff with numbered lines."""
    lines = numbered.split("\n")
    anchor = next((found[1] for line in lines if (found := _ANCHORED.match(line))), None)
    hunks: list[str] = []
    grown = 0
    for rows in _stretches(lines, _BAR if _BAR.match(lines[0]) else _PLAIN if anchor is None else _anchored(anchor)):
        if not any(mark != " " for mark, _, _ in rows):
            continue
        mark, number, _ = rows[0]
        start = number - grown if mark == "+" or (mark == " " and anchor is not None) else number
        n_old = sum(mark != "+" for mark, _, _ in rows)
        n_new = sum(mark != "-" for mark, _, _ in rows)
        # A side without lines is numbered by the line before it.
        hunks.append(f"@@ -{start - (not n_old)},{n_old} +{start + grown - (not n_new)},{n_new} @@\n")
        hunks += (f"{mark}{content}\n" for mark, _, content in rows)
        grown += n_new - n_old
    return "".join(hunks)


def _anchored(anchor: str) -> re.Pattern[str]:
    """The pattern of rows that have anchors of this length, or blanks in their place."""
    length = len(anchor)
    return re.compile(rf"([ +-])\s*(\d{{1,9}})(?:#[{LETTERS}]{{{length - 2}}}:|(?<=[0-9]) {{{length}}})(.*)", re.DOTALL)


def _stretches(lines: list[str], pattern: re.Pattern[str]) -> Iterator[list[_Row]]:
    """The runs of rows between gaps."""
    rows: list[_Row] = []
    for line in lines:
        found = pattern.fullmatch(line)
        # A context line of an ellipsis is no loss, whether or not it is one of the file's.
        if found is not None and not (pattern is _BAR and found[1] == " " and found[3] == _ELLIPSIS):
            rows.append((found[1], int(found[2]), found[3]))
        elif rows:
            yield rows
            rows = []
    if rows:
        yield rows
