"""Continue's edit tool.

Evidence: read (`findSearchMatch.ts`, 2025) for three steps; the third of these four, which was there for a time, is
documented.

    exact        indexOf
    trimmed      the search text without whitespace at its ends
    letters      the search text in any case
    squeezed     all whitespace removed from both, and the place mapped back

Policy: the first place of the first step that has one; the number of places is never looked at. A blank search text is
found at the start of the file. Line endings and indentation are not touched.

Known false positive: several, by design of the rule; a control that shows what uniqueness is worth.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate

from editcore.agents.matching.results import not_found, replaced, unchanged
from editcore.agents.rule import AgentRule, in_turn
from editcore.text.whitespace import WORD, trim, words
from editcore.types import Applied, Edit, EditResult


def continue_dev(text: str, edit: Edit) -> EditResult:
    """Continue: exact, stripped, in any case, without any whitespace; always the first place."""
    old, new = edit.old_string, edit.new_string
    if old == new:
        raise unchanged()
    if edit.replace_all and old and old in text:
        return Applied(text.replace(old, new), (), "exact")
    if not trim(old):
        return replaced(text, 0, 0, new, "top")
    for step, find in (("exact", old), ("trimmed", trim(old))):
        at = text.find(find)
        if at >= 0:
            return replaced(text, at, at + len(find), new, step)
    lower = text.lower()
    at = lower.find(old.lower()) if len(lower) == len(text) else -1
    if at >= 0:
        return replaced(text, at, at + len(old.lower()), new, "letters")
    squeezed = _squeezed(text, old)
    if squeezed is None:
        raise not_found()
    return replaced(text, *squeezed, new, "squeezed")


def _squeezed(text: str, old: str) -> tuple[int, int] | None:
    """The first place of the search text when no whitespace counts."""
    needle, found = "".join(words(old)), list(WORD.finditer(text))
    at = "".join(one[0] for one in found).find(needle)
    if at < 0:
        return None
    ends = list(accumulate(len(one[0]) for one in found))
    first, last = bisect_right(ends, at), bisect_left(ends, at + len(needle))
    # The place begins where the character before it ends, so whitespace above it is taken too.
    start = found[first].end() - (ends[first] - at)
    if first and start == found[first].start():
        start = found[first - 1].end()
    elif not first and at == 0:
        start = 0
    return start, found[last].end() - (ends[last] - at - len(needle))


CONTINUE = (AgentRule("continue", "Continue 2025", "read", "first", in_turn(continue_dev)),)
