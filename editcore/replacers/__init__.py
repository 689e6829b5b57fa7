"""The nine replacers of the reference cascade, in its order.

A replacer is a function `(document, find) -> Iterator[str]` that yields candidates for the search text `find`, lazily,
in order, and with duplicates. A candidate is a text, not a position: the cascade searches the file text for it again,
so that other occurrences of the same text count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from editcore.replacers.block_anchor import block_anchor
from editcore.replacers.context_aware import context_aware
from editcore.replacers.escape_normalized import escape_normalized
from editcore.replacers.indentation_flexible import indentation_flexible
from editcore.replacers.line_trimmed import line_trimmed
from editcore.replacers.multi_occurrence import multi_occurrence
from editcore.replacers.simple import simple
from editcore.replacers.trimmed_boundary import trimmed_boundary
from editcore.replacers.whitespace_normalized import whitespace_normalized
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
