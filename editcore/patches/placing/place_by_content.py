"""Placing hunks by their lines and hints, wherever these match in a file. Raises PatchError.

A model writes a hunk from memory: its numbers are guesses, and its lines often occur several times.

    hunk 1  |@@ def f():          file  1 |def f():          places of hunk 1: 2, 4    of hunk 2: 3, 5
            |-    a = 1                 2 |    a = 1
            |+    a = 2                 3 |    b = 1         order leaves      2, 4               3, 5
    hunk 2  |@@                         4 |    a = 1         `@@ def f()`      2, 4 (both are in its block)
            |-    b = 1                 5 |    b = 1         no hint is left: refused, with the lines 2 and 4
            |+    b = 2

Idea: a hunk has candidates, the places at which its lines match by the strictest equality that gives any. A hint
never adds a place. It leaves some of them, and is ignored if it would leave none. Hints are asked from the surest to
the least sure: the marked end of the file, the order of all hunks, `@@` lines; then hunk by hunk the end of the
previous hunk, the line number if it is exactly a place's, and a closing line. A hunk with several places left
is refused, and so is a hunk whose hints contradict each other. Only a hunk without any place is mended: first slips
in its marks, then alignment with the file, then parts (see `candidates`). Each of these must leave one certain place
by itself, since no hint was asked.

Invariants:

- No two hunks take one line, except for context that both show, if the policy lets them overlap.
- A hunk whose new lines are around its place already was made before. It is refused, and never made twice.
- The lines of a hunk match where it is placed, whatever the hints say. A hint only chooses among such places.
- The work is linear in file and patch: places are found in an index, and at most `MAX_PLACES` of them.

What does not work, counted on 1,353 recorded envelopes and 995 recorded diffs of known result, 1,252 and 850 of them
right today:

- Placing without the order of all hunks: 107 envelopes fewer are right. Without closing lines: 55 fewer.
- Taking the first of several places, as most programs do: 22 envelopes more would be right, all recorded from programs
  that do so. Of equal places it picks one, and nobody notices. Taking the place nearest to the stated line gains
  nothing, and is wrong wherever the numbers are.
- Aligning hunks of envelopes line by line, as in diffs: one more is right, two more are wrong.

To add a hint: a member of `Hint` in `policy`, a line in `_placed` or `_narrow` that calls `Candidates.narrow` with
the places it leaves and a note, and its rank in the order above. To add a mending: a member of `Mending`, a call in
`CandidateSearch`, and a text case for each side of its border.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editcore.errors import PatchError
from editcore.patches.placing.anchors import Anchors
from editcore.patches.placing.candidates import BY_ORDER, Candidates, CandidateSearch, in_order, nearest
from editcore.patches.placing.closers import place_below_closer
from editcore.patches.placing.place_by_number import place_by_number
from editcore.patches.placing.policy import (
    MARKER_IGNORED,
    ByNumber,
    Format,
    Hint,
    Mending,
    Placed,
    Policy,
    changes,
    n_added_above,
    n_context,
)
from editcore.patches.placing.refusals import MAX_PLACES
from editcore.patches.placing.reindenting import reindented, shows_indentation
from editcore.text.line_index import LineIndex
from editcore.types import FilePatch, Hunk, Reason


def place(
    lines: Sequence[str], has_last_newline: bool, section: FilePatch, policy: Policy, text: str | None = None
) -> list[Placed]:
    """Place the hunks of an update so that no two overlap. `text`: the lines joined, if it is at hand."""
    placing, is_diff = policy.placing, policy.format is Format.DIFF
    if isinstance(placing, ByNumber):
        return place_by_number(lines, has_last_newline, section, placing)
    seeker = LineIndex(lines, text)
    search = CandidateSearch(seeker, Anchors(seeker), section, placing)
    hunks: list[Candidates] = []
    for hunk in section.hunks:
        if is_diff and not changes(hunk):
            search.check_matches(hunk)
        else:
            hunks.append(search.of(hunk))
    if any(len(found.places) > 1 for found in hunks):
        _narrow(search, hunks, in_order=is_diff)
    placed: list[Placed] = []
    taken = _TakenLines()
    for candidates in hunks:
        found = _placed(search, candidates, placed[-1] if placed else None, taken.end, alike=not is_diff)
        if found.hunk.source_no_newline and (has_last_newline or found.line + found.n_old < len(lines)):
            found = _unmarked(found, section)
        placed.append(_apart(found, placed[-1]) if placed and Mending.OVERLAPS in placing.mending else found)
        taken.take(placed[-1], len(placed))
        if is_diff and len(placed) > 1:
            _check_order(placed[-2:], hunks[len(placed) - 2 : len(placed)])
    if not is_diff:
        _check_indentation(search, placed)
    return placed


def _narrow(search: CandidateSearch, hunks: Sequence[Candidates], *, in_order: bool) -> None:
    """Narrow the places of every hunk by the order of all hunks and by its own anchors."""
    by_anchor = [search.by_anchors(found) if len(found.places) > 1 else () for found in hunks]
    is_ordered = _narrow_by_order(search, hunks, is_required=in_order)
    for found, lines in zip(hunks, by_anchor, strict=True):
        left = set(found.places).intersection(lines)
        if lines and not left:
            raise search.refusals(found.hunk).contradictory(lines, found.places)
        found.narrow([line for line in lines if line in left], "placed by its @@ line")
    if is_ordered and any(by_anchor):
        _narrow_by_order(search, hunks, is_required=in_order)


def _narrow_by_order(search: CandidateSearch, hunks: Sequence[Candidates], *, is_required: bool) -> bool:
    """Narrow the places of every hunk by the order of all hunks; False if no order fits."""
    if Hint.ORDER not in search.placing.hints or any(len(found.places) > MAX_PLACES for found in hunks):
        return False
    left = in_order([found.places for found in hunks], [len(found.old) for found in hunks])
    for found, places in zip(hunks, left or (), strict=False):
        stated = (found.hunk.source_start or 0) - 1
        if is_required and places and stated not in places and stated in found.places:
            raise search.refusals(found.hunk).contradictory([stated], places)
        found.narrow(places, BY_ORDER)
    return left is not None


def _placed(search: CandidateSearch, found: Candidates, last: Placed | None, cursor: int, *, alike: bool) -> Placed:
    """The hunk at its one place, by the first hint that leaves only one. Raises PatchError if none does.

    `last`: the placed previous hunk. `cursor`: one past the last line that earlier hunks took.
    """
    seeker, hints, hunk = search.seeker, search.placing.hints, found.hunk
    if len(found.places) > 1:
        if Hint.ORDER in hints and cursor:
            found.narrow([line for line in found.places if line >= cursor], BY_ORDER)
        shift = last.line + 1 - last.hunk.source_start if last and last.hunk.source_start else 0
        if Hint.NUMBERS in hints and hunk.source_start and len(found.places) > 1:
            near = nearest(found.places, hunk.source_start - 1 + shift)
            found.narrow([] if near is None else [near], "placed by its line number")
        if Hint.CLOSERS in hints and last is not None and len(found.places) > 1 and found.places[0] >= cursor:
            below = place_below_closer(hunk, found.places, seeker.lines, cursor)
            found.narrow([] if below is None else [below], "placed below the first closing line under the hunk before")
        if Hint.FIRST in hints:
            found.narrow(found.places[:1], "the first of several places")
        if len(found.places) > 1:
            # A hunk without old lines is shown at its anchors.
            raise search.refusals(hunk).ambiguous([line - (not found.old) for line in found.places])
    line, equality, old = found.places[0], found.equality, found.old
    if equality == "exact" and not seeker.matches_at(old, equality, line):
        equality = "line_endings"
    made = _made_before(seeker, hunk, equality, line)
    if made is not None:
        raise search.refusals(hunk).applied_already(made)
    if Hint.NUMBERS in hints and line + 1 == hunk.source_start and _lacks_added(hunk):
        raise search.refusals(hunk).cut_off()
    placed = Placed(hunk, line, len(old), equality, notes=found.notes)
    return _reindented(search, placed, old, by_context=alike) if equality in ("trimmed", "folded") else placed


def _made_before(seeker: LineIndex, hunk: Hunk, equality: str, line: int) -> int | None:
    """The 0-based line at which the new lines of a hunk are already, around its place; None if they are not."""
    new, old = hunk.new, hunk.old
    if len(new) <= len(old):
        return None
    # Lines without context went below their anchor, or to the end of the file.
    starts = (line - n_added_above(hunk),) if old else (line, line - len(new))
    compared = equality if old else "line_endings"
    return next((start for start in starts if seeker.matches_at(new, compared, start)), None)


def _lacks_added(hunk: Hunk) -> bool:
    """True if a hunk ends in an added line, and has fewer of them than its counts say."""
    if not hunk.old or hunk.lines[-1][0] != "+" or hunk.source_length is None or hunk.target_length is None:
        return False
    return hunk.target_length - len(hunk.new) > max(hunk.source_length - len(hunk.old), 0)


def _reindented(search: CandidateSearch, found: Placed, old: Sequence[str], *, by_context: bool) -> Placed:
    """The hunk, re-indented as the file is. Raises PatchError if the indentation of a new line is not certain."""
    result = reindented(found, old, search.seeker.lines, by_context=by_context)
    if result is None:
        raise search.refusals(found.hunk).indented_unevenly(found.line)
    return result


def _check_indentation(search: CandidateSearch, placed: Sequence[Placed]) -> None:
    """Raise PatchError if some hunks are indented as the file is, and the context of another one is not.

    If all are off, the whole patch was indented otherwise. If one is, its writer may have meant it: the tools whose
    results were recorded wrote the indentation of the patch then, in eight of eight cases.
    """
    first = next((found for found in placed if found.shifted), None)
    if first and any(shows_indentation(found, search.seeker.lines) for found in placed):
        raise search.refusals(first.hunk).indented_alone(first.line)


def _unmarked(found: Placed, section: FilePatch) -> Placed:
    """The hunk without its wrong marker of a missing final line feed. Raises PatchError if the marker matters."""
    if not found.hunk.target_no_newline or found.hunk.lines[-1][0] != " ":
        message = f"the hunk says that {section.path} has no line feed at its end, but it has: leave that out."
        raise PatchError(message, line=found.hunk.patch_line, reason=Reason.NO_MATCH)
    # Below context, both sides end as the file does.
    hunk = replace(found.hunk, source_no_newline=False, target_no_newline=False)
    return replace(found, hunk=hunk, notes=(*found.notes, MARKER_IGNORED))


def _apart(found: Placed, last: Placed) -> Placed:
    """The hunk without the first lines of context that are the last ones of the previous hunk."""
    shared = last.line + last.n_old - found.line
    if found.line < last.line or not 0 < shared <= min(n_context(found.hunk.lines), n_context(last.hunk.lines[::-1])):
        return found
    hunk = replace(found.hunk, lines=found.hunk.lines[shared:])
    notes = (*found.notes, "its first context is the last of the hunk before")
    return replace(found, hunk=hunk, line=found.line + shared, n_old=found.n_old - shared, notes=notes)


class _TakenLines:
    """The lines of a file on which hunks were placed, looked up in constant time."""

    def __init__(self) -> None:
        self.end = 0
        """One past the last line taken."""
        self._lines: dict[int, int] = {}
        """Line -> number of the hunk placed on it."""
        self._gaps: dict[int, int] = {}
        """Line -> number of a hunk that only adds lines, above this one."""

    def take(self, found: Placed, number: int) -> None:
        """Reserve the lines of a hunk. Raises PatchError if another hunk has one of them."""
        lines = range(found.line, found.line + found.n_old)
        others = [self._lines[line] for line in lines if line in self._lines]
        others += [self._gaps[line] for line in lines[1:] if line in self._gaps]
        if lines:
            self._lines.update(dict.fromkeys(lines, number))
        else:
            above, below = self._lines.get(found.line - 1), self._lines.get(found.line)
            others += [above] if above is not None and above == below else []
            self._gaps.setdefault(found.line, number)
        if others:
            message = f"the hunk overlaps hunk {min(others)}, which changes the same lines: join the two."
            raise PatchError(message, line=found.hunk.patch_line, reason=Reason.AMBIGUOUS)
        self.end = max(self.end, lines.stop)


def _check_order(placed: Sequence[Placed], hunks: Sequence[Candidates]) -> None:
    """Raise PatchError if a hunk is above the previous one, unless the lines of both leave one place each."""
    above, found = placed
    if found.line >= above.line:
        return
    if all(one.is_only and not there.shifted for there, one in zip(placed, hunks, strict=True)):
        return
    message = f"the hunk stands at line {found.line + 1}, above the one before it: put the hunks in the file's order."
    raise PatchError(message, line=found.hunk.patch_line)
