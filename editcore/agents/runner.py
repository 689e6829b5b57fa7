"""Results of rules: one span replaced, or a refusal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from editcore.errors import PatchError
from editcore.types import MAX_CANDIDATES, Applied, Edit, Match, Reason

MOST_IN_GAPS = 1 << 26
"""Characters at most of a text into whose every gap a new text is put."""


def replaced(text: str, start: int, end: int, new: str, step: str, *, similarity: float = 1.0) -> Applied:
    """The text with a span replaced."""
    return Applied(text[:start] + new + text[end:], (Match(start, end, step, similarity),), step)


def replaced_everywhere(text: str, spans: Iterable[tuple[int, int]], new: str, step: str) -> Applied:
    """The text with several spans replaced; they are in order and do not overlap."""
    out, matches, done = [], [], 0
    for start, end in spans:
        out += [text[done:start], new]
        matches.append(Match(start, end, step))
        done = end
    return Applied("".join(out) + text[done:], tuple(matches), step)


def not_found() -> PatchError:
    """The refusal of a search text that the rule does not find."""
    return PatchError(
        "old_string was not found: read the file again and copy the text exactly.", reason=Reason.NO_MATCH
    )


def several(text: str, spans: Sequence[tuple[int, int]], step: str) -> PatchError:
    """The refusal of a search text that the rule finds in several places; the spans may be only the first of them."""
    first = spans[:MAX_CANDIDATES]
    lines = ", ".join(str(text.count("\n", 0, start) + 1) for start, _ in first)
    return PatchError(
        f"old_string has multiple matches (lines {lines}): add surrounding lines that make it unique.",
        reason=Reason.AMBIGUOUS,
        candidates=tuple(Match(start, end, step) for start, end in first),
    )


def unchanged() -> PatchError:
    """The refusal of an edit that would change nothing."""
    return PatchError("old_string and new_string are identical: nothing would change.", reason=Reason.IDENTICAL)


def nothing_happened(edits: Sequence[Edit]) -> PatchError:
    """The refusal of edits none of which changed anything: they found nothing, or there was nothing to change."""
    return unchanged() if all(edit.old_string == edit.new_string for edit in edits) else not_found()


def nothing_sought() -> PatchError:
    """The refusal of an empty search text."""
    return PatchError("old_string is empty: give the text to replace.", reason=Reason.EMPTY)
