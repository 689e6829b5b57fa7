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
from editcore.text.search import occurrences
from editcore.text.whitespace import trim
from editcore.tiers.confidence import certain
from editcore.tiers.merging.made_before import stands_in_lines, stands_literally
from editcore.tiers.merging.outcome import already_there
from editcore.tiers.placing.attempt import Attempt
from editcore.types import Applied, EditResult, Match


def exact(attempt: Attempt) -> EditResult | None:
    """The search text as it is, in one place, or everywhere with replace_all."""
    places = attempt.exact_places
    if not places:
        return _made_where_lines_were_joined(attempt)
    if len(places) > 1 and not attempt.edit.replace_all:
        return None
    if attempt.edit.replace_all:
        return _everywhere(attempt)
    return _at(attempt, places[0])


def numbered(attempt: Attempt, number: int) -> EditResult | None:
    """The search text in the exact place of a number, or the last for -1; places are counted without overlaps.

    None where it stands nowhere as it is, and the first place or the last is meant: a tier may know the only one.
    """
    places = list(_apart(attempt))
    if not places and number in (1, -1):
        return None
    n = len(places) if number == -1 else number
    return _at(attempt, places[n - 1]) if 1 <= n <= len(places) else no_such_occurrence(number, len(places))


def _at(attempt: Attempt, at: int) -> EditResult:
    view, old = attempt.view, attempt.old.text
    if old in attempt.new.text and _made_before(attempt, at):
        return already_there(attempt, at, at + len(old), "exact")
    content = view.with_text([(at, at + len(old))], attempt.new.text)
    return Applied(
        content, (view.match(at, at + len(old), "exact"),), "exact", evidence=certain("exact", attempt.version)
    )


def _apart(attempt: Attempt) -> Iterator[int]:
    """The exact places that do not overlap."""
    after = 0
    for at in occurrences(attempt.view.text, attempt.old.text):
        if at >= after:
            after = at + len(attempt.old.text)
            yield at


def _everywhere(attempt: Attempt) -> EditResult:
    view = attempt.view
    spans = [(at, at + len(attempt.old.text)) for at in _apart(attempt)]
    matches: tuple[Match, ...] = tuple([view.match(start, end, "exact") for start, end in spans])
    return Applied(
        view.with_text(spans, attempt.new.text), matches, "exact", evidence=certain("exact", attempt.version)
    )


def _made_before(attempt: Attempt, at: int) -> bool:
    """Whether the edit was made at its place before, exactly or by a tier that re-indented what it added."""
    text, old = attempt.view.text, attempt.old.text
    if stands_literally(text, at, old, attempt.new.text):
        return True
    start, end = at + len(old) - len(old.lstrip("\n")), at + len(old.rstrip("\n"))
    before, after = text[text.rfind("\n", 0, start) + 1 : start], _rest_of_line(text, end)
    if trim(before) or trim(after):
        return False
    return stands_in_lines(text, start, end, attempt.old, attempt.new, BODY if before else RIGHT_TRIMMED)


def _made_where_lines_were_joined(attempt: Attempt) -> EditResult | None:
    """The refusal of an edit made before, after which the search text has lost the line feed at its end."""
    core, new = attempt.old.text.strip("\n"), attempt.new.text.strip("\n")
    if core == new or core not in new:
        return None
    at = attempt.view.text.find(new)
    return already_there(attempt, at, at + len(new), "exact") if at >= 0 else None


def _rest_of_line(text: str, at: int) -> str:
    end = text.find("\n", at)
    return text[at:] if end < 0 else text[at:end]
