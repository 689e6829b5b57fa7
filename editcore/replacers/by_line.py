"""Replacers that compare line by line: `line_trimmed`, `whitespace_normalized`, `indentation_flexible`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from editcore.replacers.search import Span, blank_windows, search, window_texts
from editcore.text.document import Document, lines_holding
from editcore.text.whitespace import WHITESPACE, WORD, dedented, least_indent, trim, words


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


def indentation_flexible(document: Document, find: str) -> Iterator[str]:
    """Windows of as many lines as the search text that equal it without the common indentation of both.

    Forgives one uniform shift; a tab counts as one character. Fifth in the order, where it never decides:
    what differs in indentation only also differs only in whitespace at the ends of lines, and `line_trimmed` or
    `whitespace_normalized` have offered it before. Blank lines must be exactly equal.

        find     |if x:            content  |    if x:
                 |    go()                  |        go()        <- both lines

    Known false positive: tabs and spaces are interchangeable.

        find     |  x              content  |\\t\\tx               <- replaced by text indented with spaces
    """
    text = document.text
    sought = search(document, find)
    if not find:
        yield from ("" for line in document.lines if not line)
        return
    spans: Iterator[Span] = sought.trimmed_windows()
    if len(sought.lines) > len(sought.wanted):
        spans = _with_blank_below(text, spans)
    known: tuple[str, bool] = find, True
    for window in window_texts(text, spans):
        if window != known[0]:
            known = window, _is_shifted(window.split("\n"), sought.lines)
        if known[1]:
            yield window


def _with_blank_below(text: str, spans: Iterator[Span]) -> Iterator[Span]:
    """The windows followed by a blank line, including it: here the search text's empty last line counts."""
    for start, end in spans:
        below = text.find("\n", end + 1)
        below = len(text) if below < 0 else below
        if end < len(text) and not trim(text[end + 1 : below]):
            yield start, below


def _is_shifted(lines: list[str], wanted: list[str]) -> bool:
    """True if lines that trim to equal texts are equal without their common indentations."""
    shift: int | None = None
    for line, sought in zip(lines, wanted, strict=True):
        left, sought_left = line.lstrip(WHITESPACE), sought.lstrip(WHITESPACE)
        if not left:
            if line != sought:
                return False
            continue
        if left != sought_left:
            return False
        indent = len(line) - len(left) - len(sought) + len(sought_left)
        if shift is None:
            shift = indent
        elif indent != shift:
            return False
    return _dedented(lines) == _dedented(wanted)


def _dedented(lines: list[str]) -> list[str]:
    return dedented(lines, least_indent(lines))
