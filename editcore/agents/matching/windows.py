"""Windows: as many lines of a file, in a row, as the search text has."""

from __future__ import annotations

from editcore.text.document import Document


def span(document: Document, first: int, n_lines: int) -> tuple[int, int]:
    """The offsets of a window: the start of its first line, and the end of its last one before the line feed."""
    return document.starts[first], document.starts[first + n_lines] - 1


def places(text: str, find: str) -> list[int]:
    """The offsets of the occurrences of a text that is not empty, those that do not overlap, ascending."""
    found = []
    at = text.find(find)
    while at >= 0:
        found.append(at)
        at = text.find(find, at + len(find))
    return found
