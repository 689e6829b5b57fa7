"""Lines that differ only in whitespace at their ends."""

from __future__ import annotations

from collections.abc import Iterator

from editcore.replacers.search import search, window_texts
from editcore.text.document import Document


def line_trimmed(document: Document, find: str) -> Iterator[str]:
    """Whole lines that trim to the same texts as the lines of the search text, without the last line feed.

    Forgives indentation, trailing whitespace and carriage returns, line by line, and a line feed at the end of
    the search text. Second in the order.

        find     |if x:            content  |    if x:
                 |    go()                  |        go()        <- both lines, with their indentation

    Known false positive: an ambiguous exact search text gets a second chance if one of the places is indented,
    and the replacement is not re-indented.

        find     |x = 1            content  |x = 1
                                            |    x = 1           <- this one, and it loses its indentation
    """
    yield from window_texts(document.text, search(document, find).trimmed_windows())
