"""The tier `exact`: the search text as it is, in one place.

    search text  |x = 1     file  |max = 1     taken, as it stands there once; where several do, all tiers refuse
                                  |y = 2

An insertion that stands there already is refused, as it was made before; but in search/replace blocks, where all of the
18 recorded ones were meant as they are written.

Forgives: carriage returns and a byte order mark, which models do not see. Refuses: text that stands several times,
unless all of it is to be replaced; an insertion that stands there already; in search/replace blocks, which are whole
lines, text within a line. Known limit: it takes text inside longer words, since the edit says so.
"""

from __future__ import annotations

from editcore.document import WHITESPACE
from editcore.replacers.search import occurrences
from editcore.tiers.confidence import CONFIDENCE
from editcore.tiers.merging.outcome import already_there
from editcore.tiers.placing.attempt import Attempt
from editcore.types import Applied, EditResult, Evidence, Match

_CERTAIN = Evidence(CONFIDENCE["exact"])
_MOST_TRIES = 4
"""Places of the search text in the new text at which it is looked for around the place."""


def exact(attempt: Attempt) -> EditResult | None:
    """The search text as it is, in one place, or everywhere with replace_all."""
    view, old, new = attempt.view, attempt.old.text, attempt.new.text
    places = attempt.exact_places
    if not places or (len(places) > 1 and not attempt.edit.replace_all):
        return None
    if attempt.edit.replace_all:
        return _everywhere(attempt)
    at = places[0]
    if not attempt.whole_lines and _stands_there(view.text, at, old, new):
        return already_there(attempt, at, at + len(old), "exact")
    content = view.with_text([(at, at + len(old))], new)
    return Applied(content, (view.match(at, at + len(old), "exact"),), "exact", evidence=_CERTAIN)


def _everywhere(attempt: Attempt) -> EditResult:
    view, old, spans, after = attempt.view, attempt.old.text, [], 0
    for at in occurrences(view.text, old):
        if at >= after:
            after = at + len(old)
            spans.append((at, after))
    matches: tuple[Match, ...] = tuple([view.match(start, end, "exact") for start, end in spans])
    return Applied(view.with_text(spans, attempt.new.text), matches, "exact", evidence=_CERTAIN)


def _stands_there(text: str, at: int, old: str, new: str) -> bool:
    """Whether the new text, with the search text in it, is around the place already, but for spaces at line ends.

    Where only indentation stands before the place, that of all lines may differ: an earlier tier re-indented them.
    """
    if old.endswith("\n") and len(new) > len(old):
        old, new = old[:-1], new.removesuffix("\n")
    before = text[text.rfind("\n", 0, at) + 1 : at]
    trimmed = _trimmed if before and not before.strip(WHITESPACE) else _right_trimmed
    offset, tries, has_more_lines = new.find(old), 0, new.count("\n") > old.count("\n")
    while offset >= 0 and tries < _MOST_TRIES:
        is_whole = new[offset - 1 : offset] in ("", "\n") and new[offset + len(old) :][:1] in ("", "\n")
        if (is_whole or not has_more_lines) and at >= offset and text.startswith(new, at - offset):
            return True
        start = _lines_up(text, at, new.count("\n", 0, offset))
        end = _lines_down(text, start, new.count("\n"))
        if has_more_lines and is_whole and start <= at and trimmed(text[start:end]) == trimmed(new):
            return True
        offset, tries = new.find(old, offset + 1), tries + 1
    return False


def _lines_up(text: str, at: int, n: int) -> int:
    """The start of the line `n` lines above the one with an offset, or of the first line."""
    for _ in range(n):
        at = max(text.rfind("\n", 0, at), 0)
    return text.rfind("\n", 0, at) + 1


def _lines_down(text: str, at: int, n: int) -> int:
    """The end of the line `n` lines below the one with an offset, or of the last line."""
    end = text.find("\n", at)
    for _ in range(n):
        end = text.find("\n", end + 1) if end >= 0 else end
    return len(text) if end < 0 else end


def _trimmed(text: str) -> list[str]:
    return [line.strip(WHITESPACE) for line in text.split("\n")]


def _right_trimmed(text: str) -> list[str]:
    return [line.rstrip(WHITESPACE) for line in text.split("\n")]
