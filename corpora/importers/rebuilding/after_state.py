"""The files after an applied edit, as its log shows them, given the texts that it was made for."""

from __future__ import annotations

from typing import Literal, NamedTuple

from corpora.importers.rebuilding import paths, recorded_diff
from corpora.importers.rebuilding.begin_patches import Absolute, has_same_extent, only_result
from corpora.importers.rebuilding.exact_match import ExactResult, apply_exactly, has_anchors
from corpora.importers.rebuilding.explained_change import context_stands_in, edit_lines, explains_all_changes
from corpora.importers.session import Attempt, RecordedDiff
from editcore.patches.line_edits import replace_lines
from editcore.types import Applied

Source = Literal["tool_result", "git", "replayed"]
"""Where the texts before an edit come from; `replayed` are those of the session's own reads, writes and edits."""
Texts = dict[str, str]
"""Texts by absolute path."""


class AfterState(NamedTuple):
    """The files after an edit that was applied."""

    texts: Texts | None = None
    """None if they are unknown."""
    evidence: str = ""
    """Where they come from: tool_result or git; exact if the edit can have had one result only."""
    why_not: str = ""
    """Why they cannot be taken as the edit's result; empty if they can."""
    exact: Texts | None = None
    """The files with each search text replaced where it occurs exactly once; None if one does not."""
    is_corrected: bool = False
    """The lines that the edit names by anchors are certain; what the tool made of the new ones is its guess."""

    @property
    def is_lost(self) -> bool:
        """The log contradicts the texts before the edit, so that nothing is known of the files."""
        return self.texts is None or self.why_not.endswith("the text")


def after_state(attempt: Attempt, old: Texts, source: Source, absolute: Absolute) -> AfterState:
    """The files after an edit that was applied to the texts `old`, as far as its log shows them."""
    result = exact_result(attempt, old)
    exact, by_tool = _as_only_text(old, result.text), _as_only_text(old, result.by_tool)
    after: Texts | None = None
    evidence = why_not = ""
    if attempt.after is not None:
        after, evidence = {absolute(file.path): file.content for file in attempt.after}, attempt.evidence
        of_one_piece = attempt.before is not None and attempt.evidence == "tool_result"
        if not of_one_piece and after not in (exact, by_tool) and not explains_all_changes(attempt, old, after):
            why_not = "more changed than the edit says"
    elif diffs := complete_diffs(attempt, absolute):
        after, evidence = _by_diffs(diffs, old, by_tool, edit_lines(attempt)[1], absolute), "tool_result"
        if after is None or (source != "tool_result" and not context_stands_in(attempt, old)):
            why_not = "the recorded diff does not fit the text"
    elif exact is not None and exact == by_tool:
        after, evidence = exact, "exact"
    elif not attempt.diffs:
        after = _as_only_text(old, _by_line_numbers(attempt, old)) or only_result(attempt, old, absolute)
        evidence = "exact"
    if after is not None and not why_not and not has_same_extent(attempt, old, after, absolute):
        after = None
    if attempt.changed_by_user:
        why_not = "the user changed the proposal"
    is_corrected = after != exact and any(has_anchors(attempt, text) for text in old.values())
    return AfterState(after, evidence, why_not, exact, is_corrected)


def changes_nothing(attempt: Attempt, old: Texts, absolute: Absolute) -> bool:
    """Whether an edit, made exactly where it says, leaves the texts as they are."""
    text = exact_result(attempt, old).text
    made = _as_only_text(old, _by_line_numbers(attempt, old) if text is None else text)
    return old == (only_result(attempt, old, absolute) if made is None else made)


def complete_diffs(attempt: Attempt, absolute: Absolute) -> tuple[RecordedDiff, ...]:
    """The recorded diffs, if they cover every file of the edit; else none."""
    covered = {absolute(path) for diff in attempt.diffs for path in (diff.path, diff.moved_to) if path}
    return attempt.diffs if covered.issuperset(map(absolute, paths.named(attempt))) else ()


def exact_result(attempt: Attempt, old: Texts) -> ExactResult:
    """How often the search texts of an edit occur in its file, and the result; nothing found for several files."""
    return apply_exactly(attempt, next(iter(old.values()))) if len(old) == 1 else ExactResult(0)


def contradicts_failure(attempt: Attempt, n_found: int) -> bool:
    """Whether an edit with that many matches cannot have been refused as recorded, so that the text is another one."""
    edits = attempt.edits or ()
    impossible = {"no_match": (1, 2) if len(edits) == 1 else (1,), "ambiguous": (1,)}.get(attempt.outcome, ())
    return bool(edits) and n_found in impossible and "sees_window" not in attempt.quirks


def _by_diffs(
    diffs: tuple[RecordedDiff, ...], old: Texts, by_tool: Texts | None, written_lines: list[str], absolute: Absolute
) -> Texts | None:
    """The texts after the recorded diffs; None if a diff fits neither the texts before nor the exact result."""
    after = dict(old)
    for diff in diffs:
        path = absolute(diff.path)
        before, expected = old.get(path, ""), (by_tool or {}).get(path)
        if expected is not None and recorded_diff.agrees(diff, before, expected):
            text: str | None = expected
        else:
            text = recorded_diff.apply_recorded(diff, before, written_lines=written_lines)
        if text is None:
            return None
        after.pop(path, None)
        if not recorded_diff.removes_file(diff):
            after[absolute(diff.moved_to or diff.path)] = text
    return after


def _by_line_numbers(attempt: Attempt, old: Texts) -> str | None:
    """The text after an edit that names the lines it replaces, and no other place."""
    if attempt.format != "line_range" or attempt.line is None or attempt.end_line is None or len(old) != 1:
        return None
    done = replace_lines(next(iter(old.values())), attempt.line, attempt.end_line, attempt.patch or "")
    return done.content if isinstance(done, Applied) else None


def _as_only_text(old: Texts, text: str | None) -> Texts | None:
    """The text, by the path of the only file."""
    return None if text is None else dict.fromkeys(old, text)
