"""Text with one level of backslash escapes too many."""

from __future__ import annotations

import re
from collections.abc import Iterator

from editcore.replacers.search import Span, window_texts
from editcore.text.document import Document, lines_holding
from editcore.text.line_index import block_starts, occurrences

_ESCAPE = re.compile(r"\\(n|t|r|'|\"|`|\\|\n|\$)")
_MEANING = {"n": "\n", "t": "\t", "r": "\r"}


def escape_normalized(document: Document, find: str) -> Iterator[str]:
    """The unescaped search text, then windows of lines that unescape to it.

    Forgives one level of backslash escapes, in the search text or in the file text. Sixth in the order. One pass
    undoes `\\\\n`, `\\\\t`, `\\\\r`, quotes, backticks, the backslash, the dollar and a backslash before a line
    feed; other escapes stay.

        find     |print(\\\\"a\\\\")    content  |print("a")          <- print("a")

    The replacement is not unescaped. Known false positive: an escape in the source is taken for the character.

        find     |C:\\\\temp         content  |C:<TAB>emp          <- matched
    """
    text = document.text
    unescaped = unescape(find)
    if unescaped in text:
        yield unescaped
    if not unescaped:
        yield from ("" for line in document.lines if not line)
        return
    wanted = unescaped.split("\n")
    targets = set(wanted)
    for start, _, end in lines_holding(text, "\\"):
        line = text[start:end]
        if _inner(line) in targets or unescape(line) == wanted[-1]:
            yield from window_texts(text, _windows(document, wanted))
            return
    # No line with a backslash can be part of a window: what remains is the text itself, on whole lines.
    if "\\" not in unescaped:
        yield from _verbatim(text, unescaped)


def unescape(text: str) -> str:
    """The text with one level of backslash escapes undone, left to right."""
    return _ESCAPE.sub(lambda escape: _MEANING.get(escape[1], escape[1]), text) if "\\" in text else text


def _inner(line: str) -> str:
    """A line unescaped as any but the last of a window: a backslash left at its end escapes the line feed."""
    return unescape(line + "\n")[:-1] if line.endswith("\\") else unescape(line)


def _verbatim(text: str, wanted: str) -> Iterator[str]:
    for at in occurrences(text, wanted):
        end = at + len(wanted)
        if (at == 0 or text[at - 1] == "\n") and (end == len(text) or text[end] == "\n"):
            yield wanted


def _windows(document: Document, wanted: list[str]) -> Iterator[Span]:
    """The windows of lines that unescape to the wanted lines.

    An escaped line feed would make a window one line longer than the wanted text, so windows are compared
    line by line.
    """
    lines, starts = document.lines, document.starts
    *above, last = wanted
    inner = [_inner(line) if "\\" in line else line for line in lines]
    # A single wanted line is the last one: it may be anywhere.
    for at in block_starts(inner, above) if above else range(len(lines)):
        end = at + len(above)
        if end < len(lines) and unescape(lines[end]) == last:
            yield starts[at], starts[end + 1] - 1
