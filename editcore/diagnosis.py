"""Refusals of search/replace edits: one line for the model about what was not found, what is close, and what to do.

    old_string was not found; at the nearest place, line 12 reads 'size = 6', not 'size = 5': read the file there

A refusal is made only after a cascade has failed, in a bounded share of its time. The nearest place is a line equal
to one of the search text's longest lines, or else the most similar line. The model is told the first line that
differs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import islice, zip_longest
from operator import itemgetter

from editcore.quoting import EXCERPT, quoted
from editcore.text import distances
from editcore.text.diff import common_prefix
from editcore.text.document import Document, lines_trimmed_to
from editcore.text.keys import folded, folded_lines
from editcore.text.whitespace import trim
from editcore.types import MAX_CANDIDATES, Contradiction, Match, Reason, Rejected

_LONGEST_COMPARED = 400
"""Characters of a line that are compared in the search for the most similar line."""
_LEAST_SIMILARITY = 0.6
"""A line less similar than this (0 to 1) is not mentioned."""
_PIECE = 10_000
"""Lines that are compared at once, in some milliseconds: no other thread runs meanwhile."""
_MOST_SOUGHT = 4
"""Lines of a search text that are looked for, the longest first."""
_MOST_COMPARED = 400
"""Lines of a file that are compared with all searched lines but the longest, in all."""
_SHORTEST_PART, _LEAST_PART = 8, 0.8
"""Characters of a search text that is compared with parts of lines, and the similarity of a part that is mentioned."""
_MOST_PART_CHARACTERS = 100_000
"""Characters of parts that are compared."""
_MOST_PLACES = 8
"""Places of an equal line whose neighbours are compared."""
_MOST_NEIGHBOURS = 40
_LONGEST_BLOCK = 20_000
"""Characters of a block that are compared."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """A line of the file, and the line of the search text that it resembles."""

    index: int
    """0-based line of the file."""
    wanted: int
    """0-based line of the search text."""
    similarity: float = 1.0
    part: str | None = None
    """The part of the file's line that is meant, if the line is much longer."""


def nearest(document: Document, find: str) -> Nearest | None:
    """The line nearest to one of the search text's longest lines: an equal line, or else the most similar one, or
    None.

    Among several equal lines, the one with the most similar neighbours.
    """
    lines = [trim(line) for line in find.split("\n")]
    first: dict[str, int] = {}
    for n, line in enumerate(lines):
        if line:
            first.setdefault(line, n)
    sought = nlargest(_MOST_SOUGHT, first.items(), key=lambda one: len(one[0]))
    for line, wanted in sought:
        at = document.first(line)
        places = islice(lines_trimmed_to(document.text, line, at) if at >= 0 else (), _MOST_PLACES)
        found = [Nearest(document.line_of(start) - 1, wanted) for start, _ in places]
        if found:
            return max(found, key=lambda one: _likeness(document, lines, one.index - one.wanted))
    # Comparing all lines of a file is most of what a refusal costs.
    n_compared = 1 + _MOST_COMPARED // len(document.lines)
    compared = (
        # Less than 1, since such a line is equal in its first characters only, or looks equal.
        Nearest(index, wanted, min(similarity, 0.99))
        for line, wanted in sought[:n_compared]
        for index, similarity in similar_lines(document, line, limit=1)
    )
    near = next(compared, None)
    if sought and (near is None or near.similarity < _LEAST_PART):
        return similar_part(document, *sought[0]) or near
    return near


def _likeness(document: Document, lines: list[str], start: int) -> float:
    """The similarity of the first lines of a search text to the lines at a place, added up."""
    there = document.trimmed[max(start, 0) : max(start + _MOST_NEIGHBOURS, 0)]
    pairs = zip(lines[max(-start, 0) : _MOST_NEIGHBOURS], there, strict=False)
    return sum(_similarity(one, other) for one, other in pairs if one and other)


def _similarity(one: str, other: str) -> float:
    ends = one[:_LONGEST_COMPARED], other[:_LONGEST_COMPARED]
    return distances.edit_ratio(*ends, score_cutoff=_LEAST_SIMILARITY)


def first_difference(document: Document, find: str, near: Nearest) -> Contradiction | None:
    """The first line in which the place around the nearest line differs from the search text; None if none does.

    Whitespace at the ends of lines counts only where nothing else differs. A place that would begin above the file is
    compared with the file's first line.
    """
    start, ours = near.index - near.wanted, find.split("\n")
    if len(ours) > 1 and not ours[-1]:
        ours.pop()
    there = [document.lines[n] if 0 <= n < len(document.lines) else None for n in range(start, start + len(ours))]
    pairs = [(n, one, other) for n, (one, other) in enumerate(zip_longest(ours, there))]
    different = [one for one in pairs if one[2] is None or trim(one[1]) != trim(one[2])]
    # The first and the last line may be parts of lines.
    different = (
        different or [one for one in pairs[1:-1] if one[1] != one[2]] or [one for one in pairs if one[1] != one[2]]
    )
    if not different:
        return None
    n, wanted, text = different[0]
    return Contradiction(max(start + n, 0) + 1, text or "", wanted)


