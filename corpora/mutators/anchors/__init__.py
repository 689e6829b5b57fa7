"""Mutators of edits in anchored formats, and their table."""

from __future__ import annotations

from typing import Any

from corpora.mutators.anchors import calls, files
from corpora.mutators.mutator import Mutator

ANCHOR_MUTATORS: tuple[Mutator[Any], ...] = (*calls.MUTATORS, *files.MUTATORS)
