"""Whitespace around the whole search text."""

from __future__ import annotations

from collections.abc import Iterator

from editcore.replacers.search import blank_windows, framed, window_texts
from editcore.text.document import Document
from editcore.text.line_index import occurrences
from editcore.text.whitespace import trim


def trimmed_boundary(document: Document, find: str) -> Iterator[str]:
    """The trimmed search text, then windows of as many lines that trim to it; nothing if it has nothing to trim.

    Forgives whitespace at both ends of the search text. Seventh in the order. The replacement keeps its own outer
    whitespace, which is added to that of the file.

        find     |<LF>foo(<LF>  bar)<LF>      content  |x = foo(
                                                       |  bar) + 1     <- from foo to the parenthesis

    Known false positive: no rule about word boundaries.

        find     | foo(<LF>  1)               content  |xfoo(
                                                       |  1)y          <- in the middle of both words
    """
    trimmed = trim(find)
    if trimmed == find:
        return
    text = document.text
    if trimmed in text:
        yield trimmed
    n_lines = find.count("\n") + 1
    windows = _windows(text, trimmed, n_lines) if trimmed else blank_windows(document, n_lines)
    yield from window_texts(text, windows)


def _windows(text: str, trimmed: str, n_lines: int) -> Iterator[tuple[int, int]]:
    size, length, n_blank = len(text), len(trimmed), n_lines - 1 - trimmed.count("\n")
    below = -1
    for at in occurrences(text, trimmed):
        if at <= below:
            continue  # In a line that was looked at.
        start = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at + length)
        end = size if end < 0 else end
        if not trim(text[start:at]) and not trim(text[at + length : end]):
            yield from framed(text, start, end, n_blank)
        below = text.find("\n", at)
        if below < 0:
            return
