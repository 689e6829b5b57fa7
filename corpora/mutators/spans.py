"""Spans and their lines: shares of lines by degree, indentation, and variants of an edit and its file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache
from random import Random
from typing import TypeVar

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, edited, stale_edit, with_search_text
from editcore.text.line_index import block_starts
from editcore.types import Edit, File

# Shares of lines by degree, indentation, and edits with inexact search texts.

T = TypeVar("T")
_STEPS = re.compile(r"^(?: {4})+", re.MULTILINE)


def share_by_degree(n: int, degree: int) -> int:
    """A fifth of n for each step of degree, rounded up."""
    return -(-n * degree // 5)


def pick(items: Sequence[T], n: int, random: Random) -> list[T]:
    """A random choice of n items in their order; all items if there are fewer."""
    return [items[index] for index in sorted(random.sample(range(len(items)), min(n, len(items))))]


def pick_share(items: Sequence[T], degree: int, random: Random) -> list[T]:
    """A random choice of a fifth of the items for each step of degree, in their order."""
    return pick(items, share_by_degree(len(items), degree), random)


def indentation(line: str) -> str:
    """The spaces and tabs at the start of a line."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def common_indentation(lines: Sequence[str]) -> str:
    """The longest indentation that all nonblank lines start with."""
    indents = [indentation(line) for line in lines if line.strip()]
    low, high = min(indents, default=""), max(indents, default="")
    return low[: next((at for at, character in enumerate(low) if high[at : at + 1] != character), len(low))]


def nonblank_indexes(lines: Sequence[str]) -> list[int]:
    """The indexes of the nonblank lines."""
    return [index for index, line in enumerate(lines) if line.strip()]


def inner_nonblank_indexes(lines: Sequence[str]) -> list[int]:
    """The indexes of the nonblank lines between the first and the last line."""
    return [index for index in range(1, len(lines) - 1) if lines[index].strip()]


def indent_lines(text: str, prefix: str) -> str:
    """The text with a prefix before each nonblank line."""
    return "\n".join([prefix + line if line.strip() else line for line in text.split("\n")])


def dedent_lines(text: str, prefix: str) -> str | None:
    """The text without a prefix of its lines; None where a nonblank line lacks it."""
    lines = text.split("\n")
    if not all(line.startswith(prefix) or not line.strip() for line in lines):
        return None
    return "\n".join([line.removeprefix(prefix) for line in lines])


def swap_neighbours(lines: Sequence[str], n_swaps: int, random: Random) -> list[str]:
    """The lines with pairs of adjacent middle lines swapped; the lines of a pair differ without their whitespace."""
    lines, inside = list(lines), inner_nonblank_indexes(lines)
    pairs = [index for index in inside if index + 1 in inside and lines[index].strip() != lines[index + 1].strip()]
    for index in pick(pairs, n_swaps, random):
        lines[index : index + 2] = [lines[index + 1], lines[index]]
    return lines


