"""Any run of whitespace as one space."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from editcore.replacers.search import blank_windows, search, window_texts
from editcore.text.document import Document, lines_holding
from editcore.text.whitespace import WORD, words


def whitespace_normalized(document: Document, find: str) -> Iterator[str]:
    """Lines, parts of lines and windows of lines that are the search text's words with any whitespace between them.

    Forgives the amount and kind of whitespace. Fourth in the order. First line by line: the whole line if it
    differs from the search text in whitespace only, else the first part of it that does; then, for a search text of
    several lines, every window of as many lines that differs in whitespace and line breaks only.

        find     |f(a, b)          content  |y = f(a,  b)        <- f(a,  b)

    A search text of whitespace only offers each blank line whole and the empty text for every other line.

    Known false positive: no rule about word boundaries.

        find     | foo             content  |seafood             <- foo, in the middle of the word
    """
    sought = words(find)
    if not sought:
        yield from _blanks(document, find)
        return
    yield from _in_lines(document, sought)
    if "\n" in find:
        yield from window_texts(document.text, search(document, find).worded_windows())


def _in_lines(document: Document, sought: list[str]) -> Iterator[str]:
    text, split = document.text, document.split
    normalized, longest = " ".join(sought), max(sought, key=len)
    length = len(normalized)
    for start, _, end in lines_holding(text, longest):
        if end - start < length:
            continue
        line = text[start:end]
        squeezed = " ".join(split(line))
        if squeezed == normalized:
            yield line
            continue
        at = squeezed.find(normalized)
        if at >= 0:
            yield normalized if len(sought) == 1 else _unsqueezed(line, squeezed, at, sought)


def _unsqueezed(line: str, squeezed: str, at: int, sought: list[str]) -> str:
    """The part of the line that, with runs of whitespace squeezed to one space, is the words from `at` on."""
    first = squeezed.count(" ", 0, at)
    starts = [word.start() for word in islice(WORD.finditer(line), first, first + len(sought))]
    within_first = at - squeezed.rfind(" ", 0, at) - 1
    return line[starts[0] + within_first : starts[-1] + len(sought[-1])]


def _blanks(document: Document, find: str) -> Iterator[str]:
    for line, trimmed in zip(document.lines, document.trimmed, strict=True):
        yield "" if trimmed else line
    n_lines = find.count("\n") + 1
    if n_lines > 1:
        yield from window_texts(document.text, blank_windows(document, n_lines))
