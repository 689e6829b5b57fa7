"""The rule of oh-my-pi 17.3, for H4.

Source: packages/hashline of 13 August 2026. The call is bound to a text by its tag. If the text of now has another one,
lines are only put at its ends, or all lines of the call must be unchanged since, moved by one offset together with a
line next to them. Of two hunks of one range the last wins; any other overlap is refused. Lines that were not shown are
refused. Two corrections need no parser, and are here; those that the program makes only where its syntax trees prove
them (closers that are spared, insertions that are moved past them) are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editcore.anchors.call import LineEdit
from editcore.anchors.change import Change, check_lines, check_shown, made, named_lines, resolved
from editcore.anchors.corrections_h4 import H4_CORRECTIONS
from editcore.anchors.hashes import h4_tag
from editcore.anchors.rules.rule import Given, corrected, overlap, plain_lines, rewritten, rows_around
from editcore.errors import PatchError
from editcore.stale.alignment import Alignment
from editcore.types import Applied, EditResult, Reason, Rejected

NAME = "h4_oh_my_pi"
_MOVED = "the file was changed since it was read; the hunks are made where their lines are now"
_AT_ENDS = "the file was changed since it was read; its ends are where they are"


def h4_oh_my_pi(given: Given) -> EditResult:
    """Bound to a text by its tag; else moved by one offset with unchanged lines around; drops exact echoes."""
    lines, call = plain_lines(given.live), given.call
    if call.tag == h4_tag(given.live):
        return _made(given, _changes(given, lines), lines)
    if call.edits and all(map(_is_at_end, call.edits)):
        return _noted(_made(given, _changes(given, lines), lines), _AT_ENDS)
    if given.seen is None or call.tag != h4_tag(given.seen):
        return Rejected(
            Reason.STALE_READ,
            f"hash #{call.tag} is not from this session: read the file, copy the tag of its header, never invent one.",
        )
    changes = _changes(given, plain_lines(given.seen))
    by = _offset(Alignment(given.seen, given.live), changes)
    if by is None:
        return _mismatch(given, changes, lines)
    moved = [
        replace(one, first=one.first + by, last=one.last + by) if one.is_anchored else _at_end_of(one, lines)
        for one in changes
    ]
    return _noted(_made(given, moved, lines), _MOVED)


def _changes(given: Given, lines: Sequence[str]) -> list[Change]:
    """The changes at lines of a text. Raises PatchError."""
    changes = [_at_end_of(one, lines) for one in resolved(given.call, lines, given.registers)]
    latest = {(one.kind, one.first, one.last) if one.kind == "replace" else one.at: one for one in changes}
    changes = sorted(latest.values(), key=lambda one: one.at)
    met = overlap(changes)
    if met is not None:
        upper, lower = met
        raise PatchError(
            f"anchor line {lower.first} is already targeted by another hunk on line {upper.first}. "
            "Issue ONE hunk per range."
        )
    check_lines(changes, len(lines))
    check_shown(changes, given.shown)
    return changes


def _made(given: Given, changes: list[Change], lines: Sequence[str]) -> EditResult:
    n_phantom = int(len(lines) > 1 and not lines[-1])
    changes = [corrected(one, lines, H4_CORRECTIONS, given.without) for one in changes]
    # The phantom line is never deleted: that would take the last line feed.
    changes = [
        replace(one, last=min(one.last, len(lines) - n_phantom)) if one.kind == "replace" else one for one in changes
    ]
    changes.sort(key=lambda one: (-(one.first - (one.kind != "after")), one.kind == "replace", -one.at))
    if list(lines) == [""] and all(one.kind != "replace" for one in changes):
        return rewritten(given.live, [line for one in reversed(changes) for line in one.new], NAME)
    return rewritten(given.live, made(lines, changes), NAME)


def _is_at_end(edit: LineEdit) -> bool:
    return edit.first is None or (edit.kind == "before" and edit.first.line == 1)


def _at_end_of(change: Change, lines: Sequence[str]) -> Change:
    """Lines for the end of a text that ends in a line feed go before the phantom line."""
    if change.is_anchored:
        return change
    at = len(lines) - (len(lines) > 1 and not lines[-1])
    return replace(change, first=at, last=at)


def _offset(alignment: Alignment, changes: Sequence[Change]) -> int | None:
    """By how many lines all lines of the changes have moved; None where they have not, or not together."""
    lines = sorted({n - 1 for n in named_lines(changes)})
    if not lines or not 0 <= lines[0] <= lines[-1] < len(alignment.old):
        return None
    there = [alignment.there[n] for n in lines]
    if there[0] is None or any(at is None or at - n != there[0] - lines[0] for at, n in zip(there, lines, strict=True)):
        return None
    by = there[0] - lines[0]
    named = set(lines)
    above = next((n for n in range(lines[0] - 1, -1, -1) if n not in named), None)
    below = next((n for n in range(lines[-1] + 1, len(alignment.old)) if n not in named), None)
    stays = [n is not None and alignment.there[n] == n + by for n in (above, below)]
    twice = any(
        texts.count(alignment.old[n]) > 1 for n in (lines[0], lines[-1]) for texts in (alignment.old, alignment.new)
    )
    return by if (all(stays) if twice else any(stays)) else None


def _mismatch(given: Given, changes: Sequence[Change], lines: Sequence[str]) -> Rejected:
    named = {n for n in named_lines(changes) if n <= len(lines)}
    head = (
        f"Edit rejected: file changed between read and edit.\nSection is bound to #{given.call.tag}, but the current "
        f"file hashes to #{h4_tag(given.live)}. Re-read it, and issue the edit again.\n"
    )
    rows = rows_around(named, len(lines), lambda n: f"{n}:{lines[n - 1]}", "*", "...")
    return Rejected(Reason.STALE_READ, "\n".join([head, *rows]))


def _noted(result: EditResult, note: str) -> EditResult:
    return replace(result, notes=(*result.notes, note)) if isinstance(result, Applied) else result
