"""The rule of oh-my-openagent, for H2.

Source: packages/hashline-core of 24 July 2026, and the package 4.19.4, which `peer/oh_my_openagent` runs. Anchors are
never moved. The hash of a line without any whitespace is accepted as well. Ranges with an `end` that overlap are
refused; two edits of one line, one of which names no end, are not noticed: bottom-up, the second wins over the first.
New lines are corrected in seven ways. A file with both line endings gets those of its first line. Lines for the end of
a file that ends in a line feed go below the phantom line, which so becomes a blank one.

What differs from the program: a list that adds no lines is refused when it is read, before any anchor is checked; an
insertion of no lines is not taken for one of a blank line when both are sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from editcore.anchors.call import Anchor
from editcore.anchors.change import Change, check_lines, made, no_such_line, resolved
from editcore.anchors.corrections import H2_CORRECTIONS
from editcore.anchors.hashes import h2_hash, h2_loose_hash
from editcore.anchors.rules.rule import Given, anchors_of, corrected, each_once, mismatch, plain_lines, rewritten
from editcore.errors import PatchError
from editcore.text.lines import BOM
from editcore.types import EditResult

NAME = "h2_oh_my_openagent"
_ORDER = {"replace": 0, "after": 1, "before": 2}


def h2_oh_my_openagent(given: Given) -> EditResult:
    """Never moves an anchor; corrects prefixes, echoes, merged and broken lines, and indentation."""
    lines = plain_lines(given.live) if given.live.removeprefix(BOM) else []
    wrong = [anchor.line for anchor in anchors_of(given.call) if not fits(anchor, lines)]
    if wrong:
        return mismatch(
            wrong, lines, "{line_number}#{hash_id}", lambda n: f"{n}#{h2_hash(lines[n - 1], n)}|{lines[n - 1]}"
        )
    changes = each_once(resolved(given.call, lines, {}))
    _check_ranges(changes)
    check_lines(changes, len(lines))
    changes.sort(key=lambda one: (not one.is_anchored, -one.last * one.is_anchored, _ORDER[one.kind], one.at))
    for change in changes:
        if not change.is_anchored:  # Past the phantom line too, which then is a blank one.
            lines = [] if lines == [""] else lines
            change = replace(change, first=len(lines), last=len(lines)) if change.kind == "after" else change
        elif change.first > len(lines) and (
            change.kind == "after" or (change.kind == "before" and len(change.new) > 1)
        ):
            raise PatchError(f"line {change.first} was taken out by another edit of the call.")
        # What was made below an edit, and at its own lines, is there when it is corrected.
        change = corrected(change, [*lines, *[""] * (change.last - len(lines))], H2_CORRECTIONS, given.without)
        if change.kind != "replace" and not change.new:
            raise PatchError("append and prepend require non-empty text: the new lines repeat the anchor's line.")
        lines = made(lines, [change])
    return rewritten(given.live, lines or [""], NAME)


def fits(anchor: Anchor, lines: Sequence[str]) -> bool:
    """Whether a line has the hash of an anchor. Raises PatchError for a line outside of the file."""
    if not 1 <= anchor.line <= len(lines):
        raise no_such_line(anchor.line, len(lines))
    return anchor.hash in _hashes(lines[anchor.line - 1], anchor.line)


def _hashes(line: str, n: int) -> tuple[str, str]:
    return h2_hash(line, n), h2_loose_hash(line, n)


def meant(hash: str, text: str) -> str:
    """What is said of an anchor that has a hash and no line: the first line of that hash; "" if there is none."""
    for n, line in enumerate(plain_lines(text), 1):
        if hash in _hashes(line, n):
            return f' Did you mean "{n}#{h2_hash(line, n)}"?'
    return ""


def _check_ranges(changes: list[Change]) -> None:
    """Raise PatchError where ranges with both ends overlap."""
    ranges = sorted((one for one in changes if one.is_range and one.kind == "replace"), key=lambda one: one.first)
    for one, other in pairwise(ranges):
        if other.first <= one.last:
            raise PatchError(
                f"Overlapping range edits detected: edit {one.at + 1} (lines {one.first}-{one.last}) overlaps with "
                f"edit {other.at + 1} (lines {other.first}-{other.last}). Use pos-only replace for single-line edits."
            )
