"""Spans and their lines: shares of lines by degree, indentation, and variants of an edit and its file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from random import Random
from typing import TypeVar

from corpora.mutators.clean_edit import CleanEdit, Damaged
from editcore.types import File

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


def keeping_lines(damaged: Damaged, seen: CleanEdit, lines: Sequence[str], there: Sequence[str]) -> Damaged:
    """The damaged edit, with an alternative result in which kept lines stay as the file has them.

    `lines` are the lines of the search text; `there` has the file's version of each.
    """
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
    return clean.with_old(indent_with_tabs(clean.old), new=indent_with_tabs(clean.new))


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
