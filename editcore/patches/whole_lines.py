"""The places of a search/replace block: whole lines of a file, and never a part of one.

    search      |x = 1            file    |    x = 1        <- taken; the new lines get four spaces
                                          |max = 1          <- not taken

A cascade's candidates are taken by its rule, with one exception: a replaced text begins at the start of a line and
ends at the end of one. If the search text has no such place, all of its lines may be indented further in the file by
the same whitespace. The new lines are then indented by it, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from editcore.apply import apply_edit
from editcore.cascade import Cascade
from editcore.diagnosis import disproportionate, identical, no_match, several_matches
from editcore.diagnosis import empty as empty_search
from editcore.text.document import Document, lines_trimmed_to
from editcore.text.line_index import occurrences
from editcore.text.whitespace import WHITESPACE, indented
from editcore.types import Edit, Reason, Rejected

_MAX_INDENTATIONS = 32
"""If the first line of a search text occurs behind more kinds of indentation, none is tried."""
_CLOSE = 2
"""Lines by which a stated line may be off. It does not decide between places that are closer together."""


class Replaced(NamedTuple):
    text: str
    line: int
    """1-based."""
    replacer: str
    n_lines: int
    """The lines that were replaced, from `line` on."""


def replace_whole_lines(document: Document, edit: Edit, cascade: Cascade, path: str) -> Replaced | Rejected:
    """Apply one edit of whole lines of a file through a cascade."""
    if cascade.tiers:
        return _by_tiers(document, edit, cascade, path)
    find, text = edit.old_string, document.text
    if find == edit.new_string:
        return identical()
    if not find:
        return empty_search()
    ambiguous: dict[str, None] = {}
    for name, candidate in cascade.candidates(document, find):
        if candidate in ambiguous:
            continue
        if not candidate:
            ambiguous[candidate] = None
            continue
        indentation, places = "", _places(text, candidate, exact=candidate == find)
        if not places and candidate == find:
            indentation, places = _indented_places(document, find)
        if not places:
            continue
        size_guard = cascade.guards.size_guard
        if size_guard and size_guard.refuses(candidate, find):
            return disproportionate(document, find, candidate, name)
        if len(places) == 1:
            new = _indented(edit.new_string, indentation)
            length = len(_indented(candidate, indentation))
            return _replaced(document, places[0], places[0] + length, new, name)
        ambiguous[_indented(candidate, indentation)] = None
    if ambiguous:
        return several_matches(document, next(iter(ambiguous)))
    at = text.find(find)
    if at < 0:
        return no_match(document, find)
    return Rejected(
        Reason.NO_MATCH,
        f"the search text is found inside a longer line only (line {document.line_of(at)}): give whole lines.",
    )


def replace_at_line(document: Document, edit: Edit, cascade: Cascade, path: str, line: int) -> Replaced | None:
    """Apply one edit to the lines from a 1-based line on; None if it does not fit there, or also fits close by."""
    lines = [f"{one}\n" for one in document.text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    length = edit.old_string.count("\n")
    fits: dict[int, Replaced] = {}
    for start in range(max(line - _CLOSE, 1), line + _CLOSE + 1):
        part = "".join(lines[start - 1 : start - 1 + length])
        result = replace_whole_lines(Document(part), edit, cascade, path) if part else None
        if isinstance(result, Replaced):
            fits[start] = result
    if fits.keys() != {line}:
        return None
    above, below = "".join(lines[: line - 1]), "".join(lines[line - 1 + length :])
    return Replaced(above + fits[line].text + below, line, fits[line].replacer, fits[line].n_lines)


def _by_tiers(document: Document, edit: Edit, cascade: Cascade, path: str) -> Replaced | Rejected:
    result = apply_edit(document, edit, cascade, whole_lines=True, path=path)
    if isinstance(result, Rejected):
        return result
    first, last = result.matches[0].start, result.matches[-1].end
    return Replaced(result.content or "", *_lines(document, first, last, result.replacer or ""))


def _indented(text: str, indentation: str) -> str:
    return "\n".join(indented(text.split("\n"), indentation)) if indentation else text


def _places(text: str, candidate: str, *, exact: bool) -> list[int]:
    """The first two places of a candidate that are whole lines.

    Of an inexact candidate, parts of longer lines count, too: it was found by what the lines share, and is ambiguous.
    """
    if not exact:
        places = list(islice(occurrences(text, candidate), 2))
        if len(places) > 1:
            return places
    return list(islice(_whole_line_places(text, candidate), 2))


def _whole_line_places(text: str, candidate: str) -> Iterator[int]:
    """The places at which the candidate begins and ends with a line."""
    if text.startswith(candidate) and _ends_a_line(text, len(candidate)):
        yield 0
    for at in occurrences(text, "\n" + candidate):
        if _ends_a_line(text, at + 1 + len(candidate)):
            yield at + 1


def _ends_a_line(text: str, end: int) -> bool:
    return end == len(text) or text[end - 1] == "\n" or text[end] == "\n" or text.startswith("\r\n", end)


def _indented_places(document: Document, find: str) -> tuple[str, list[int]]:
    """(indentation, first two places) of the search text with all its lines indented further by the same whitespace."""
    text = document.text
    first = next((line for line in find.split("\n") if line.strip(WHITESPACE)), "")
    indentations: dict[str, None] = {}
    for start, end in lines_trimmed_to(text, first.strip(WHITESPACE)) if first else ():
        line = text[start:end]
        if line.endswith(first) and len(line) > len(first):
            indentations[line.removesuffix(first)] = None
            if len(indentations) > _MAX_INDENTATIONS:
                return "", []
    found, places = "", list[int]()
    for indentation in indentations:
        here = list(islice(_whole_line_places(text, _indented(find, indentation)), 2))
        if here:
            found, places = indentation, [*places, *here]
    return found, places


def _replaced(document: Document, start: int, end: int, new: str, name: str) -> Replaced:
    text = document.text
    if text[end - 1] != "\n" and (not new or new[-1] == "\n"):
        # The candidate leaves out the line feed of its last line, and the new lines have theirs.
        if end < len(text) and text[end] == "\n":
            end += 1
        elif end == len(text):
            new = new.removesuffix("\n")
    return Replaced(text[:start] + new + text[end:], *_lines(document, start, end, name))


def _lines(document: Document, start: int, end: int, name: str) -> tuple[int, str, int]:
    """The first line of a span, the name of its replacer, and the number of its lines."""
    first = document.line_of(start)
    return first, name, document.line_of(max(end - 1, start)) - first + 1
