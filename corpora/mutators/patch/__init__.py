"""Mutators of patches and of edits by line number, and their table."""

from __future__ import annotations

from typing import Any

from corpora.mutators.mutator import Mutator
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

PATCH_MUTATORS: tuple[Mutator[Any], ...] = (
    *hunk_headers.MUTATORS, *file_headers.MUTATORS, *markers.MUTATORS, *hunk_lines.MUTATORS, *context.MUTATORS,
    *sections.MUTATORS, *framing.MUTATORS, *truncation.MUTATORS, *line_numbers.MUTATORS,
)  # fmt: skip
