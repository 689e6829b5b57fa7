"""Mutators of files that are more than UTF-8 text with one line ending: what a tool reads and writes of them."""

from __future__ import annotations

from typing import Any

from corpora.mutators.bytes import encodings, ends
from corpora.mutators.mutator import Mutator

BYTE_MUTATORS: tuple[Mutator[Any], ...] = (*encodings.MUTATORS, *ends.MUTATORS)
"""In the order in which they are listed."""
