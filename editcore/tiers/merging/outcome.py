"""Results of tiers: applied edits, and refusals of places that were found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from editcore.text.keys import BODY, RIGHT_TRIMMED, Key
from editcore.text.line_index import occurrences
from editcore.text.view import Lines
from editcore.text.whitespace import WHITESPACE, trim
from editcore.types import Applied, Evidence, KeptLine, Reason, Rejected

if TYPE_CHECKING:
    from editcore.text.view import FileView
    from editcore.tiers.merging.merge import Merged
    from editcore.tiers.query import Place, Query


def merged_result(view: FileView, merged: Merged, tier: str, repaired: tuple[str, ...] = ()) -> Applied | Rejected:
    """The result of an edit merged into its place; a refusal where that changes nothing."""
    start, end = view.start(merged.first), view.start(merged.last) - 1
    match = view.match(start, end, tier)
    first = view.line_at(start) + 1
    if not merged.changes(view):
        return Rejected(
            Reason.IDENTICAL, f"Line {first} already reads as new_string has it: nothing would change.", (match,)
        )
    if merged.is_reindented:
        repaired = (*repaired, "indentation")
    kept = tuple([KeptLine(first + at - merged.first, view.all[at], written) for at, written in merged.kept])
    content = view.with_lines(merged.first, merged.last, merged.lines)
    return Applied(content, (match,), tier, evidence=Evidence(repaired=repaired, kept=kept))


def already_there(query: Query, start: int, end: int, tier: str) -> Rejected:
    """The refusal of an edit that was made before."""
    view = query.view
    return Rejected(
        Reason.IDENTICAL,
        f"new_string is at line {view.line_at(start) + 1} already: the edit was made before.",
        (view.match(start, end, tier),),
    )


def several(query: Query, spans: Sequence[tuple[int, int]], tier: str) -> Rejected:
    """The refusal of a search text that fits several places, given as spans of the view."""
    view = query.view
    lines = ", ".join(str(view.line_at(start) + 1) for start, _ in spans)
    # Only exact places can be replaced all at once, and blocks of whole lines have no word for it.
    all_of_them = ", or set replace_all" if tier == "exact" and not query.whole_lines else ""
    return Rejected(
        Reason.AMBIGUOUS,
        f"old_string has multiple matches (lines {lines}): add surrounding lines that make it unique{all_of_them}.",
        tuple([view.match(start, end, tier) for start, end in spans]),
    )


_DOUBTS = {
    "indentation": "Line {line} fits but for its indentation, and it is not certain how new_string is to be indented: "
    "copy the lines with the indentation of the file.",
    "within_line": "The lines at {line} fit but for whitespace or characters that look alike, and new_string changes "
    "a line just there: copy the lines exactly from the file.",
    "neighbours": "The lines that new_string adds are beside line {line} already, and old_string is not the text there "
    "exactly: copy it again from the file.",
}


def doubted(place: Place, why: str, tier: str) -> Rejected:
    """The refusal of a place that fits, where the edit is not certain: `why` is a `Doubt`, or `neighbours`."""
    view, (start, end) = place.view, place.span
    message = _DOUBTS[why].format(line=view.line_at(start) + 1)
    return Rejected(Reason.NO_MATCH, message, (view.match(start, end, tier),))


# The test for edits that were made before: the lines that the edit adds are around its place already.
#
#     search text  |import os     new text  |import os     file  |import os     made before
#                                           |import sys          |import sys
#
# Only insertions can be tested, whose new text contains the search text. After any other edit the search text is gone.

_MOST_TRIES = 4
"""Places of the search text in the new text that are tried."""


def stands_literally(text: str, at: int, old: str, new: str) -> bool:
    """True if the rest of the new text is around an exact place of the search text already.

    Blank lines at the ends of the new text count only if it adds nothing else, since every line ends in a line feed.
    """
    core = old.strip("\n")
    start = at + old.index(core)
    end = start + len(core)
    for _, offset in zip(range(_MOST_TRIES), occurrences(new, core), strict=False):
        above, below = new[:offset], new[offset + len(core) :]
        head, rest = _below_blank_lines(above), _above_blank_lines(below)
        if head or rest:
            first = _start_above(text, start, head)
            is_there = (
                first is not None
                and text.startswith(rest, end)
                and _begins_and_ends_lines(text, first, end, head, rest)
            )
        else:
            is_there = _blank_above(text, start, above, old) and _blank_below(text, end, below, old)
        if is_there:
            return True
    return False


def _start_above(text: str, start: int, head: str) -> int | None:
    """The offset at which the lines added above `start` begin in the text; None if they are not there.

    The first of them may have another indentation: an edit within an indented line gave it that line's indentation.
    """
    if text.endswith(head, 0, start):
        return start - len(head)
    line, feed, others = head.partition("\n")
    at = start - len(others) - 1
    if not feed or at < 0 or not text.endswith(f"\n{others}", 0, start):
        return None
    first = text.rfind("\n", 0, at) + 1
    return first if text[first:at].lstrip(WHITESPACE) == line.lstrip(WHITESPACE) else None


def _begins_and_ends_lines(text: str, first: int, end: int, head: str, rest: str) -> bool:
    """True if lines added above and below a place of whole lines are whole lines too.

    A `)` at the end of the line above is not a line `)`.
    """
    last = end + len(rest)
    feed = text.find("\n", last)
    is_first = not trim(text[text.rfind("\n", 0, first) + 1 : first])
    is_last = not trim(text[last:] if feed < 0 else text[last:feed])
    is_within_line = ("\n" not in head and not is_first) or ("\n" not in rest and not is_last)
    return is_within_line or (is_first and is_last)


def _below_blank_lines(text: str) -> str:
    return text[text.rfind("\n", 0, len(text) - len(text.lstrip(WHITESPACE))) + 1 :]


def _above_blank_lines(text: str) -> str:
    end = text.find("\n", len(text.rstrip(WHITESPACE)))
    return text if end < 0 else text[:end]


def _blank_above(text: str, start: int, above: str, old: str) -> bool:
    """True if the blank lines `above` are above an offset; the line feed of another line does not count."""
    first = start - len(above)
    is_whole = not above or old.startswith("\n") or not trim(text[text.rfind("\n", 0, max(first, 0)) + 1 : first])
    return is_whole and text.endswith(above, 0, start)


def _blank_below(text: str, end: int, below: str, old: str) -> bool:
    """True if the blank lines `below` are below an offset; the line feed that ends the line there does not count."""
    last = end + len(below)
    feed = text.find("\n", last)
    is_whole = not below or old.endswith("\n") or (feed >= 0 and not trim(text[last:feed]))
    return is_whole and text.startswith(below, end)


def stands_in_lines(text: str, start: int, end: int, old: Lines, new: Lines, key: Key) -> bool:
    """True if the solid lines that the new text has above and below the search text are around its place already.

    The place is the whole lines from `start` to `end`. Lines are compared by `key`.
    """
    if key in (BODY, RIGHT_TRIMMED):
        beside = (next(_solid_above(text, start), None), next(_solid_below(text, end), None))
        if not any(line is not None and trim(line) in new.text for line in beside):
            return False  # Without dividing the texts into lines.
    if len(new.solid) <= len(old.solid):
        return False
    mine, wanted = old.keys(key), new.keys(key)
    row, piece = ("\n".join(["", *keys, ""]) for keys in (wanted, mine))
    for _, at in zip(range(_MOST_TRIES), occurrences(row, piece), strict=False):
        offset = row.count("\n", 0, at)
        above, below = wanted[:offset][::-1], wanted[offset + len(mine) :]
        if _begins(_solid_above(text, start), above, key) and _begins(_solid_below(text, end), below, key):
            return True
    return False


def _begins(lines: Iterator[str], wanted: list[str], key: Key) -> bool:
    return all((line := next(lines, None)) is not None and key(line) == one for one in wanted)


def _solid_above(text: str, at: int) -> Iterator[str]:
    """The solid lines above the line at `at`, the nearest first."""
    end = text.rfind("\n", 0, at)
    while end >= 0:
        start = text.rfind("\n", 0, end) + 1
        if trim(text[start:end]):
            yield text[start:end]
        end = start - 1


def _solid_below(text: str, at: int) -> Iterator[str]:
    """The solid lines below the line at `at`, the nearest first."""
    start = text.find("\n", at) + 1
    while start:
        end = text.find("\n", start)
        line = text[start:] if end < 0 else text[start:end]
        if trim(line):
            yield line
        start = end + 1
