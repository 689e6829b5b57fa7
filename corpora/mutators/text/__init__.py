"""Mutators of search texts, and their table."""

from __future__ import annotations

from typing import Any

from corpora.mutators.mutator import Mutator
from corpora.mutators.text import drift, intents, layout, literal, marks, refusals

TEXT_MUTATORS: tuple[Mutator[Any], ...] = (
    *literal.MUTATORS,
    *layout.MUTATORS,
    *marks.MUTATORS,
    *intents.MUTATORS,
    *drift.MUTATORS,
    *refusals.MUTATORS,
)
