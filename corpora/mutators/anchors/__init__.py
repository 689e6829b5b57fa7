"""Damage to edits in anchored formats; one kind of damage per file."""

from __future__ import annotations

from typing import Any

from corpora.mutators.anchors import echoes, hashes, ranges, rows, staleness, texts
from corpora.mutators.mutator import Mutator

ANCHOR_MUTATORS: tuple[Mutator[Any], ...] = (
    *ranges.MUTATORS,
    *echoes.MUTATORS,
    *rows.MUTATORS,
    *staleness.MUTATORS,
    *texts.MUTATORS,
    *hashes.MUTATORS,
)
"""In the order in which they are listed."""
