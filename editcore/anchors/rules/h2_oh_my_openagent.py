"""The rule of oh-my-openagent, for H2.

Source: packages/hashline-core of 24 July 2026. Anchors are never moved. The hash of a line without any whitespace is
accepted as well. Ranges with an `end` that overlap are refused; two edits of one line, one of which names no end, are
not noticed: bottom-up, the second wins over the first. New lines are corrected in seven ways. A file with both line
endings gets those of its first line.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from editcore.anchors.call import Anchor
from editcore.anchors.change import Change, check_lines, made, no_such_line, resolved
from editcore.anchors.corrections import H2_CORRECTIONS
from editcore.anchors.hashes import h2_hash, h2_loose_hash
from editcore.anchors.rules.rule import Given, anchors_of, corrected, each_once, mismatch, plain_lines, rewritten
from editcore.errors import PatchError
from editcore.types import EditResult

NAME = "h2_oh_my_openagent"
_ORDER = {"replace": 0, "after": 1, "before": 2}


def h2_oh_my_openagent(given: Given) -> EditResult:
    """Never moves an anchor; corrects prefixes, echoes, merged and broken lines, and indentation."""
    lines = plain_lines(given.live)
    wrong = [anchor.line for anchor in anchors_of(given.call) if not fits(anchor, lines)]
    if wrong:
        return mismatch(
            wrong, lines, "{line_number}#{hash_id}", lambda n: f"{n}#{h2_hash(lines[n - 1], n)}|{lines[n - 1]}"
        )
    changes = each_once(resolved(given.call, lines, {}))
    check_lines(changes, len(lines))
    _check_ranges(changes)
    changes.sort(key=lambda one: (not one.is_anchored, -one.last, _ORDER[one.kind], one.at))
    made_of = [_at_end(corrected(one, lines, H2_CORRECTIONS, given.without), lines) for one in changes]
    if any(one.kind != "replace" and not one.new for one in made_of):
        raise PatchError("append and prepend require non-empty text: the new lines repeat the anchor's line.")
    return rewritten(given.live, made(lines, made_of), NAME)


def fits(anchor: Anchor, lines: list[str]) -> bool:
    """Whether a line has the hash of an anchor. Raises PatchError for a line outside of the file."""
    if not 1 <= anchor.line <= len(lines):
        raise no_such_line(anchor.line, len(lines))
    line = lines[anchor.line - 1]
    return anchor.hash in (h2_hash(line, anchor.line), h2_loose_hash(line, anchor.line))


def _check_ranges(changes: list[Change]) -> None:
    """Raise PatchError where ranges with both ends overlap."""
    ranges = sorted((one for one in changes if one.is_range and one.kind == "replace"), key=lambda one: one.first)
    for one, other in pairwise(ranges):
        if other.first <= one.last:
            raise PatchError(
                f"Overlapping range edits detected: edit {one.at + 1} (lines {one.first}-{one.last}) overlaps with "
                f"edit {other.at + 1} (lines {other.first}-{other.last}). Use pos-only replace for single-line edits."
            )


def _at_end(change: Change, lines: list[str]) -> Change:
    """Lines for the end of a text that ends in a line feed go before the phantom line."""
    if change.is_anchored or change.kind != "after" or lines[-1]:
        return change
    return replace(change, first=change.first - 1, last=change.last - 1)