def indent_with_tabs(text: str) -> str:
    """The text with one tab for every four spaces of indentation."""
    return _STEPS.sub(lambda spaces: "\t" * (len(spaces[0]) // 4), text)


def inexact_edit(clean: CleanEdit, search_text: str, *, new: str | None = None) -> Damaged | None:
    """The edit with a search text that does not occur in the old text; None if it occurs."""
    return None if search_text in clean.old else with_search_text(clean, search_text, new=new)


def inexact_edit_of_lines(clean: CleanEdit, lines: Sequence[str]) -> Damaged | None:
    return inexact_edit(clean, "\n".join(lines))


def exact_edit(clean: CleanEdit) -> Damaged | None:
    """The undamaged edit; None if its search text occurs more than once, or if it changes nothing."""
    if not is_unique(clean) or clean.old == clean.new:
        return None
    return edited(clean.path, clean.content, clean.target, Edit(clean.old, clean.new))


def with_old_text(clean: CleanEdit, old: str, *, new: str | None = None) -> CleanEdit:
    """The edit of a file with another text in the span."""
    end = clean.start + len(old)
    return replace(clean, content=clean.with_span(old), end=end, new=clean.new if new is None else new)


def keeping_lines(
    damaged: Damaged | None, seen: CleanEdit, lines: Sequence[str], there: Sequence[str]
) -> Damaged | None:
    """The damaged edit, with an alternative result in which kept lines stay as the file has them.

    `lines` are the lines of the search text; `there` has the file's version of each.
    """
    if damaged is None:
        return None
    new = seen.new.split("\n")
    # The diff of search text and new text says which lines the edit keeps.
    written: list[str] = []
    for tag, start, end, new_start, new_end in SequenceMatcher(None, lines, new, autojunk=False).get_opcodes():
        written += there[start:end] if tag == "equal" else new[new_start:new_end]
    kept = seen.with_span("\n".join(written))
    is_new = all(file.content != kept for file in damaged.target or ())
    return replace(damaged, alternatives=((File(seen.path, kept),),)) if is_new else damaged


def tab_indented(clean: CleanEdit) -> CleanEdit:
    """The edit of the same lines, indented with tabs."""
    return with_old_text(clean, indent_with_tabs(clean.old), new=indent_with_tabs(clean.new))


def narrowed_to(clean: CleanEdit, start: int, end: int, new: str) -> CleanEdit:
    """The edit of a part of the span, given by offsets in the old text."""
    return replace(clean, start=clean.start + start, end=clean.start + end, new=new)


def content_without_span(clean: CleanEdit) -> str:
    """The file's text after the lines of the span were deleted."""
    return clean.content[: clean.start] + clean.content[clean.end + 1 :]


def with_block_nearby(clean: CleanEdit, text: str, n_paragraphs: int, random: Random) -> CleanEdit:
    """The edit of a file with a block of lines added some paragraphs above or below the span."""
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
    """True if the old text occurs in the file at the span only."""
    return clean.content.find(clean.old) == clean.start and clean.content.find(clean.old, clean.start + 1) < 0


def n_places(content: str, block: Sequence[str]) -> int:
    """The number of places at which the lines of `block` follow each other, whitespace at line ends ignored."""
    return sum(1 for _ in block_starts(_stripped_lines(content), [line.strip() for line in block]))


@lru_cache(maxsize=16)
def _stripped_lines(content: str) -> list[str]:
    return [line.strip() for line in content.split("\n")]


def refused_as_line_gone(seen: CleanEdit, content: str, *, reason: str = "line_gone") -> Damaged | None:
    """The edit after one of its lines is gone from the file; None if all its lines are still there."""
    lines = [line for line in seen.lines if line.strip()]
    if not is_unique(seen) or seen.old in content or all(n_places(content, [line]) for line in lines):
        return None
    return stale_edit(seen, content, reason=reason)


def refused_as_two_equal(seen: CleanEdit, content: str) -> Damaged | None:
    """The edit after its lines occur in the file a second time."""
    return stale_edit(seen, content, reason="two_equal") if is_unique(seen) else None


def span_of(file: File, target: str, context: int = 0) -> CleanEdit:
    """The change of a file as one edit of at least one whole line, with `context` lines above and below."""
    old, new = file.content.split("\n"), target.split("\n")
    head = next(
        (n for n, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), min(len(old), len(new))
    )
    ends = zip(old[head:][::-1], new[head:][::-1], strict=False)
    tail = next((n for n, (one, other) in enumerate(ends) if one != other), min(len(old), len(new)) - head)
    if len(old) - tail == head or len(new) - tail == head:
        # Lines are only added or only removed: the edit also takes the line above, or else the first line below.
        head, tail = (head - 1, tail) if head else (head, tail - 1)
    head, tail = max(head - context, 0), max(tail - context, 0)
    start = sum(len(line) + 1 for line in old[:head])
    span = "\n".join(old[head : len(old) - tail])
    return CleanEdit(file.path, file.content, start, start + len(span), "\n".join(new[head : len(new) - tail]))
