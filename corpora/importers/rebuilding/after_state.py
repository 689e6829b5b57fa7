"""What an edit's log says of its files afterwards, given the texts that it was made for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from corpora.importers.rebuilding import paths, recorded_diff
from corpora.importers.rebuilding.exact_match import Exact, exact
from corpora.importers.rebuilding.explained_change import explained, shown_by, written
from corpora.importers.rebuilding.session import Attempt, RecordedDiff

Source = Literal["tool_result", "git", "replayed"]
"""Where the texts before an edit come from."""
Texts = dict[str, str]
"""Texts by absolute path."""
Absolute = Callable[[str], str]
"""Makes a path of the log absolute."""


class Afterwards(NamedTuple):
    """The files after an edit that was applied."""

    texts: Texts | None = None
    """None where nobody knows."""
    won: str = ""
    """Where they come from: tool_result, git; exact where the edit can have had one result only."""
    why_not: str = ""
    """Why they are not to be taken for the edit's result; empty where they are."""
    literally: Texts | None = None
    """The files with each edit made where its find stands exactly; None where one can't be."""

    @property
    def is_lost(self) -> bool:
        """What the log says does not fit the texts before: nothing is known of the files."""
        return self.texts is None or self.why_not.endswith("the text")


def afterwards(attempt: Attempt, old: Texts, source: Source, absolute: Absolute) -> Afterwards:
    """The files after an edit that was applied to these, as far as its log tells."""
    result = stands(attempt, old)
    literally, by_tool = _in(old, result.text), _in(old, result.by_tool)
    after: Texts | None = None
    won = why_not = ""
    if attempt.after is not None:
        after, won = {absolute(file.path): file.content for file in attempt.after}, attempt.evidence
        of_one_piece = attempt.before is not None and attempt.evidence == "tool_result"
        if not of_one_piece and after not in (literally, by_tool) and not explained(attempt, old, after):
            why_not = "more changed than the edit says"
    elif diffs := complete(attempt, absolute):
        after, won = _by_diffs(diffs, old, by_tool, written(attempt)[1], absolute), "tool_result"
        if after is None or (source != "tool_result" and not shown_by(attempt, old)):
            why_not = "the recorded diff does not fit the text"
    elif literally is not None and literally == by_tool:
        after, won = literally, "exact"
    if attempt.changed_by_user:
        why_not = "the user changed the proposal"
    return Afterwards(after, won, why_not, literally)


def complete(attempt: Attempt, absolute: Absolute) -> tuple[RecordedDiff, ...]:
    """The recorded diffs, if there is one for each file."""
    told = {absolute(path) for diff in attempt.diffs for path in (diff.path, diff.moved_to) if path}
    return attempt.diffs if told.issuperset(map(absolute, paths.named(attempt))) else ()


def stands(attempt: Attempt, old: Texts) -> Exact:
    """How the finds of an edit stand to the text of its only file."""
    return exact(attempt, next(iter(old.values()))) if len(old) == 1 else Exact(0)


def contradicts(attempt: Attempt, n_found: int) -> bool:
    """Whether a text in which the first find stands so often can't be the one for which the edit was refused."""
    edits = attempt.edits or ()
    impossible = {"no_match": (1, 2) if len(edits) == 1 else (1,), "ambiguous": (1,)}.get(attempt.outcome, ())
    return bool(edits) and n_found in impossible and "sees_window" not in attempt.quirks


def _by_diffs(
    diffs: tuple[RecordedDiff, ...], old: Texts, by_tool: Texts | None, said: list[str], absolute: Absolute
) -> Texts | None:
    """The texts afterwards as recorded diffs have them; None where one fits neither them nor the exact result."""
    after = dict(old)
    for diff in diffs:
        path = absolute(diff.path)
        before, expected = old.get(path, ""), (by_tool or {}).get(path)
        if expected is not None and recorded_diff.agrees(diff, before, expected):
            text: str | None = expected
        else:
            text = recorded_diff.result(diff, before, said=said)
        if text is None:
            return None
        after.pop(path, None)
        if not recorded_diff.removes(diff):
            after[absolute(diff.moved_to or diff.path)] = text
    return after


def _in(old: Texts, text: str | None) -> Texts | None:
    """The text in the place of the only one there was."""
    return None if text is None else dict.fromkeys(old, text)
