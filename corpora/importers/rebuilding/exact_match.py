"""Edits whose search text occurs exactly once in the file text: their result needs no guess."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from typing import NamedTuple

from corpora.importers.rebuilding.paths import named
from corpora.importers.session import Attempt
from corpora.sample import LARGEST_TEXTS
from editcore.anchors import apply_anchored
from editcore.formats import ANCHORED_FORMATS
from editcore.types import Applied, Edit

_MOST_PLACES = 1_000_000


class ExactResult(NamedTuple):
    """How often the search texts of an edit occur in a text, and what replacing them gives."""

    n_found: int
    """Matches of the first search text that cannot be replaced: 0, or 2 for more than one. 1 if all can be replaced."""
    text: str | None = None
    """The text with all replaced; None if one cannot be."""
    by_tool: str | None = None
    """The text as the agent's tool leaves it, with its quirks; None if these cannot be predicted."""


def apply_exactly(attempt: Attempt, text: str) -> ExactResult:
    """Replace the search text of each edit where it occurs exactly, or the lines that have its anchors; all or none."""
    if attempt.format in ANCHORED_FORMATS:
        return _apply_at_anchors(attempt, text)
    if not attempt.edits or attempt.format not in ("str_replace", "search_replace"):
        return ExactResult(0)
    if attempt.against_original:
        return _apply_all_to_original(attempt, text)
    applied = by_tool = text
    for edit in attempt.edits:
        places = _places(attempt, edit, applied)
        if not _replaceable(edit, places):
            return ExactResult(min(len(places), 2))
        if _is_too_large(applied, edit, places) or _is_too_large(by_tool, edit, places):
            return ExactResult(0)
        applied = _replaced(applied, edit.old_string, edit.new_string, places)
        by_tool = _replaced_by_tool(attempt, edit, by_tool)
    return ExactResult(1, applied, _as_tool_leaves_it(attempt, by_tool))


def _apply_at_anchors(attempt: Attempt, text: str) -> ExactResult:
    """Replace the lines of this text that have all the anchors, but for new lines that may be an echo of others."""
    name = next(iter(named(attempt)), "")
    done = apply_anchored({name: text}, attempt.patch or "", attempt.format)
    content = done.content if isinstance(done, Applied) else None
    return ExactResult(0) if content is None else ExactResult(1, content, content)


def has_anchors(attempt: Attempt, text: str) -> bool:
    """Whether the lines of a text have all anchors of an edit; False for other formats."""
    if attempt.format not in ANCHORED_FORMATS:
        return False
    name = next(iter(named(attempt)), "")
    return isinstance(apply_anchored({name: text}, attempt.patch or "", attempt.format, rule="strict"), Applied)


def _apply_all_to_original(attempt: Attempt, text: str) -> ExactResult:
    """Make all edits against the same text; edits that overlap cannot be made."""
    spans: list[tuple[int, int, str]] = []
    for edit in attempt.edits or ():
        places = _places(attempt, edit, text)
        if not _replaceable(edit, places):
            return ExactResult(min(len(places), 2))
        if _is_too_large(text, edit, places):
            return ExactResult(0)
        spans += ((at, at + len(edit.old_string), edit.new_string) for at in places)
    spans.sort()
    if any(one[1] > other[0] for one, other in pairwise(spans)):
        return ExactResult(0)
    applied = _with_spans(text, spans)
    return ExactResult(1, applied, _as_tool_leaves_it(attempt, applied))


def _is_too_large(text: str, edit: Edit, places: list[int]) -> bool:
    """Whether the text after an edit is larger than a sample may be: edits that double a file add up to terabytes."""
    return len(text) + len(places) * len(edit.new_string) > LARGEST_TEXTS


def _replaceable(edit: Edit, places: list[int]) -> bool:
    return edit.occurrence is None and (len(places) == 1 or (edit.replace_all and bool(places)))


def _places(attempt: Attempt, edit: Edit, text: str) -> list[int]:
    """The offsets of a search text, at most two if only one may be replaced, else those that do not overlap.

    A search/replace block matches at line starts only. None at all where there are too many to be an agent's edit.
    """
    found = list(islice(_all_places(edit, text, attempt.format == "search_replace"), _MOST_PLACES))
    return found if len(found) < _MOST_PLACES else []


def _all_places(edit: Edit, text: str, whole_lines: bool) -> Iterator[int]:
    find = edit.old_string
    if not find:
        return
    step = len(find) if edit.replace_all else 1
    n = 0
    at = 0 if whole_lines and text.startswith(find) else _next_place(text, find, 0, whole_lines)
    while at >= 0:
        yield at
        n += 1
        if n == 2 and not edit.replace_all:
            return
        at = _next_place(text, find, at + step, whole_lines)


def _next_place(text: str, find: str, start: int, whole_lines: bool) -> int:
    if not whole_lines:
        return text.find(find, start)
    at = text.find("\n" + find, max(0, start - 1))
    return at + 1 if at >= 0 else -1


def _with_spans(text: str, spans: Iterable[tuple[int, int, str]]) -> str:
    """The text with other texts in some spans, which ascend and do not overlap."""
    pieces, done = [], 0
    for start, end, new in spans:
        pieces += [text[done:start], new]
        done = end
    return "".join(pieces) + text[done:]


def _replaced(text: str, old: str, new: str, places: list[int]) -> str:
    return _with_spans(text, ((at, at + len(old), new) for at in places))


def _replaced_by_tool(attempt: Attempt, edit: Edit, text: str) -> str:
    old = edit.old_string
    if "takes_line_feed" in attempt.quirks and not edit.new_string and not old.endswith("\n") and old + "\n" in text:
        old += "\n"
    return _replaced(text, old, edit.new_string, _places(attempt, Edit(old, "", True), text))


def _as_tool_leaves_it(attempt: Attempt, text: str) -> str | None:
    """The text as the tool leaves it; None if that cannot be predicted."""
    if "expands_tabs" in attempt.quirks and "\t" in text:
        return None
    if "sees_window" in attempt.quirks and any(edit.replace_all for edit in attempt.edits or ()):
        return None
    if "ends_in_line_feed" in attempt.quirks and text and not text.endswith("\n"):
        return text + "\n"
    return text
