"""Damage to the way edits are written, with right answers that are certain. One kind a file; this is their table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from corpora.mutators import (
    beside,
    blanks,
    changed_facts,
    characters,
    copies,
    cuts,
    escapes,
    hazards,
    indentation,
    inserts,
    line_ends,
    literal,
    pasted,
    patch_anchors,
    patch_blanks,
    patch_content,
    patch_context,
    patch_counts,
    patch_cuts,
    patch_files,
    patch_framing,
    patch_headers,
    patch_markers,
    patch_marks,
    patch_numbers,
    patch_paths,
    patch_sections,
    patch_state,
    remains,
    slips,
    void,
)
from corpora.mutators.mutator import Mutator
from corpora.plugins import loaded_as, with_plugins
from editcore.errors import UsageError

ENTRY_POINTS = "editgauge.mutators"

MUTATORS: Mapping[str, Mutator[Any]] = {
    mutator.name: mutator
    for module in (
        literal,
        blanks,
        indentation,
        line_ends,
        escapes,
        characters,
        pasted,
        cuts,
        slips,
        beside,
        changed_facts,
        remains,
        copies,
        hazards,
        void,
        patch_numbers,
        patch_counts,
        patch_headers,
        patch_paths,
        patch_markers,
        patch_marks,
        patch_blanks,
        patch_context,
        patch_content,
        patch_anchors,
        patch_sections,
        patch_files,
        patch_framing,
        patch_cuts,
        patch_state,
        inserts,
    )
    for mutator in module.MUTATORS
}


@cache
def mutators() -> Mapping[str, Mutator[Any]]:
    """Every mutator there is, by name: the built-in ones, then those of other packages."""
    return with_plugins(MUTATORS, "mutator", ENTRY_POINTS, loaded_as(Mutator))


def selected(patterns: Iterable[str]) -> tuple[Mutator[Any], ...]:
    """The mutators that names or globs stand for, in the table's order; all of them for none.

    Raises UsageError for a pattern that nothing matches.
    """
    table = mutators()
    patterns = list(patterns)
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in table):
            raise UsageError(f"There is no mutator {pattern!r}", "See `editgauge ls mutators`; globs work too.")
    return tuple(
        mutator
        for name, mutator in table.items()
        if not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)
    )
