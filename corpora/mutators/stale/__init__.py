"""Mutators of stale edits, one for each kind of change by another hand since the file was seen, and their table.

The edit is written against the text that was seen, in which it is right; the file is the text of now.
"""

from __future__ import annotations

from typing import Any

from corpora.mutators.mutator import Mutator
from corpora.mutators.stale import changes, formatted, forms

STALE_MUTATORS: tuple[Mutator[Any], ...] = (
    *changes.MUTATORS,
    *formatted.MUTATORS,
    *forms.MUTATORS,
)
"""In the order in which they are listed."""
