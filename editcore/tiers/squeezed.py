"""Tiers that compare text without any whitespace ("squeezed"): `spacing` and `line_breaks`.

    search text  |f(a,      file  |f(a, b)        both squeezed  |f(a,b)
                 |  b)

A squeezed search text is looked for in the squeezed file, near a rare word of it. The place must begin and end with
whole lines of both texts, and consist of the same words and signs: `a b` is not `ab`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice

from editcore.text.keys import SQUEEZED, folded, folded_lines
from editcore.text.line_index import occurrences
from editcore.text.nearby import end_below, start_above
from editcore.text.view import FileView
from editcore.tiers.query import Place, Query
from editcore.tiers.whole_lines import merge_at
from editcore.types import EditResult, Match, Reason, Rejected

_TOKEN = re.compile(r"\w+|[^\w\s]")
_SHORTEST = 8
"""A shorter squeezed search text occurs in too many places by chance."""
_MOST_HITS = 32
"""Places of a word at which a search text is tried; where there are more, the whole file is squeezed."""
_MARGIN = 100
"""Additional characters of surroundings, for the whitespace in them."""

_GLANCE = 60
"""Characters below a word that rule out most other places of the word."""

Found = tuple[int, int, int]
"""(start, end, at): whole lines of the file, and where the search text begins in them once both are squeezed."""


def squeezed(text: str) -> str:
    """The folded text without whitespace."""
    return "".join(folded(text).split())


def _n_squeezed(text: str) -> int:
    return len(squeezed(text))


def squeezed_place(query: Query) -> Place | Rejected | None:
    """The only place of the search text in the squeezed file, in groups of lines; a refusal where there are several.

    The place is kept in the query, since two tiers ask for it.
    """
    if query.squeezed is None:
        query.squeezed = (_squeezed_place(query),)
    return query.squeezed[0]


def _squeezed_place(query: Query) -> Place | Rejected | None:
    wanted = squeezed(query.old.text)
    if query.edit.replace_all or len(wanted) < _SHORTEST or not query.has_words:
        return None
    found = list(islice(_found(query, wanted), 2))
    if not found:
        return None
    if len(found) > 1:
        return Rejected(Reason.AMBIGUOUS, "old_string has multiple matches, but for whitespace: add surrounding lines.")
    place = _place(query, found[0], len(wanted))
    return place if place and _has_same_tokens(query, place) else None


def _found(query: Query, wanted: str) -> Iterator[Found]:
    """Every place of the squeezed search text, ascending."""
    text = query.view.text
    most = min(_MOST_HITS, len(text) // len(wanted))  # Surroundings are together no larger than the file.
    word = _rarest(query.view, query.words)
    hits = list(islice(occurrences(text, word, max(query.view.first(word), 0)), most + 1)) if word else []
    if not word or len(hits) > most:
        for start in occurrences(squeezed(text), wanted):
            yield 0, len(text), start
        return
    old = folded(query.old.text)
    before = len(squeezed(old[: old.index(word)]))
    below = wanted[before + len(word) :]
    for hit in hits:
        if text.isascii() and not _begins(text[hit + len(word) : hit + len(word) + _GLANCE], below):
            continue
        n_below = len(wanted) - before
        start = start_above(text, hit, before, before + _MARGIN, _n_squeezed)
        end = end_below(text, hit, n_below, n_below + _MARGIN, _n_squeezed)
        at = _n_squeezed(text[start:hit]) - before
        if at >= 0 and squeezed(text[start:end]).startswith(wanted, at):
            yield start, end, at


def _begins(piece: str, wanted: str) -> bool:
    """True if an ASCII text, squeezed, begins a squeezed text, or begins with all of it."""
    piece = "".join(piece.split())
    return wanted.startswith(piece) or piece.startswith(wanted)


def _rarest(view: FileView, words: Sequence[str]) -> str:
    """The rarest of the words in the file; the first of several."""
    text = view.text
    rarest, least = "", _MOST_HITS + 1
    for word in words:
        n, at = 0, view.first(word)
        while at >= 0 and n < least:
            n, at = n + 1, text.find(word, at + len(word))
        if n < least or not rarest:
            rarest, least = word, n
    return rarest


def _place(query: Query, found: Found, length: int) -> Place | None:
    """The place of a squeezed search text; None if it does not begin and end with lines."""
    start, end, at = found
    view = query.around([(start, end)])
    above = view.solid_at(start)
    lines = view.solid[above : bisect_left(view.at, view.line_of(end) + 1)]
    file_ends = list(accumulate([len("".join(line.split())) for line in folded_lines(lines)], initial=0))
    old_lengths = list(map(len, query.old.keys(SQUEEZED)))
    first, last = bisect_left(file_ends, at), bisect_left(file_ends, at + length)
    if last == len(file_ends) or (file_ends[first], file_ends[last]) != (at, at + length):
        return None
    if len(set(file_ends[first : last + 1])) <= last - first or not all(old_lengths):
        return None  # A line of nothing but signs that cannot be seen.
    place_of = {one: above + n for n, one in enumerate(file_ends[first : last + 1], first)}
    groups: list[tuple[range, range]] = []
    ours, theirs = 0, above + first
    for n, one in enumerate(accumulate(old_lengths, initial=at)):
        if n and one in place_of:
            groups.append((range(ours, n), range(theirs, place_of[one])))
            ours, theirs = n, place_of[one]
    return Place(view, tuple(groups))


def _has_same_tokens(query: Query, place: Place) -> bool:
    old, there = query.old.bodies, place.view.bodies
    pairs = ((old[ours.start : ours.stop], there[theirs.start : theirs.stop]) for ours, theirs in place.groups)
    return all(ours == theirs or _tokens(ours) == _tokens(theirs) for ours, theirs in pairs)


def _tokens(lines: Sequence[str]) -> list[str]:
    return _TOKEN.findall(folded("\n".join(lines)))


def only_moves_whitespace(query: Query, tier: str) -> Rejected | None:
    """The refusal of an edit that changes whitespace only, which a place found without whitespace cannot decide."""
    if squeezed(query.old.text) != squeezed(query.new.text):
        return None
    return Rejected(
        Reason.NO_MATCH,
        "old_string was found only by ignoring whitespace, and new_string changes nothing else: copy it exactly.",
        (Match(0, 0, tier),),
    )


def spacing(query: Query) -> EditResult | None:
    """The tier for lines with the same words and signs, and other spaces between them.

        search text  |f( a,b )     file  |f(a, b)     applied; `a b` is not taken for `ab`

    Forgives: spaces and tabs within lines; and what `look_alikes` forgives. Refuses: several places; an edit that only
    changes whitespace; an edit whose added lines are beside the place already. Known limit: spaces within string
    literals are forgiven too, though there they have a meaning.
    """
    place = squeezed_place(query)
    if place is None or isinstance(place, Rejected):
        return place
    if any(len(ours) != 1 or len(theirs) != 1 for ours, theirs in place.groups):
        return None
    refusal = only_moves_whitespace(query, "spacing")
    return refusal or merge_at(query, place, SQUEEZED, "spacing", ("spaces",), is_loose=True)


_SIGN = re.compile(r"\\.|[()\[\]{}\"'`]")
_COMMENT = re.compile(r"#|//|--|/\*|\*/")
_OPENED_BY = {")": "(", "]": "[", "}": "{"}


def line_breaks(query: Query) -> EditResult | None:
    """The tier for the same words and signs, with other line breaks between brackets.

        search text  |f(a,        file  |f(a, b)      new text  |f(a,        written  |f(a, b)
                     |  b)              |g()                    |  b)                 |h()
                     |g()                                       |h()

    Forgives: lines that are joined or split within round or square brackets; and what `spacing` forgives. Refuses: a
    break anywhere else, since it may end a statement, a comment or a string; lines with a comment; text that does not
    begin and end with lines of the file; what `spacing` refuses. Known limit: a line whose break moved is written as in
    the new text where the edit changes a part of it.
    """
    place = squeezed_place(query)
    if place is None or isinstance(place, Rejected):
        return place
    if not _breaks_mean_nothing(query, place):
        return None
    refusal = only_moves_whitespace(query, "line_breaks")
    return refusal or merge_at(query, place, SQUEEZED, "line_breaks", ("line breaks",), is_loose=True)


def _breaks_mean_nothing(query: Query, place: Place) -> bool:
    """True if each line break that only one of the texts has is between brackets, away from comments."""
    first, old = place.there.start, query.old.solid
    there = place.view.solid[first : place.there.stop]
    mine, others = list(_between_brackets(old)), list(_between_brackets(there))
    for ours, theirs in place.groups:
        if len(ours) == len(theirs) == 1:
            continue
        start, stop = theirs.start - first, theirs.stop - first
        if not all(mine[ours.start : ours.stop - 1]) or not all(others[start : stop - 1]):
            return False
        if any(map(_COMMENT.search, [*old[ours.start : ours.stop], *there[start:stop]])):
            return False
    return True


def _between_brackets(lines: Sequence[str]) -> Iterator[bool]:
    """For each line, True if its end is between round or square brackets opened in these lines, and in no string."""
    opened: list[str] = []
    for line in folded_lines(lines):  # A curly quote may stand for a quote.
        quote = ""
        for sign in _SIGN.findall(line):
            if quote:
                quote = "" if sign == quote else quote
            elif sign in "\"'`":
                quote = sign
            elif sign in "([{":
                opened.append(sign)
            elif opened and opened[-1] == _OPENED_BY.get(sign):
                opened.pop()
        yield not quote and bool(opened) and opened[-1] != "{"
