"""Mutators of patches and of edits by line number: one kind of damage per file, and their table."""

from __future__ import annotations

from typing import Any

from corpora.mutators.mutator import Mutator
from corpora.mutators.patch import (
    anchors,
    content,
    context,
    contradictions,
    counts,
    files,
    framing,
    headers,
    line_numbers,
    line_prefixes,
    markers,
    numbers,
    paths,
    sections,
    state,
    truncation,
    whitespace,
)

PATCH_MUTATORS: tuple[Mutator[Any], ...] = (
    *numbers.MUTATORS,
    *counts.MUTATORS,
    *headers.MUTATORS,
    *paths.MUTATORS,
    *markers.MUTATORS,
    *line_prefixes.MUTATORS,
    *whitespace.MUTATORS,
    *context.MUTATORS,
    *contradictions.MUTATORS,
    *content.MUTATORS,
    *anchors.MUTATORS,
    *sections.MUTATORS,
    *files.MUTATORS,
    *framing.MUTATORS,
    *truncation.MUTATORS,
    *state.MUTATORS,
    *line_numbers.MUTATORS,
)
"""In the order in which they are listed."""
