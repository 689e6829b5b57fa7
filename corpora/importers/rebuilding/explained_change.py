"""Whether an edit explains every change in its files, whose recorded texts may be from different moments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from corpora.importers.session import Attempt
from editcore.text.line_index import folded


def explains_all_changes(attempt: Attempt, old: Mapping[str, str], new: Mapping[str, str]) -> bool:
    """Whether the edit names each line that was added or removed. Whitespace and the order of lines do not count."""
    removed, added = edit_lines(attempt)
    if attempt.format == "line_range" and attempt.line and len(old) == 1:
        (text,) = old.values()
        removed += text.split("\n")[attempt.line - 1 : attempt.end_line]
    change = _line_counts(line for text in new.values() for line in text.split("\n"))
    change.subtract(_line_counts(line for text in old.values() for line in text.split("\n")))
    may_be_removed, may_be_added = set(_line_counts(removed)), set(_line_counts(added))
    return all(line in (may_be_added if n > 0 else may_be_removed) for line, n in change.items() if n)


def context_stands_in(attempt: Attempt, old: Mapping[str, str]) -> bool:
    """Whether each context and removed line of an applied Begin/End Patch is in the texts; true for other formats."""
    if attempt.format != "begin_patch":
        return True
    standing = {"".join(folded(line).split()) for text in old.values() for line in text.split("\n")} | {""}
    return all("".join(folded(line).split()) in standing for line in edit_lines(attempt)[0])


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


def _line_counts(lines: Iterable[str]) -> Counter[str]:
    squeezed = ("".join(line.split()) for line in lines)
    return Counter(line for line in squeezed if line)
