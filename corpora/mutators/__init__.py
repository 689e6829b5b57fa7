"""Mutators: kinds of damage to how an edit is written. The right answer of a damaged edit stays certain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from corpora.mutators.anchors import calls, files
from corpora.mutators.bytes import BYTE_MUTATORS
from corpora.mutators.lists import LIST_MUTATORS
from corpora.mutators.mutator import Mutator
from corpora.mutators.notebooks import NOTEBOOK_MUTATORS
from corpora.mutators.patch import (
    context,
    file_headers,
    framing,
    hunk_headers,
    hunk_lines,
    line_numbers,
    markers,
    sections,
    truncation,
)
from corpora.mutators.shell import SHELL_MUTATORS
from corpora.mutators.stale import blocks, changes, formatted
from corpora.mutators.text import drift, intents, layout, marks, refusals
from corpora.plugins import member_loader, with_plugins
from editcore.errors import UsageError, did_you_mean

ENTRY_POINTS = "editgauge.mutators"

TEXT_MUTATORS: tuple[Mutator[Any], ...] = (
    *marks.LITERAL, *layout.MUTATORS, *marks.MUTATORS, *intents.MUTATORS, *drift.MUTATORS, *refusals.MUTATORS,
)  # fmt: skip
PATCH_MUTATORS: tuple[Mutator[Any], ...] = (
    *hunk_headers.MUTATORS, *file_headers.MUTATORS, *markers.MUTATORS, *hunk_lines.MUTATORS, *context.MUTATORS,
    *sections.MUTATORS, *framing.MUTATORS, *truncation.MUTATORS, *line_numbers.MUTATORS,
)  # fmt: skip
STALE_MUTATORS: tuple[Mutator[Any], ...] = (*changes.MUTATORS, *blocks.MUTATORS, *formatted.MUTATORS)
ANCHOR_MUTATORS: tuple[Mutator[Any], ...] = (*calls.MUTATORS, *files.MUTATORS)
MUTATORS: Mapping[str, Mutator[Any]] = {
    mutator.name: mutator
    for mutator in (
        *TEXT_MUTATORS, *LIST_MUTATORS, *NOTEBOOK_MUTATORS, *PATCH_MUTATORS, *STALE_MUTATORS, *ANCHOR_MUTATORS,
        *BYTE_MUTATORS, *SHELL_MUTATORS,
    )
}  # fmt: skip
"""Name -> mutator. A new mutator is a function, and its name in the table of its module."""


@cache
def mutators() -> Mapping[str, Mutator[Any]]:
    """All mutators by name: the built-in ones, then the mutators of other installed packages."""
    return with_plugins(MUTATORS, "mutator", ENTRY_POINTS, member_loader(Mutator))


def select_mutators(patterns: Iterable[str]) -> tuple[Mutator[Any], ...]:
    """The mutators that names or globs match, in the table's order; all of them without patterns.

    Raises UsageError for a pattern that matches nothing.
    """
    table = mutators()
    patterns = list(patterns)
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in table):
            raise UsageError(
                f"There is no mutator {pattern!r}",
                f"{did_you_mean(pattern, table)}See `editgauge ls mutators`; globs work too.",
            )
    return tuple(
        mutator
        for name, mutator in table.items()
        if not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)
    )
