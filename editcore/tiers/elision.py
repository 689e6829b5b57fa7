"""The tier `elision`: a search text in which one comment of three dots stands for lines of the file.

    search text  |def f():                      file  |def f():
                 |    # ... existing code ...         |    a()
                 |    return 1                        |    b()
                                                      |    return 1

Forgives: one such comment, between lines that each stand once. Refuses: an edit that would lose a line that the comment
stands for, as nobody has seen it: the new text must repeat the comment, or all of these lines. Known limit: several
comments in one search text are refused.
"""

from __future__ import annotations

import re

from editcore.tiers.merging.repairing import apply_stricter
from editcore.tiers.placing.attempt import Attempt
from editcore.tiers.placing.keys import FOLDED
from editcore.tiers.placing.text import Lines, body
from editcore.types import EditResult

_ELISION = re.compile(r"\s*(?:#|//|--|/\*|<!--|;|%)?\s*(?:\.\.\.|…)[^\"']{0,60}")
_MOST_ELIDED = 400
"""Lines that a comment may stand for."""


def elision(attempt: Attempt) -> EditResult | None:
    """Text with one comment of three dots in place of lines."""
    old = attempt.old.solid
    if "..." not in attempt.old.text or attempt.edit.replace_all:
        return None
    at = [n for n, line in enumerate(old) if _ELISION.fullmatch(line)]
    if len(at) != 1 or not 0 < at[0] < len(old) - 1:
        return None
    span = _span(attempt, old[: at[0]], old[at[0] + 1 :])
    if span is None:
        return None
    view, (first, start, end, last) = attempt.view, span
    elided = view.all[view.at[start - 1] + 1 : view.at[end]]
    whole = "\n".join(view.all[view.at[first] : view.at[last - 1] + 1])
    new = _filled(attempt.new, body(old[at[0]]), elided)
    if new is None or new == whole:
        return None
    return apply_stricter(attempt.repaired(whole, new), "elision", ("an elision",))


def _span(attempt: Attempt, head: list[str], end: list[str]) -> tuple[int, int, int, int] | None:
    """Solid lines of the file: where the lines above the comment begin and stop, and those below begin and stop."""
    above, below = (attempt.view.windows(FOLDED, [FOLDED(line) for line in lines]) for lines in (head, end))
    if len(above) != 1 or len(below) != 1:
        return None
    start, stop = above[0] + len(head), below[0]
    return (above[0], start, stop, stop + len(end)) if start <= stop <= start + _MOST_ELIDED else None


def _filled(new: Lines, comment: str, elided: list[str]) -> str | None:
    """The new text with the elided lines for the comment; None if it neither repeats the comment nor has them all."""
    comments = [n for n, line in enumerate(new.all) if body(line) == comment]
    if len(comments) == 1:
        return "\n".join([*new.all[: comments[0]], *elided, *new.all[comments[0] + 1 :]])
    rest = iter(map(body, new.solid))
    has_all = all(body(line) in rest for line in elided if body(line))
    return new.text if has_all and not comments else None
