"""Text that is indented deeper or less deep as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from editcore.replacers.search import Span, search, window_texts
from editcore.text.document import Document
from editcore.text.whitespace import WHITESPACE, dedented, least_indent, trim


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
    """Whether lines that trim to equal texts are equal without their common indentations."""
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
    """The lines without their least indentation; blank lines as they are."""
    return dedented(lines, least_indent(lines))
