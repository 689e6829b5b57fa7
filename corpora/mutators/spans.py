"""Files round a span that are made by slicing: with other text in it, a block elsewhere, or the span gone."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, stale_edit
from corpora.mutators.search_lines import indent_with_tabs
from editcore.types import Edit, File


def exact_edit(clean: CleanEdit) -> Damaged | None:
    """The edit without damage; None where its find stands more than once, or changes nothing."""
    if not is_unique(clean) or clean.old == clean.new:
        return None
    return Damaged(
        before=(File(clean.path, clean.content),),
        target=(File(clean.path, clean.target),),
        edits=(Edit(clean.old, clean.new),),
    )


def with_old_text(clean: CleanEdit, old: str, *, new: str | None = None) -> CleanEdit:
    """The edit of a file that has another text in the span."""
    end = clean.start + len(old)
    return replace(clean, content=clean.with_span(old), end=end, new=clean.new if new is None else new)


def tab_indented(clean: CleanEdit) -> CleanEdit:
    """The edit of the same lines, indented with tabs."""
    return with_old_text(clean, indent_with_tabs(clean.old), new=indent_with_tabs(clean.new))


def narrowed_to(clean: CleanEdit, start: int, end: int, new: str) -> CleanEdit:
    """The edit of a part of the span: offsets in the old text."""
    return replace(clean, start=clean.start + start, end=clean.start + end, new=new)


def content_without_span(clean: CleanEdit) -> str:
    """The file's text after the lines of the span were deleted."""
    return clean.content[: clean.start] + clean.content[clean.end + 1 :]


def with_block_nearby(clean: CleanEdit, text: str, n_paragraphs: int, random: Random) -> CleanEdit:
    """The edit of a file in which a block of lines was put, some paragraphs above or below the span."""
    before, after = clean.content[: clean.start], clean.content[clean.end :]
    if random.random() < 0.5:
        return clean.in_file(_insert_above(before, text, n_paragraphs), after)
    return clean.in_file(before, _insert_below(after, text, n_paragraphs))


def _insert_above(before: str, text: str, n_paragraphs: int) -> str:
    at = len(before) + 1
    for _ in range(n_paragraphs):
        at = before.rfind("\n\n", 0, at)
        if at < 0:
            return f"{text}\n\n{before}"
    return f"{before[: at + 1]}\n{text}\n{before[at + 1 :]}"


def _insert_below(after: str, text: str, n_paragraphs: int) -> str:
    at = -2
    for _ in range(n_paragraphs):
        at = after.find("\n\n", at + 2)
        if at < 0:
            return f"{after}\n{text}\n" if after.endswith("\n") else f"{after}\n\n{text}"
    return f"{after[: at + 1]}\n{text}\n{after[at + 1 :]}"


def is_unique(clean: CleanEdit) -> bool:
    """The old text stands in the file at the span only."""
    return clean.content.find(clean.old) == clean.start and clean.content.find(clean.old, clean.start + 1) < 0


def has_line(content: str, line: str) -> bool:
    """Some line of a text is this one, but for blanks at its ends."""
    line = line.strip()
    at = content.find(line)
    while at >= 0:
        start, end = content.rfind("\n", 0, at) + 1, content.find("\n", at)
        if content[start : end if end >= 0 else len(content)].strip() == line:
            return True
        at = content.find(line, at + 1)
    return False


def refused_as_line_gone(seen: CleanEdit, content: str, *, reason: str = "line_gone") -> Damaged | None:
    """The edit, right in the file seen, after a line that it meant is gone; None where all are still there."""
    lines = [line for line in seen.lines if line.strip()]
    if not is_unique(seen) or seen.old in content or all(has_line(content, line) for line in lines):
        return None
    return stale_edit(seen, content, reason=reason)


def refused_as_two_equal(seen: CleanEdit, content: str) -> Damaged | None:
    """The edit, right in the file seen, after the lines that it meant stand twice."""
    return stale_edit(seen, content, reason="two_equal") if is_unique(seen) else None
