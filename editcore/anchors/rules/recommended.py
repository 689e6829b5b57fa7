"""The rule `recommended`: the text that the model saw decides what a call means; then the edit is placed in the file.

The problem. An anchor says where a line was when it was shown. Since then the file may have changed, the model may have
miscounted, and two letters are soon the hash of another line too:

    seen  12#VK|}        file  12#XJ|    go()       a rule that looks for VK finds line 40, which has that hash too,
          13#HW|               13#VK|}              and deletes from there

The idea. Check the anchors against the text that was seen, exactly. Make the edit there. Then place it in the current
text as any stale edit is placed (`editcore.stale.recommended`): by the diff of both texts, unchanged neighbours, and
what tells duplicates apart. No anchor is moved because of its hash. If no text is known to have been seen, the current
text is taken for it.

The invariant. Only lines change that the call names, in the text it was written against.

What is refused, because the call may mean two things:

- New lines that repeat the lines next to their place. Either the range is too short, or the repetition is wanted.
- New lines that begin with numbers or hashes of a view, or all with a `+`.
- Lines that were not shown.
- Deviations from the grammar of H4, except signs with one possible meaning.

What does not work. Programs drop a repeated line. That repairs some edits and damages others, because a wanted line
looks the same; `docs/study.md` has the figures ("What corrections are worth").

How to add to it. A new refusal goes into `_check_new`, with a case in `tests/cases/anchors` that it refuses and one
that it must not refuse. A correction of new lines belongs into `corrections.py` and the rule of a program, not here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from editcore.anchors.calls import Anchor, Change, LineEdit, check_shown
from editcore.anchors.corrections import lines_repeated_above, lines_repeated_below
from editcore.anchors.rules.rule import Given, apart, changes_in, check_anchors, no_change, refused
from editcore.anchors.views import ended_lines, h2_hash, h4_tag, shown_lines
from editcore.errors import PatchError
from editcore.stale import stale_rule
from editcore.stale.trail import Trail
from editcore.types import Applied, EditResult, Reason, Rejected

_HARMLESS = frozenset({"range_sign", "missing_put", "cut_colon", "blank_rows"})
"""Deviations from the grammar of H4 that have one possible meaning."""
_OF_A_VIEW = re.compile(r"\s*(?:>>>\s*)?\+?(?:[0-9]+:[0-9a-f]{2}\||[0-9]+#[A-Z]{2}[|:]|[0-9]+\|[\w-]{2}\|)")
_NUMBERED = re.compile(r"([0-9]{1,12}):")
_LOST = "lines of this edit were changed since they were shown, or cannot be told from others: read the file again."


def recommended(given: Given) -> EditResult:
    """Anchors checked against the text that was seen, placed in the current one; echoes and pasted views refused."""
    forgiven = [name for name in given.call.forgiven if name not in _HARMLESS]
    if forgiven:
        raise PatchError(f"the call is not by the grammar, and may mean several things: {', '.join(forgiven)}.")
    if given.seen is None or given.stale == "match_live":
        return _on(given, given.live)
    edits = given.call.edits
    named, at_ends = ([edit for edit in edits if (edit.first is None) is is_at_end] for is_at_end in (False, True))
    if not at_ends or given.stale == "gate":
        return _placed(given, given.seen)
    result = _placed(_with(given, given.live, named), given.seen) if named else Applied(given.live)
    if isinstance(result, Rejected):
        return result
    # Insertions at the ends of the file need no placing: whatever has changed, its ends are its ends.
    live = result.content or ""
    ends = _on(_with(given, live, at_ends), live, is_checked=False)
    return ends if isinstance(ends, Rejected) else replace(ends, notes=(*result.notes, *ends.notes))


def _with(given: Given, live: str, edits: Sequence[LineEdit]) -> Given:
    return replace(given, live=live, call=replace(given.call, edits=tuple(edits)))


def _placed(given: Given, seen: str) -> EditResult:
    """The call on the text that was seen, placed in the current text."""
    mine = _on(given, seen)
    if isinstance(mine, Rejected):
        # The tag of the whole current text proves that it was shown later. Two letters of a line would prove nothing.
        is_of_now = given.call.tag == h4_tag(given.live) != h4_tag(seen)
        return _on(given, given.live) if is_of_now else mine
    if given.trail is not None:
        places = [_place(given.trail, one) for one in given.call.edits]
        then = None if None in places else _in_terms_of(given, [one for one in places if one is not None])
        if then is not None:
            return _on(then, given.live)
        is_known = None not in places and not _has_blank_ends(given)
    else:
        is_known = True
    placed = stale_rule(given.stale)(seen, given.live, lambda text: mine if text == seen else _on(given, text))
    if not is_known and isinstance(placed, Applied):
        return refused(PatchError(_LOST, reason=Reason.STALE_READ))  # The comparison guesses what the trail knows.
    # An edit that changes only the ending of a line has nothing to change in a text without that line.
    return no_change() if isinstance(placed, Applied) and placed.content == given.live else placed


_ENDS = (0, 0)


def _place(trail: Trail, edit: LineEdit) -> tuple[int, int] | None:
    """The current lines that an edit replaces or inserts next to; None if they have no certain place."""
    if edit.first is None:
        return _ENDS
    if edit.kind == "after" and not edit.block:
        below = trail.border(edit.first.line)
        return None if below is None else (below, below)
    return trail.lines(edit.first.line, (edit.last or edit.first).line)


def _has_blank_ends(given: Given) -> bool:
    """True if a range that the call replaces begins or ends with a blank line, which a merge may leave in place."""
    lines = shown_lines(given.seen or "", given.format)
    ranges = [(one.first.line, (one.last or one.first).line) for one in given.call.edits if one.first is not None]
    return not all(lines[n - 1].strip() for both in ranges for n in both)


def _in_terms_of(given: Given, places: Sequence[tuple[int, int]]) -> Given | None:
    """The call in the anchors of the current text; None if a line that it replaces differs there in its whitespace."""
    seen, lines = (shown_lines(text, given.format) for text in (given.seen or "", given.live))
    edits = list[LineEdit]()

    def anchor(line: int) -> Anchor:
        return Anchor(line, h2_hash(lines[line - 1], line) if given.format == "hashline_h2" else "")

    for one, (start, end) in zip(given.call.edits, places, strict=True):
        if one.first is None:
            edits.append(one)
            continue
        first, last = one.first.line, (one.last or one.first).line
        if one.kind == "replace" and seen[first - 1 : last] != lines[start - 1 : end]:
            return None
        edits.append(replace(one, first=anchor(start), last=one.last and anchor(end)))
    tag = None if given.call.tag is None else h4_tag(given.live)
    return replace(given, call=replace(given.call, edits=tuple(edits), tag=tag), seen=None, shown=None, trail=None)


def _on(given: Given, text: str, *, is_checked: bool = True) -> EditResult:
    """The call on a text. With `is_checked`, its anchors must fit the text."""
    try:
        if is_checked:
            check_anchors(given, text)
        changes = changes_in(given, text)
        lines = ended_lines(text)
        for change in changes:
            _check_new(change, lines)
        if text == given.seen:
            check_shown(changes, given.shown)
    except PatchError as error:
        return refused(error)
    return apart(text, changes, "recommended")


def _check_new(change: Change, lines: Sequence[str]) -> None:
    """Raise PatchError for new lines that repeat the lines next to their place, or have marks of a view or diff."""
    said = [line for line in change.new if line.strip()]
    is_shown = said and 2 * sum(_OF_A_VIEW.match(line) is not None for line in said) >= len(said)
    if is_shown or _is_counted(said, change.first):
        raise PatchError(f"the new lines carry numbers of a view, as {said[0]!a:.80}: write their text alone.")
    around = lines[max(change.first - 2, 0) : change.last + 1]
    if said and all(line.startswith("+") for line in said) and not any(line.startswith("+") for line in around):
        raise PatchError(f"each new line has a + in front of it, as {said[0]!a:.80}: write their text alone.")
    if len(change.new) == change.n_lines == 1:
        return  # One line for one line: a line may become equal to the next one.
    for n, where in ((lines_repeated_above(change, lines), "above"), (lines_repeated_below(change, lines), "below")):
        if n:
            these = "the line" if n == 1 else f"{n} lines"
            raise PatchError(
                f"the new lines of edit {change.at + 1} repeat {these} {where} their place: name all lines that "
                "change, and give their complete new content.",
                reason=Reason.AMBIGUOUS,
            )


def _is_counted(lines: Sequence[str], first: int) -> bool:
    """True if the lines begin with consecutive numbers. A single line must begin with the number of its place."""
    found = [_NUMBERED.match(line) for line in lines]
    numbers = [int(one[1]) for one in found if one is not None]
    if len(numbers) != len(lines) or not numbers or (len(numbers) == 1 and numbers != [first]):
        return False
    return numbers == list(range(numbers[0], numbers[0] + len(lines)))
