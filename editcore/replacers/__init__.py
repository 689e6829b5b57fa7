"""The nine replacers of the reference cascade, in its order.

A replacer is a function `(document, find) -> Iterator[str]` that yields candidates for the search text `find`, lazily,
in order, and with duplicates. A candidate is a text, not a position: the cascade searches the file text for it again,
so that other occurrences of the same text count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from editcore.members import Members
from editcore.text.document import Document

Replacer = Callable[[Document, str], Iterator[str]]

REPLACERS: Mapping[str, Replacer] = Members(
    __name__,
    {
        "simple": "exact_text",
        "line_trimmed": "by_line",
        "block_anchor": "block_anchor",
        "whitespace_normalized": "by_line",
        "indentation_flexible": "by_line",
        "escape_normalized": "escape_normalized",
        "trimmed_boundary": "exact_text",
        "context_aware": "block_anchor",
        "multi_occurrence": "exact_text",
    },
)
"""Name -> replacer; written as its module. The order is the order of the reference cascade."""

__all__ = ["REPLACERS", "Replacer"]
