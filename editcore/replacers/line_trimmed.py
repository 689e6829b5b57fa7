"""Lines that are equal but for blanks at their ends."""

from __future__ import annotations

from collections.abc import Iterator

from editcore.document import Document
from editcore.replacers.search import search, window_texts


def line_trimmed(document: Document, find: str) -> Iterator[str]:
    """Whole lines whose trimmed texts are those of the find, without the last line feed.

    Forgives indentation, trailing blanks and carriage returns, line by line, and a line feed at the end of
    the find. Second in the order.

        find     |if x:            content  |    if x:
                 |    go()                  |        go()        <- both lines, with their indentation

    Known false positive: an ambiguous exact find gets a second chance where one of the places is indented,
    and the replacement is not re-indented.

        find     |x = 1            content  |x = 1
                                            |    x = 1           <- this one, and it loses its indentation
    """
    yield from window_texts(document.text, search(document, find).trimmed_windows())
