"""Mutators of edits of notebooks, whose lines of code are JSON texts in the file, and their table."""

from __future__ import annotations

from typing import Any

from corpora.mutators.mutator import Mutator
from corpora.mutators.notebooks import rows

NOTEBOOK_MUTATORS: tuple[Mutator[Any], ...] = rows.MUTATORS
"""In the order in which they are listed."""