def block_at(document: Document, first: int, wanted: Sequence[str]) -> Match:
    """The block of lines from the 0-based line `first` on, with its similarity to the wanted lines."""
    from rapidfuzz import fuzz  # Needed by refusals only.

    first = min(max(first, 0), len(document.lines) - 1)
    last = min(first + len(wanted), len(document.lines)) - 1
    start, end = document.starts[first], document.starts[last] + len(document.lines[last])
    similarity = fuzz.ratio("\n".join(wanted)[:_LONGEST_BLOCK], document.text[start:end][:_LONGEST_BLOCK]) / 100
    return Match(start, end, "suggestion", min(similarity, 0.99))


def did_you_mean_lines(document: Document, block: Match, *, above: int = 0) -> str:
    """A question for a refusal: was this block meant? `above` is the number of lines of the file above the text."""
    first, last = document.line_of(block.start), document.line_of(max(block.end - 1, block.start))
    span = f"line {first + above}" if first == last else f"lines {first + above}-{last + above}"
    text = quoted(document.text[block.start : block.end], limit=200)
    return f"Did you mean {span} ({block.similarity:.0%} alike): {text}?"


def similar_lines(document: Document, wanted: str, *, limit: int) -> list[tuple[int, float]]:
    """The lines similar enough to a trimmed line, as (0-based line, similarity from 0 to 1), the most similar first.

    Characters that look alike are equal.
    """
    lines = document.trimmed
    if max(map(len, lines)) > _LONGEST_COMPARED:
        lines = [line[:_LONGEST_COMPARED] for line in lines]
    wanted = wanted[:_LONGEST_COMPARED]
    if not (document.text.isascii() and wanted.isascii()):
        lines, wanted = folded_lines(lines), folded(wanted)
    found: list[tuple[int, float]] = []
    for start in range(0, len(lines), _PIECE):
        best = distances.most_alike(
            wanted, lines[start : start + _PIECE], scorer=distances.edit_ratio, score_cutoff=_LEAST_SIMILARITY,
            limit=limit,
        )  # fmt: skip
        found += [(start + index, float(similarity)) for _, similarity, index in best]
    return nlargest(limit, found, key=itemgetter(1))


def similar_part(document: Document, wanted: str, n: int = 0) -> Nearest | None:
    """The part of a longer line that is most like a line of the search text, the line `n`; None if none is like it."""
    size = len(wanted)
    if not _SHORTEST_PART <= size <= _LONGEST_COMPARED:
        return None
    # Each window holds any part of this size that begins in its first half.
    windows = [
        (line[at : at + 2 * size], index)
        for index, line in enumerate(document.trimmed)
        for at in range(0, len(line) - size // 2, size)
        if len(line) > size
    ][: _MOST_PART_CHARACTERS // (2 * size)]
    best = distances.most_alike(
        wanted, [text for text, _ in windows], scorer=distances.part_ratio, score_cutoff=_LEAST_PART * 100, limit=1
    )
    for text, similarity, at in best:
        found = distances.part_alignment(wanted, text)
        assert found is not None, "Without a least similarity there is always one."
        ends = range(found.dest_end, min(found.dest_end + size // 4, len(text)) + 1)  # The part may be longer.
        part = max((text[found.dest_start : end] for end in ends), key=lambda part: distances.edit_ratio(wanted, part))
        return Nearest(windows[at][1], n, min(similarity / 100, 0.99), part)
    return None


_LONGEST_SHOWN, _SHOWN_AHEAD = 80, 20
"""Characters of a line that are shown whole; those ahead of a difference in a longer one."""


def in_words_of(refusal: Rejected, names: Mapping[str, str]) -> Rejected:
    """The refusal with the fields of `Edit` named as the parameters of a tool are; excerpts of texts stay."""
    field = re.compile(rf"\b(?:{'|'.join(names)})\b")
    pieces = EXCERPT.split(refusal.message)
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
    return Rejected(
        Reason.IDENTICAL,
        "old_string and new_string are identical: nothing would change. Give the text you want instead.",
    )


def empty() -> Rejected:
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
    if near.part is not None:
        part = Contradiction(line, near.part, find.split("\n")[near.wanted])
        how = f"a part of line {line} is {near.similarity:.0%} like one of its lines: it {differs(part)}"
        return Rejected(Reason.NO_MATCH, f"{what}; {how}: read the file there and copy the text exactly.")
    found = first_difference(document, find, near)
    how = f"line {line} {_how_like(near, quoted(document.trimmed[near.index]), found)}"
    return Rejected(
        Reason.NO_MATCH,
        f"{what}; {how}: read the file there and copy the text exactly.",
        (Match(start, start + len(document.lines[near.index]), "simple", near.similarity),),
        contradiction=found,
    )


def _how_like(near: Nearest, text: str, found: Contradiction | None) -> str:
    """A phrase about the nearest line and the first line that differs."""
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
    if not candidate:
        # To advise replace_all here would shred the file.
        return Rejected(
            Reason.AMBIGUOUS,
            "old_string has multiple matches: it is blank, and matches everywhere: give lines that hold some text, or "
            "write the whole file.",
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
    at = document.text.find(candidate)
    line, n_lines = document.line_of(at), candidate.count("\n") + 1
    return Rejected(
        Reason.DISPROPORTIONATE,
        f"The nearest match ({replacer}: {n_lines} lines from line {line}) is much larger than old_string "
        f"({find.count(chr(10)) + 1} lines): read the file again and give the full text to replace.",
        (Match(at, at + len(candidate), replacer),),
    )
