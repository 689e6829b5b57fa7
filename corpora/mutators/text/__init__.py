"""Mutators of search text: one kind of damage per file, and their table."""

from __future__ import annotations

from typing import Any

from corpora.mutators.mutator import Mutator
from corpora.mutators.text import (
    changed_facts,
    characters,
    contradictions,
    decoys,
    duplicates,
    escapes,
    hazards,
    indentation,
    intents,
    line_endings,
    literal,
    omissions,
    pasted,
    slips,
    target_gone,
    void,
    whitespace,
)

TEXT_MUTATORS: tuple[Mutator[Any], ...] = (
    *literal.MUTATORS,
    *whitespace.MUTATORS,
    *indentation.MUTATORS,
    *line_endings.MUTATORS,
    *escapes.MUTATORS,
    *characters.MUTATORS,
    *pasted.MUTATORS,
    *intents.MUTATORS,
    *omissions.MUTATORS,
    *slips.MUTATORS,
    *decoys.MUTATORS,
    *changed_facts.MUTATORS,
    *contradictions.MUTATORS,
    *target_gone.MUTATORS,
    *duplicates.MUTATORS,
    *hazards.MUTATORS,
    *void.MUTATORS,
)
"""In the order in which they are listed."""
