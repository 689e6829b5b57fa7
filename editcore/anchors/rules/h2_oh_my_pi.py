"""The rule of oh-my-pi 13 before 13.15, of March 2026, for H2.

Source: patch/hashline.ts and patch/index.ts of its package 13.19.0, which `peer/oh_my_pi_13` runs, and of copies of
13.x in other projects for what 13.15 took out: the two corrections of ranges. Anchors are never moved. Edits are made
bottom-up; those that overlap are not noticed. Lines for the end of a file that ends in a line feed go below the
phantom line, which so becomes a blank one.

What is chosen here: prefixes are stripped as 13.19.0 does it, from all lines or none.
"""

from __future__ import annotations

from dataclasses import replace

from editcore.anchors.change import check_lines, made, no_such_line, resolved
from editcore.anchors.corrections_oh_my_pi_13 import CORRECTIONS_OF_LINES, CORRECTIONS_OF_RANGES
from editcore.anchors.hashes import h2_hash
from editcore.anchors.rules.rule import Given, anchors_of, corrected, each_once, mismatch, plain_lines, rewritten
from editcore.types import EditResult

NAME = "h2_oh_my_pi"
_ORDER = {"replace": 0, "after": 1, "before": 2}


def h2_oh_my_pi(given: Given) -> EditResult:
    """Never moves an anchor; corrects prefixes, tabs written as \\t, and lines repeated at the ends of a range."""
    lines = plain_lines(given.live)
    wrong = list[int]()
    for anchor in anchors_of(given.call):
        if not 1 <= anchor.line <= len(lines):
            raise no_such_line(anchor.line, len(lines))
        if h2_hash(lines[anchor.line - 1], anchor.line) != anchor.hash:
            wrong.append(anchor.line)
    if wrong:
        return mismatch(wrong, lines, "LINE#ID", lambda n: f"{n}#{h2_hash(lines[n - 1], n)}:{lines[n - 1]}")
    changes = resolved(given.call, lines, {})
    check_lines(changes, len(lines))
    changes = each_once([corrected(one, lines, CORRECTIONS_OF_LINES, given.without) for one in changes])
    changes.sort(key=lambda one: (_at(one.kind, one.last, one.is_anchored, len(lines)), _ORDER[one.kind], one.at))
    before = lines
    for change in changes:
        if change.kind == "replace" and not change.is_range and change.new == (before[change.first - 1],):
            continue  # Also where another edit has changed the line.
        change = corrected(change, lines, CORRECTIONS_OF_RANGES, given.without)
        if not change.is_anchored:
            lines = [] if lines == [""] else lines
            change = replace(change, first=len(lines), last=len(lines)) if change.kind == "after" else change
        lines = made(lines, [change])
    return rewritten(given.live, lines or [""], NAME)


def _at(kind: str, last: int, is_anchored: bool, n_lines: int) -> int:
    """The key that sorts changes from the bottom up."""
    if is_anchored:
        return -last
    return -n_lines - 1 if kind == "after" else 0
