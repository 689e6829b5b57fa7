"""The simple rules for a stale edit, as other programs have them; each is a function `(seen, live, decide)`.

`seen` is the file text as the model last saw it, `live` the current one. `decide(text)` applies the edit to any text.
All of them are measured against `stale.recommended`, which alone tells a line from its copies.
"""

from __future__ import annotations

from dataclasses import replace

from editcore.stale.alignment import Alignment, Change
from editcore.stale.edited import Edited, Part
from editcore.stale.rule import Decide, has_changed, merged, of_now, put_at, refused
from editcore.text.endings import line_feeds, written_like
from editcore.text.three_way import beside
from editcore.types import EditResult, Reason, Rejected

_APPLIED_TO_LIVE = "the file was changed since it was read, and has other changes than this edit"


def gate(seen: str, live: str, decide: Decide) -> EditResult:
    """Refuse the edit if the file text has changed since it was seen.

    Most programs that compare contents do this, as Claude Code did until June 2026 (`claude_code` is its rule since).
    The rule writes nothing wrong, and costs a read and a second edit for every change by a formatter, a user or another
    agent, wherever in the file the change is.
    """
    return decide(live) if seen == live else has_changed()


def mtime(seen: str, live: str, decide: Decide) -> EditResult:
    """Refuse the edit if the file was written to since it was seen, even with the same text.

    Programs that compare modification times do this, as Claude Code did in 2025. A stale sample always has a file that
    was written to.
    """
    del seen, live, decide
    return has_changed()


def match_live(seen: str, live: str, decide: Decide) -> EditResult:
    """Apply the edit to the current text, as if no older text had been seen.

    Zed does this since May 2026; before, it refused as `mtime` does. The rule finds unchanged lines wherever they are
    now. It cannot tell the lines that were meant from a copy of them that somebody has added above.
    """
    del seen
    return decide(live)


def claude_code(seen: str, live: str, decide: Decide) -> EditResult:
    """Apply the edit to the current text if its search text is exactly and once in it, with a note; else refuse it.

    Claude Code does this since July 2026. Its note is in public sessions from 18 July to 7 October 2026.
    A public description of 2.1.195 (27 June) has it behind an experiment's flag. Not known: the first version without
    the flag, what an edit of every place does, and whether a file that was read in part is treated alike. The program
    is closed and was not run.
    """
    result = decide(live)
    if seen == live:
        return result
    return has_changed() if isinstance(result, Rejected) else replace(result, notes=(*result.notes, _APPLIED_TO_LIVE))


def merge3(seen: str, live: str, decide: Decide) -> EditResult:
    """Apply the edit to the text that was seen, and merge both changes as `git merge-file` does.

        seen  |a     mine  |A     live  |x     merged  |x
              |b           |b           |a             |A
              |c           |c           |b             |b
                                        |C             |C

    Refused: changes of the same lines or of neighbouring lines, unless both are the same change, which is made once.
    A search text that only matches the current text is not found.
    """
    mine = decide(seen)
    if isinstance(mine, Rejected) or mine.content is None:
        return mine
    base, ours, theirs = (line_feeds(text) for text in (seen, mine.content, live))
    if ours == theirs:
        return Rejected(Reason.IDENTICAL, "the file has this change already: nothing is left to do.")
    both = beside(base, ours, theirs, apart=True)
    return has_changed() if both is None else of_now(mine, written_like(both, live))


def remap(seen: str, live: str, decide: Decide) -> EditResult:
    """Make the edit where its lines are now, if all of them moved by the same number of lines.

    oh-my-pi does this for its anchors. Each line of the edit must be unchanged, and so must the nearest line above or
    below it. Where the edit's lines occur several times in either text, both neighbours must be unchanged.
    """
    mine = decide(seen)
    if isinstance(mine, Rejected) or mine.content is None:
        return mine
    alignment = Alignment(seen, live)
    parts = Edited(seen, mine, alignment.old).parts()
    by = {alignment.moved_by(part.first, part.last) for part in parts}
    if None in by:
        return refused(alignment, parts)
    if len(by) != 1 or not all(_has_context(alignment, part) for part in parts):
        return has_changed()
    return merged(live, alignment, [put_at(one, one.first + (moved or 0)) for moved in by for one in parts], mine)


def _has_context(alignment: Alignment, part: Part) -> bool:
    by = alignment.moved_by(part.first, part.last)
    beside = [n for n in (part.first - 1, part.last) if 0 <= n < len(alignment.old)]
    stays = [by is not None and alignment.there[n] == n + by for n in beside]
    return any(stays) and (all(stays) or alignment.place_of(part.first, part.last).at is not None)


_CONTEXT = 3


def patch0(seen: str, live: str, decide: Decide) -> EditResult:
    """Apply the edit to the text that was seen, and apply its diff to the current text with offsets, without fuzz.

    pi-hashline-edit does this with a version that it remembers. Each hunk has three context lines on either side, and
    more if these are blank. All of its lines must follow each other in the current text. Of several such places the
    nearest one is taken.
    """
    mine = decide(seen)
    if isinstance(mine, Rejected) or mine.content is None:
        return mine
    alignment, by, above, changes = Alignment(seen, live), 0, 0, list[Change]()
    for hunk in Edited(seen, mine, alignment.old).parts(context=_CONTEXT):
        at = _nearest(alignment.new, alignment.old[hunk.first : hunk.last], hunk.first + by, above)
        if at is None:
            return has_changed()
        changes.append(put_at(hunk, at))
        by, above = at - hunk.first, at + hunk.last - hunk.first
    return merged(live, alignment, changes, mine)


def _nearest(lines: list[str], wanted: list[str], at: int, above: int) -> int | None:
    """The place of `wanted` in `lines` nearest to line `at` and not above line `above`; None if there is none."""
    if not wanted:
        return min(max(at, above), len(lines))
    # Outward from `at`: most hunks are where they should be, and listing all places of each hunk would be quadratic.
    last = len(lines) - len(wanted)
    for distance in range(max(at - above, last - at, 0) + 1):
        for start in dict.fromkeys((at - distance, at + distance)):
            if above <= start <= last and lines[start : start + len(wanted)] == wanted:
                return start
    return None
