"""The files after an edit that was applied, as its log and its own text show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Literal, NamedTuple

from corpora.importers.rebuilding import paths, recorded_diff
from corpora.importers.rebuilding.paths import named
from corpora.importers.session import APPLIED, Attempt, RecordedDiff
from corpora.sample import LARGEST_TEXTS
from editcore.anchors import apply_anchored
from editcore.errors import PatchError
from editcore.formats import ANCHORED_FORMATS
from editcore.patches.begin_patch import apply_begin_patch
from editcore.patches.line_edits import replace_lines
from editcore.patches.reading.envelope import parse_codex
from editcore.text.line_index import folded
from editcore.text.lines import pieces_with
from editcore.types import Applied, Edit, FilePatch

# Exact matches: an edit whose search text occurs exactly once has one result, without a guess.

_MOST_PLACES = 1_000_000


class ExactResult(NamedTuple):
    """The number of exact matches of an edit's search texts, and the text after the edit."""

    n_found: int
    """1 if all search texts can be replaced. Else the matches of the first that cannot: 0, or 2 for two or more."""
    text: str | None = None
    """The text with all search texts replaced; None if one cannot be replaced."""
    by_tool: str | None = None
    """The text as the agent's tool leaves it, with its quirks; None if these cannot be predicted."""


def apply_exactly(attempt: Attempt, text: str) -> ExactResult:
    """Replace each search text if it occurs exactly, or the lines that have the edit's anchors; all or none."""
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
    """Replace the lines that have all the anchors, except for new lines that may repeat neighbouring lines."""
    name = next(iter(named(attempt)), "")
    done = apply_anchored({name: text}, attempt.patch or "", attempt.format)
    content = done.content if isinstance(done, Applied) else None
    return ExactResult(0) if content is None else ExactResult(1, content, content)


def has_anchors(attempt: Attempt, text: str) -> bool:
    """True if the lines of a text have all anchors of an edit; False for other formats."""
    if attempt.format not in ANCHORED_FORMATS:
        return False
    name = next(iter(named(attempt)), "")
    return isinstance(apply_anchored({name: text}, attempt.patch or "", attempt.format, rule="strict"), Applied)


def _apply_all_to_original(attempt: Attempt, text: str) -> ExactResult:
    """Make all edits against the same text. Edits that overlap cannot be made."""
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
    applied = "".join(pieces_with(text, spans))
    return ExactResult(1, applied, _as_tool_leaves_it(attempt, applied))


def _is_too_large(text: str, edit: Edit, places: list[int]) -> bool:
    """True if the text after an edit exceeds a sample's limit. Edits that double a file would add up to terabytes."""
    return len(text) + len(places) * len(edit.new_string) > LARGEST_TEXTS


def _replaceable(edit: Edit, places: list[int]) -> bool:
    return edit.occurrence is None and (len(places) == 1 or (edit.replace_all and bool(places)))


def _places(attempt: Attempt, edit: Edit, text: str) -> list[int]:
    """The offsets of a search text that do not overlap; at most two if only one may be replaced.

    A search/replace block matches at line starts only. The list is empty if there are too many matches for an agent's
    edit.
    """
    # With a line feed before both, the block is found only at the start of a line.
    start = "\n" if attempt.format == "search_replace" else ""
    within, find, found = start + text, start + edit.old_string, list[int]()
    step, most = (len(edit.old_string), _MOST_PLACES) if edit.replace_all else (1, 2)
    at = within.find(find) if edit.old_string else -1
    while at >= 0 and len(found) < most:
        found.append(at)
        at = within.find(find, at + step)
    return found if len(found) < _MOST_PLACES else []


def _replaced(text: str, old: str, new: str, places: list[int]) -> str:
    return "".join(pieces_with(text, ((at, at + len(old), new) for at in places)))


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


# The effect of a Begin/End Patch, to compare with the log.

Absolute = Callable[[str], str]
"""A function that makes a path of the log absolute."""


def only_result(attempt: Attempt, old: Mapping[str, str], absolute: Absolute) -> dict[str, str] | None:
    """The files after a patch whose hunks each match exactly in one place; None if there is no such patch.

    The strict reading and Codex's must agree, except for a final line feed, which Codex 0.169 always writes.
    """
    if attempt.format != "begin_patch" or not attempt.patch:
        return None
    named = dict.fromkeys(map(absolute, paths.named(attempt)))
    names = {path: f"{number}.txt" for number, path in enumerate({**named, **dict.fromkeys(old)})}
    patch = paths.patch_with_paths(attempt, lambda name: names[absolute(name)]) or ""
    files = {names[path]: text for path, text in old.items()}
    strict, codex = (apply_begin_patch(files, patch, reading=reading) for reading in ("strict", "codex"))
    if not isinstance(strict, Applied) or not isinstance(codex, Applied):
        return None
    expected, found = strict.files or {}, codex.files or {}
    if {name: _ended(text) for name, text in expected.items()} != found:
        return None
    by_name = {name: path for path, name in names.items()}
    return {by_name[name]: text for name, text in found.items()}


def has_same_extent(attempt: Attempt, old: Mapping[str, str], new: Mapping[str, str], absolute: Absolute) -> bool:
    """True if the files gained and lost each line as often as a Begin/End Patch says; True for other formats.

    Whitespace, typographic marks and the order of lines do not count. If a patch has several sections for one file,
    Codex 0.46 to 0.145 records the diff of the last one only.
    """
    sections = _sections(attempt)
    if not sections:
        return True
    lines = [line for one in sections for hunk in one.hunks for line in hunk.lines]
    said = _counts(line[1:] for line in lines if line[:1] == "+")
    said.subtract(_counts(line[1:] for line in lines if line[:1] == "-"))
    replaced = {absolute(one.path) for one in sections if one.action in ("add", "delete")}
    said.subtract(_counts(old.get(path, "") for path in replaced))
    said.subtract(_counts(new.values()))
    said.update(_counts(old.values()))
    return not any(said.values())


