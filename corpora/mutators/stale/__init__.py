"""Mutators of stale edits: one kind of change by another hand since the file was seen per family, and their table.

The edit is written against the text that was seen, in which it is right; the file is the text of now.
"""

from __future__ import annotations

from typing import Any

from corpora.mutators.mutator import Mutator
from corpora.mutators.stale import (
    copies,
    elsewhere,
    encodings,
    formatted,
    line_numbers,
    moves,
    several,
    within,
)

STALE_MUTATORS: tuple[Mutator[Any], ...] = (
    *elsewhere.MUTATORS,
    *within.MUTATORS,
    *copies.MUTATORS,
    *moves.MUTATORS,
    *formatted.MUTATORS,
    *encodings.MUTATORS,
    *several.MUTATORS,
    *line_numbers.MUTATORS,
)
"""In the order in which they are listed."""
