"""The rule of oh-my-pi 17.3, for H4.

Source: packages/hashline of 13 August 2026, and its package 17.3.5. `peer/oh_my_pi` runs 18.1.5, which
gave the same 2,255 answers.

- A call is bound to a text by its tag. If the current text has another tag, lines are inserted at its ends only, or all
  lines of the call must be unchanged since, moved by one offset together with a line next to them.
- Of two hunks of the same range the last one wins, unless the first moves lines through a register. Other hunks that
  replace the same line are refused.
- Lines that were not shown are refused.
- A path that no file has stands for the only file that was shown with its name and tag.

Not modelled, since it needs a parser: if the result does not parse, the program keeps a first or last line of the
range, or drops a repeated line of a single one, when that alone makes the result parse; it refuses the hunk when
several of these do. Blocks end where gptme finds their end. The rule refuses more than the program in three places: a
section without hunks, comments, and a register without lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from editcore.anchors.calls import Change, LineEdit, check_lines, check_shown, named_lines, resolved
from editcore.anchors.corrections import H4_CORRECTIONS, LANDING, landed
from editcore.anchors.rules.rule import Given, corrected, overlap, plain_lines, rewritten, rows_around
from editcore.anchors.views import h4_tag
from editcore.errors import PatchError
from editcore.stale.alignment import Alignment
from editcore.text.lines import joined
from editcore.types import Applied, EditResult, Reason, Rejected

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
    # One more line feed at the end makes the phantom line a line of the alignment.
    by = _offset(Alignment(*("\n".join([*plain_lines(text), ""]) for text in (given.seen, given.live))), changes)
    if by is None:
        return _mismatch(given, changes, lines)
    moved = [replace(one, first=one.first + by, last=one.last + by) if one.is_anchored else one for one in changes]
    result = _made(given, moved, lines)
    return _mismatch(given, changes, lines) if isinstance(result, Rejected) else _noted(result, _MOVED)


def _changes(given: Given, lines: Sequence[str]) -> list[Change]:
    """The changes of the call in a text with these lines. Raises PatchError."""
    found = list[Change]()
    for one in map(_at_start, resolved(given.call, lines, given.registers)):
        twins = [other for other in found if (other.kind, other.first, other.last) == ("replace", one.first, one.last)]
        if one.kind == "replace" and twins and not _keeps_lines(given.call.edits[twins[-1].at]):
            found.remove(twins[-1])
        found.append(one)
    met = overlap(one for one in found if one.kind == "replace")
    if met is not None:
        upper, lower = met
        raise PatchError(
            f"anchor line {lower.first} is already targeted by another hunk on line {upper.first}. "
            "Issue ONE hunk per range."
        )
    check_lines(found, len(lines))
    check_shown(found, given.shown)
    return found


def _keeps_lines(edit: LineEdit) -> bool:
    """True if an edit moves lines into a register or out of one."""
    return edit.captured is not None or edit.pasted is not None


def _at_start(change: Change) -> Change:
    """The change; an insertion above line 1 loses its anchor and is at the start of the text."""
    return replace(change, is_anchored=False) if change.kind == "before" and change.first == 1 else change


def _made(given: Given, changes: list[Change], lines: Sequence[str]) -> EditResult:
    n_lines = len(lines) - (len(lines) > 1 and not lines[-1])
    # Deleting the phantom line would delete the last line feed.
    changes = [replace(one, last=min(one.last, n_lines)) if one.kind == "replace" else one for one in changes]
    changes = [corrected(one, lines, H4_CORRECTIONS, given.without) for one in changes]
    if LANDING not in given.without:
        changes = landed(changes, lines)
    after = list(_written(lines, [one for one in changes if one.is_anchored]))
    start, end = (
        [line for one in changes if not one.is_anchored and one.kind == kind for line in one.new]
        for kind in ("before", "after")
    )
    # Lines for the end go above the phantom line. An empty text has no lines at all.
    after = [*start, *([] if after == [""] and start else after)]
    at = len(after) - (bool(after) and not after[-1])
    return rewritten(given.live, [*after[:at], *end, *([] if after == [""] and end else after[at:])], "h4_oh_my_pi")


def _written(lines: Sequence[str], changes: Sequence[Change]) -> Iterator[str]:
    """The lines after the changes; for each line, insertions above, its replacement or itself, insertions below."""
    beside: dict[tuple[str, int], list[str]] = {}
    gone = set[int]()
    for one in changes:
        beside.setdefault((one.kind, one.first), []).extend(one.new)
        if one.kind == "replace":
            gone |= {*range(one.first, one.last + 1)}
    for n, line in enumerate(lines, 1):
        for kind in ("before", "replace", "after"):
            if kind == "after" and n not in gone:
                yield line
            yield from beside.get((kind, n), ())


def _is_at_end(edit: LineEdit) -> bool:
    return edit.first is None or (edit.kind == "before" and edit.first.line == 1)


def _offset(alignment: Alignment, changes: Sequence[Change]) -> int | None:
    """The offset by which all lines of the changes have moved; None if one is gone or they moved apart.

    An unchanged line must lie above or below each stretch, and on both sides of lines with duplicates.
    """
    old, new, there = alignment.old, alignment.new, alignment.there
    lines = {n - 1 for n in named_lines(changes)}
    by = {None if not 0 <= n < len(old) or (at := there[n]) is None else at - n for n in lines}
    if len(by) != 1 or None in by:
        return None
    (offset,) = by
    assert offset is not None
    twice = [{line for line, n in Counter(texts).items() if n > 1} for texts in (old, new)]
    for first, last in joined((n, n) for n in lines):
        beside = [n for n in (first - 1, last + 1) if 0 <= n < len(old)]
        stays = [there[n] == n + offset for n in beside]
        for n in range(first, last + 1):
            is_twice = old[n] in twice[0] or new[n + offset] in twice[1]
            if not any(stays) or (is_twice and not all(stays)):
                return None
    return offset


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
