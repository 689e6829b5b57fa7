"""Refusals of search/replace edits: one line for the model that says what was not found, what is close, and what to do.

They are made only after a cascade has failed, in a bounded share of its time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from editcore.quoting import quoted
from editcore.text import distances
from editcore.text.document import Document, lines_trimmed_to
from editcore.text.whitespace import trim
from editcore.types import MAX_CANDIDATES, Match, Reason, Rejected

_LONGEST_COMPARED = 400
"""Characters of a line that are compared in the search for the most similar line."""
_LEAST_SIMILARITY = 0.6
"""A line less similar than this (0 to 1) is not mentioned."""

_EXCERPT = re.compile(r"""((?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))""")
"""Text of a file or an edit in a message, as `quoted` writes it. The apostrophe in "the file's" begins none."""


def in_words_of(refusal: Rejected, names: Mapping[str, str]) -> Rejected:
    """The refusal with the fields of `Edit` named as the parameters of a tool are; excerpts of texts stay."""
    field = re.compile(rf"\b(?:{'|'.join(names)})\b")
    pieces = _EXCERPT.split(refusal.message)
    # Every other piece is an excerpt.
    pieces[::2] = [field.sub(lambda found: names[found[0]], piece) for piece in pieces[::2]]
    return replace(refusal, message="".join(pieces))


def identical() -> Rejected:
    """The refusal of an edit whose old_string and new_string are equal."""
    return Rejected(
        Reason.IDENTICAL,
        "old_string and new_string are identical: nothing would change. Give the text you want instead.",
    )


def empty() -> Rejected:
    """The refusal of an edit with an empty old_string."""
    return Rejected(
        Reason.EMPTY, "old_string is empty: give the text to replace, or write the whole file if that is what you mean."
    )


def no_match(document: Document, find: str) -> Rejected:
    """The refusal of a search text that no replacer finds; it names the most similar line, if one is similar enough."""
    near = nearest_line(document, find)
    what = "old_string was not found"
    if near is None:
        return Rejected(
            Reason.NO_MATCH, f"{what}, nor any line like it: read the file again and copy the text exactly."
        )
    line = document.line_of(near.start)
    text = quoted(trim(document.text[near.start : near.end]))
    how = "holds one of its lines" if near.similarity == 1 else f"is {near.similarity:.0%} like one of its lines"
    return Rejected(
        Reason.NO_MATCH,
        f"{what}; line {line} {how} ({text}): read the file there and copy the text exactly.",
        (near,),
    )


def several_matches(document: Document, candidate: str) -> Rejected:
    """The refusal of a candidate that occurs in several places."""
    if not candidate:
        # To advise replace_all here would shred the file.
        return Rejected(
            Reason.AMBIGUOUS,
            "old_string is blank, and so matches everywhere: give lines that hold some text, or write the whole file.",
        )
    text = document.text
    n_places, at = text.count(candidate), text.find(candidate)
    places: list[Match] = []
    while at >= 0 and len(places) < MAX_CANDIDATES:
        places.append(Match(at, at + len(candidate), "simple"))
        at = text.find(candidate, at + 1)
    shown = ", ".join(str(document.line_of(place.start)) for place in places)
    more = ", ..." if n_places > len(places) else ""
    return Rejected(
        Reason.AMBIGUOUS,
        f"old_string matches {max(n_places, len(places))} places (lines {shown}{more}): "
        "add surrounding lines that make it unique, or set replace_all.",
        tuple(places),
    )


def disproportionate(document: Document, find: str, candidate: str, replacer: str) -> Rejected:
    """The refusal of a candidate that is much larger than the search text."""
    at = document.text.find(candidate)
    line, n_lines = document.line_of(at), candidate.count("\n") + 1
    return Rejected(
        Reason.DISPROPORTIONATE,
        f"The nearest match ({replacer}: {n_lines} lines from line {line}) is much larger than old_string "
        f"({find.count(chr(10)) + 1} lines): read the file again and give the full text to replace.",
        (Match(at, at + len(candidate), replacer),),
    )


def nearest_line(document: Document, find: str) -> Match | None:
    """The line most like one of the search text's longest lines: an equal one, else the most similar, else None."""
    wanted = sorted({trim(line) for line in find.split("\n")} - {""}, key=lambda line: (-len(line), line))[:4]
    for line in wanted:
        for start, end in lines_trimmed_to(document.text, line):
            return Match(start, end, "simple")
    if not wanted:
        return None
    for index, similarity in similar_lines(document, wanted[0], limit=1):
        start = sum(map(len, document.lines[:index])) + index
        # Less than 1, since such a line is equal in its first characters only.
        return Match(start, start + len(document.lines[index]), "simple", min(similarity, 0.99))
    return None


def similar_lines(document: Document, wanted: str, *, limit: int) -> list[tuple[int, float]]:
    """The lines similar enough to a trimmed line, as (0-based line, similarity from 0 to 1), most similar first."""
    lines = document.trimmed
    # A line too long to be as similar is as unlike when it is cut.
    if len(wanted) >= _LEAST_SIMILARITY * _LONGEST_COMPARED and max(map(len, lines)) > _LONGEST_COMPARED:
        lines = [line[:_LONGEST_COMPARED] for line in lines]
    found = distances.most_alike(
        wanted[:_LONGEST_COMPARED],
        lines,
        scorer=distances.edit_ratio,
        score_cutoff=_LEAST_SIMILARITY,
        limit=limit,
    )
    return [(index, float(similarity)) for _, similarity, index in found]