def added_texts(attempt: Attempt, absolute: Absolute) -> dict[str, str]:
    """The texts of the files that an applied patch adds and does not change again."""
    sections = _sections(attempt) if attempt.outcome in APPLIED else ()
    named = Counter(absolute(one.path) for one in sections)
    return {
        absolute(one.path): "".join(line[1:] + "\n" for hunk in one.hunks for line in hunk.lines)
        for one in sections
        if one.action == "add" and named[absolute(one.path)] == 1
    }


def _sections(attempt: Attempt) -> list[FilePatch]:
    try:
        return parse_codex(attempt.patch) if attempt.format == "begin_patch" and attempt.patch else []
    except PatchError:
        return []


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def _counts(texts: Iterable[str], fold: Callable[[str], str] = folded) -> Counter[str]:
    """The number of each line that is not blank, without whitespace."""
    found = Counter("".join(fold(line).split()) for text in texts for line in text.split("\n"))
    del found[""]
    return found


# Edits that explain every change in their files. The recorded texts may be from different moments.


def explains_all_changes(attempt: Attempt, old: Mapping[str, str], new: Mapping[str, str]) -> bool:
    """True if the edit names each line that was added or removed. Whitespace and the order of lines do not count."""
    removed, added = edit_lines(attempt)
    if attempt.format == "line_range" and attempt.line and len(old) == 1:
        (text,) = old.values()
        removed += text.split("\n")[attempt.line - 1 : attempt.end_line]
    change = _counts(new.values(), str)
    change.subtract(_counts(old.values(), str))
    may_be_removed, may_be_added = set(_counts(removed, str)), set(_counts(added, str))
    return all(line in (may_be_added if n > 0 else may_be_removed) for line, n in change.items() if n)


def context_stands_in(attempt: Attempt, old: Mapping[str, str]) -> bool:
    """True if the texts have each context line and removed line of a Begin/End Patch; True for other formats."""
    if attempt.format != "begin_patch":
        return True
    return _counts(old.values()).keys() >= _counts(edit_lines(attempt)[0]).keys()


def edit_lines(attempt: Attempt) -> tuple[list[str], list[str]]:
    """The lines that an edit removes or shows as context, and the lines that it adds."""
    if attempt.edits:
        old = [line for edit in attempt.edits for line in edit.old_string.split("\n")]
        return old, [line for edit in attempt.edits for line in edit.new_string.split("\n")]
    lines = (attempt.patch or "").split("\n")
    if attempt.format in ("insert", "line_range"):
        return [], lines
    if attempt.format == "search_replace":
        return lines, lines
    return [line[1:] for line in lines if line[:1] in ("-", " ")], [line[1:] for line in lines if line[:1] == "+"]


# The files after an applied edit, as far as its log shows them.

Source = Literal["tool_result", "git", "replayed"]
"""The origin of the texts before an edit. `replayed`: from the session's own reads, writes and edits."""
Texts = dict[str, str]
"""Texts by absolute path."""


class AfterState(NamedTuple):
    """The files after an edit that was applied."""

    texts: Texts | None = None
    """None if they are unknown."""
    evidence: str = ""
    """The origin of the texts: tool_result or git; exact if the edit can have had one result only."""
    why_not: str = ""
    """The reason why the texts cannot be the edit's result; empty if they can."""
    exact: Texts | None = None
    """The files with each search text replaced at its only exact match; None if a search text has no such match."""
    is_corrected: bool = False
    """True if the anchors make the edit's lines certain, and the tool changed the new lines by a guess."""

    @property
    def is_lost(self) -> bool:
        """True if the log contradicts the texts before the edit. Nothing is known of the files then."""
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
    """True if an edit, made exactly where it says, leaves the texts unchanged."""
    text = exact_result(attempt, old).text
    made = _as_only_text(old, _by_line_numbers(attempt, old) if text is None else text)
    return old == (only_result(attempt, old, absolute) if made is None else made)


def complete_diffs(attempt: Attempt, absolute: Absolute) -> tuple[RecordedDiff, ...]:
    """The recorded diffs if they cover every file of the edit, else none."""
    covered = {absolute(path) for diff in attempt.diffs for path in (diff.path, diff.moved_to) if path}
    return attempt.diffs if covered.issuperset(map(absolute, paths.named(attempt))) else ()


def exact_result(attempt: Attempt, old: Texts) -> ExactResult:
    """The number of exact matches of an edit in its file, and the result; no match if there are several files."""
    return apply_exactly(attempt, next(iter(old.values()))) if len(old) == 1 else ExactResult(0)


def contradicts_failure(attempt: Attempt, n_found: int) -> bool:
    """True if an edit with `n_found` matches cannot have failed as recorded. The file then had another text."""
    edits = attempt.edits or ()
    # A single edit with a match cannot fail with `no_match`. Of several edits, another one may have had no match.
    impossible = {"no_match": (1, 2) if len(edits) == 1 else (1,), "ambiguous": (1,)}.get(attempt.outcome, ())
    return bool(edits) and n_found in impossible and "sees_window" not in attempt.quirks


def _by_diffs(
    diffs: tuple[RecordedDiff, ...], old: Texts, by_tool: Texts | None, written_lines: list[str], absolute: Absolute
) -> Texts | None:
    """The texts after the recorded diffs. None if a diff fits neither the texts before nor the exact result."""
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
    return None if text is None else dict.fromkeys(old, text)
