"""Refusals of search/replace edits: one line for the model that says what was not found, what is close, and what to do.

They are made only after a cascade has failed, in a bounded share of its time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from editcore.nearest import Nearest, first_difference, nearest
from editcore.quoting import quoted
from editcore.text.diff import common_prefix
from editcore.text.document import Document
from editcore.text.keys import folded
from editcore.text.whitespace import trim
from editcore.types import MAX_CANDIDATES, Contradiction, Match, Reason, Rejected

_LONGEST_SHOWN, _SHOWN_AHEAD = 80, 20
"""Characters of a line that are shown whole; those ahead of a difference in a longer one."""

_EXCERPT = re.compile(r"""((?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))""")
"""Text of a file or an edit in a message, as `quoted` writes it. The apostrophe in "the file's" begins none."""


def in_words_of(refusal: Rejected, names: Mapping[str, str]) -> Rejected:
    """The refusal with the fields of `Edit` named as the parameters of a tool are; excerpts of texts stay."""
    field = re.compile(rf"\b(?:{'|'.join(names)})\b")
    pieces = _EXCERPT.split(refusal.message)
    # Every other piece is an excerpt.
    pieces[::2] = [field.sub(lambda found: names[found[0]], piece) for piece in pieces[::2]]
    return replace(refusal, message="".join(pieces))


def of_the_file(refusal: Rejected, alone: Rejected | None) -> Rejected:
    """The refusal of an edit that follows others of one file, with lines of the file as it is on the disk.

    `alone` is the refusal that the edit gets without the others; None where it is applied. Where they are why it is
    refused, or where it is about text that they wrote, it says so.
    """
    if alone is None:
        return Rejected(
            refusal.reason,
            "it fits the file as it is, but not the text that the edits before it leave: join it with them, or write "
            "it for that text.",
        )
    if alone.reason is refusal.reason and _nearness(alone) >= _nearness(refusal):
        return alone
    message = f"{refusal.message} Lines are counted in the text that the edits before it leave."
    return Rejected(refusal.reason, message)


def _nearness(refusal: Rejected) -> float:
    return max((place.similarity for place in refusal.candidates), default=0.0)


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
    """The refusal of a search text that no replacer finds.

    It names the most similar line, if one is similar enough, and the first line that differs around it.
    """
    near = nearest(document, find)
    what = "old_string was not found"
    if near is None:
        return Rejected(
            Reason.NO_MATCH, f"{what}, nor any line like it: read the file again and copy the text exactly."
        )
    line, start = near.index + 1, document.start(near.index)
    found = first_difference(document, find, near)
    how = f"line {line} {_how_like(near, quoted(document.trimmed[near.index]), found)}"
    return Rejected(
        Reason.NO_MATCH,
        f"{what}; {how}: read the file there and copy the text exactly.",
        (Match(start, start + len(document.lines[near.index]), "simple", near.similarity),),
        contradiction=found,
    )


def _how_like(near: Nearest, text: str, found: Contradiction | None) -> str:
    """What the nearest line has of the search text, and the first line that differs."""
    how = "holds one of its lines" if near.similarity == 1 else f"is {near.similarity:.0%} like one of its lines"
    if found is None:
        return f"{how} ({text})"
    if found.line == near.index + 1:
        where = ": it" if found.text else f" ({text}), but above it the file"
        return f"{how}{where} {differs(found)}"
    return f"{how} ({text}), but line {found.line} {differs(found)}"


def differs(found: Contradiction) -> str:
    """`has 'a' where old_string has 'b'`, without whitespace at the ends unless that is what differs.

    Of long lines, from a little before the first character that differs.
    """
    there, wanted = trim(found.text), trim(found.wanted)
    if there == wanted:
        there, wanted = found.text, found.wanted
    n_equal = common_prefix(there, wanted)
    if n_equal > _SHOWN_AHEAD and max(len(there), len(wanted)) > _LONGEST_SHOWN:
        there, wanted = (f"...{text[n_equal - _SHOWN_AHEAD :]}" for text in (there, wanted))
    alike = folded(there) == folded(wanted)  # Only their escape sequences show the difference.
    there, wanted = (quoted(text) if text else "nothing" for text in (there, wanted))
    if alike:
        there, wanted = (text.encode("ascii", "backslashreplace").decode() for text in (there, wanted))
    return f"has {there} where old_string has {wanted}"


def no_such_occurrence(number: int, n_places: int) -> Rejected:
    """The refusal of an edit of a place that there is not."""
    times = {0: "nowhere", 1: "once"}.get(n_places, f"{n_places} times")
    return Rejected(
        Reason.NO_MATCH, f"old_string stands {times} in the file as it is written: there is no occurrence {number}."
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
        f"old_string has multiple matches: {max(n_places, len(places))} places (lines {shown}{more}): "
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
