"""Replacers that look for the search text, as it is or trimmed: `simple`, `multi_occurrence`, `trimmed_boundary`."""

from __future__ import annotations

from collections.abc import Iterator

from editcore.replacers.search import blank_windows, framed, window_texts
from editcore.text.document import Document
from editcore.text.line_index import occurrences
from editcore.text.whitespace import trim


def simple(document: Document, find: str) -> Iterator[str]:
    """The search text itself, whatever the content.

    Forgives nothing. First in the order: an exact, unique match is never anybody else's business.

        find     timeout = 5
        content  timeout = 5        <- replaced

    Known false positive: no rule about word boundaries.

        find     max_retries
        content  max_retries_default = 3        <- edited inside the longer name
    """
    del document
    yield find


def multi_occurrence(document: Document, find: str) -> Iterator[str]:
    """The search text once for each place where it occurs, without overlaps; nothing for an empty one.

    Forgives nothing. Ninth and last in the order, where it never decides: its one text is also `simple`'s.

        find     x = 1             content  x = 1; x = 1         <- twice

    Known false positive: as `simple`.
    """
    text, length = document.text, len(find)
    at = text.find(find) if find else -1
    while at >= 0:
        yield find
        at = text.find(find, at + length)


def trimmed_boundary(document: Document, find: str) -> Iterator[str]:
    """The trimmed search text, then windows of as many lines that trim to it; nothing if it has nothing to trim.

    Forgives whitespace at both ends of the search text. Seventh in the order. The replacement keeps its own outer
    whitespace, which is added to the file's.

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
