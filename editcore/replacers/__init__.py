"""The nine replacers of the reference cascade, in its order.

A replacer is a function `(document, find) -> Iterator[str]` that yields candidates for the search text `find`, lazily,
in order, and with duplicates. A candidate is a text, not a position: the cascade searches the file text for it again,
so that other occurrences of the same text count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from editcore.replacers.block_anchor import block_anchor, context_aware
from editcore.replacers.by_line import indentation_flexible, line_trimmed, whitespace_normalized
from editcore.replacers.escape_normalized import escape_normalized
from editcore.replacers.exact_text import multi_occurrence, simple, trimmed_boundary
from editcore.text.document import Document

Replacer = Callable[[Document, str], Iterator[str]]

REPLACERS: Mapping[str, Replacer] = MappingProxyType(
    {
        "simple": simple,
        "line_trimmed": line_trimmed,
        "block_anchor": block_anchor,
        "whitespace_normalized": whitespace_normalized,
        "indentation_flexible": indentation_flexible,
        "escape_normalized": escape_normalized,
        "trimmed_boundary": trimmed_boundary,
        "context_aware": context_aware,
        "multi_occurrence": multi_occurrence,
    }
)
"""Name -> replacer. The order is the order of the reference cascade."""

__all__ = ["REPLACERS", "Replacer"]
