r"""The tier `exact`: the search text as it is, in one place.

    search text  |x = 1     file  |max = 1     taken, as it stands there once; where several do, all tiers refuse
                                  |y = 2

An insertion that stands there already is refused, as it was made before. Only a new text that has the whole search text
in it can be one: `a` for `a\n\n` deletes blank lines, and is made.

Forgives: carriage returns and a byte order mark, which models do not see. Refuses: text that stands several times,
unless all of it is to be replaced; an insertion that stands there already; in search/replace blocks, which are whole
lines, text within a line. Known limit: it takes text inside longer words, since the edit says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from editcore.diagnosis import no_such_occurrence
from editcore.text.keys import BODY, RIGHT_TRIMMED
from editcore.text.line_index import occurrences
from editcore.text.whitespace import trim
from editcore.tiers.confidence import certain
from editcore.tiers.merging.made_before import stands_in_lines, stands_literally
from editcore.tiers.merging.outcome import already_there
from editcore.tiers.query import Query
from editcore.types import Applied, EditResult, Match


def exact(query: Query) -> EditResult | None:
    """The search text as it is, in one place, or everywhere with replace_all."""
    places = query.exact_places
    if not places:
        return _made_where_lines_were_joined(query)
    if len(places) > 1 and not query.edit.replace_all:
        return None
    if query.edit.replace_all:
        return _everywhere(query)
    return _at(query, places[0])


def numbered(query: Query, number: int) -> EditResult | None:
    """The search text in the exact place of a number, or the last for -1; places are counted without overlaps.

    None where it stands nowhere as it is, and the first place or the last is meant: a tier may know the only one.
    """
    places = list(_apart(query))
    if not places and number in (1, -1):
        return None
    n = len(places) if number == -1 else number
    return _at(query, places[n - 1]) if 1 <= n <= len(places) else no_such_occurrence(number, len(places))


def _at(query: Query, at: int) -> EditResult:
    view, old = query.view, query.old.text
    if old in query.new.text and _made_before(query, at):
        return already_there(query, at, at + len(old), "exact")
    content = view.with_text([(at, at + len(old))], query.new.text)
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
    return Applied(view.with_text(spans, query.new.text), matches, "exact", evidence=certain("exact", query.version))


def _made_before(query: Query, at: int) -> bool:
    """Whether the edit was made at its place before, exactly or by a tier that re-indented what it added."""
    text, old = query.view.text, query.old.text
    if stands_literally(text, at, old, query.new.text):
        return True
    start, end = at + len(old) - len(old.lstrip("\n")), at + len(old.rstrip("\n"))
    before, after = text[text.rfind("\n", 0, start) + 1 : start], _rest_of_line(text, end)
    if trim(before) or trim(after):
        return False
    return stands_in_lines(text, start, end, query.old, query.new, BODY if before else RIGHT_TRIMMED)


def _made_where_lines_were_joined(query: Query) -> EditResult | None:
    """The refusal of an edit made before, after which the search text has lost the line feed at its end."""
    core, new = query.old.text.strip("\n"), query.new.text.strip("\n")
    if core == new or core not in new:
        return None
    at = query.view.text.find(new)
    return already_there(query, at, at + len(new), "exact") if at >= 0 else None


def _rest_of_line(text: str, at: int) -> str:
    end = text.find("\n", at)
    return text[at:] if end < 0 else text[at:end]
