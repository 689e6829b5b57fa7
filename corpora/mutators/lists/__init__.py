"""Mutators of lists of edits: how the edits of one call bear on each other, and their table.

All of them apply or none does; in the order given, each to the result of the one before.
"""

from __future__ import annotations

from typing import Any

from corpora.mutators.lists import depending, failing
from corpora.mutators.mutator import Mutator

LIST_MUTATORS: tuple[Mutator[Any], ...] = (*depending.MUTATORS, *failing.MUTATORS)
"""In the order in which they are listed."""
