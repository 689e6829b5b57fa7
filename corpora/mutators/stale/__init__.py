"""Mutators of stale edits, one for each kind of change that another hand made since the file was seen.

The edit is right for the text that was seen. The file is the current text.
"""

from __future__ import annotations

from typing import Any

from corpora.mutators.mutator import Mutator
from corpora.mutators.stale import blocks, changes, formatted, forms

STALE_MUTATORS: tuple[Mutator[Any], ...] = (
    *changes.MUTATORS, *blocks.MUTATORS, *formatted.MUTATORS, *forms.MUTATORS,
)  # fmt: skip
