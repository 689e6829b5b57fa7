"""Windows: as many lines of a file, in a row, as the search text has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from editcore.errors import PatchError
from editcore.text.document import Document
from editcore.text.search import alphabet, occurrences
from editcore.types import Reason


def window_starts(lines: Iterable[str], block: Sequence[str]) -> Iterator[int]:
    """The 0-based lines at which a block of lines stands, ascending; places may overlap. Linear in both.

    Raises PatchError for a block of more distinct lines than there are characters.
    """
    if not block:
        return
    symbols = alphabet(block)
    if symbols is None:
        raise PatchError("old_string has too many different lines: give a shorter one.", reason=Reason.TOO_LARGE)
    row = "".join([symbols.get(line, "\0") for line in lines])
    yield from occurrences(row, "".join([symbols[line] for line in block]))


def apart(starts: Iterable[int], n_lines: int) -> Iterator[int]:
    """Those starts of windows of so many lines that do not overlap one before; the starts must ascend."""
    end = 0
    for start in starts:
        if start >= end:
            yield start
            end = start + n_lines


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
