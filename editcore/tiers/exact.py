"""The tier `exact`: the search text as it is, in one place.

    search text  |x = 1     file  |max = 1     applied, since it occurs once; several occurrences refuse all tiers
                                  |y = 2

Forgives: carriage returns and a byte order mark, which models do not see; a new text of whole lines that lacks the
final line feed of the search text. Refuses: several places, unless all of them are to be replaced; an insertion that
was made before; in search/replace blocks, which are whole lines, a place within a line. Only a new text that contains
the whole search text is an insertion. Known limit: text inside longer words is replaced, since the edit says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from editcore.diagnosis import no_such_occurrence
from editcore.text.keys import BODY, RIGHT_TRIMMED
from editcore.text.line_index import occurrences
from editcore.text.whitespace import trim
from editcore.tiers.confidence import certain
from editcore.tiers.merging.outcome import already_there, stands_in_lines, stands_literally
from editcore.tiers.query import Query
from editcore.types import Applied, EditResult, Match


def exact(query: Query) -> EditResult | None:
    """The tier for the search text as it is: in one place, or everywhere with `replace_all`."""
    places = query.exact_places
    if not places:
        return _made_where_lines_were_joined(query)
    if len(places) > 1 and not query.edit.replace_all:
        return None
    if query.edit.replace_all:
        return _everywhere(query)
    return _at(query, places[0])


def numbered(query: Query, number: int) -> EditResult | None:
    """The edit at exact place `number`, counted from 1 without overlaps; -1 is the last.

    None if there is no exact place, and the first or the last is meant: another tier may know the only place.
    """
    places = list(_apart(query))
    if not places and number in (1, -1):
        return None
    n = len(places) if number == -1 else number
    return _at(query, places[n - 1]) if 1 <= n <= len(places) else no_such_occurrence(number, len(places))


def _at(query: Query, at: int) -> EditResult:
    view, old, new = query.view, query.old.text, query.written(at)
    if old in new and _made_before(query, at, new):
        return already_there(query, at, at + len(old), "exact")
    content = view.with_text((at, at + len(old), new))
    return Applied(
        content, (view.match(at, at + len(old), "exact"),), "exact", evidence=certain("exact", query.version)
    )


def _apart(query: Query) -> Iterator[int]:
    """The exact places that do not overlap."""
    after = 0
    for at in occurrences(query.view.text, query.old.text):
        if at >= after:
            after = at + len(query.old.text)
            yield at


def _everywhere(query: Query) -> EditResult:
    view = query.view
    spans = [(at, at + len(query.old.text)) for at in _apart(query)]
    matches: tuple[Match, ...] = tuple([view.match(start, end, "exact") for start, end in spans])
    content = view.with_text(*[(start, end, query.written(start)) for start, end in spans])
    return Applied(content, matches, "exact", evidence=certain("exact", query.version))


def _made_before(query: Query, at: int, new: str) -> bool:
    """True if the edit was made at its place before, exactly or by a tier that re-indented the added lines."""
    text, old = query.view.text, query.old.text
    if stands_literally(text, at, old, new):
        return True
    start, end = at + len(old) - len(old.lstrip("\n")), at + len(old.rstrip("\n"))
    before, after = text[text.rfind("\n", 0, start) + 1 : start], _rest_of_line(text, end)
    if trim(before) or trim(after):
        return False
    return stands_in_lines(text, start, end, query.old, query.new, BODY if before else RIGHT_TRIMMED)


def _made_where_lines_were_joined(query: Query) -> EditResult | None:
    """The refusal of an edit that was made before, and whose search text has lost its final line feed since."""
    core, new = query.old.text.strip("\n"), query.new.text.strip("\n")
    if core == new or core not in new:
        return None
    at = query.view.text.find(new)
    return already_there(query, at, at + len(new), "exact") if at >= 0 else None


def _rest_of_line(text: str, at: int) -> str:
    end = text.find("\n", at)
    return text[at:] if end < 0 else text[at:end]
