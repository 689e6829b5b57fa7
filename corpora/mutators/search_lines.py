"""Lines of a search text: how many a degree damages, their indentation, and edits with inexact search texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import TypeVar

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, with_search_text

T = TypeVar("T")
_STEPS = re.compile(r"^(?: {4})+", re.MULTILINE)


def share_by_degree(n: int, degree: int) -> int:
    """A fifth of n for each step of degree, rounded up."""
    return -(-n * degree // 5)


def pick(items: Sequence[T], n: int, random: Random) -> list[T]:
    """A random choice of n items, or all where there are fewer, in their order."""
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
    """The lines with pairs of adjacent middle lines swapped, unequal without their whitespace."""
    lines, inside = list(lines), inner_nonblank_indexes(lines)
    pairs = [index for index in inside if index + 1 in inside and lines[index].strip() != lines[index + 1].strip()]
    for index in pick(pairs, n_swaps, random):
        lines[index : index + 2] = [lines[index + 1], lines[index]]
    return lines


def indent_with_tabs(text: str) -> str:
    """The text with one tab for every four spaces of indentation."""
    return _STEPS.sub(lambda spaces: "\t" * (len(spaces[0]) // 4), text)


def inexact_edit(clean: CleanEdit, search_text: str, *, new: str | None = None) -> Damaged | None:
    """The edit with a search text that does not occur in the old text; None where it does."""
    return None if search_text in clean.old else with_search_text(clean, search_text, new=new)


def inexact_edit_of_lines(clean: CleanEdit, lines: Sequence[str]) -> Damaged | None:
    """The edit with other lines as search text; None where they occur in the old text."""
    return inexact_edit(clean, "\n".join(lines))
