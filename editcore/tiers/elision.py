"""The tier `elision`: a search text in which one comment of three dots replaces lines of the file.

    search text  |def f():                      file  |def f():
                 |    # ... existing code ...         |    a()
                 |    return 1                        |    b()
                                                      |    return 1

Forgives: one such comment, or a line of dots only, between lines that the file has once each. Refuses: an edit that
would lose a line that the comment replaces, since nobody has seen it: the new text must repeat the comment, or all of
these lines; dots before a name, which spread it. Known limit: several comments in one search text are refused.
"""

from __future__ import annotations

import re

from editcore.text.keys import FOLDED
from editcore.text.view import Lines
from editcore.text.whitespace import WHITESPACE, indent, trim
from editcore.tiers.merging.frame import AS_WRITTEN, Frame, even, shifted
from editcore.tiers.query import Query
from editcore.tiers.repaired import apply_stricter
from editcore.types import EditResult

_ELISION = re.compile(r"\s*(?:(?:#|//|--|/\*|<!--|;|%)\s*(?:\.\.\.|…)[^\"']{0,60}|(?:\.\.\.|…)\s*)")
_MOST_ELIDED = 400
"""Most lines that a comment may replace."""


def elision(query: Query) -> EditResult | None:
    """The tier for a search text with one comment of three dots in place of lines."""
    old = query.old.solid
    if query.edit.replace_all or not any(dots in query.old.text for dots in ("...", "…")):
        return None
    at = [n for n, line in enumerate(old) if _ELISION.fullmatch(line)]
    if len(at) != 1 or not 0 < at[0] < len(old) - 1:
        return None
    elided = _elided(query, old[: at[0]], old[at[0] + 1 :])
    if elided is None:
        return None
    comment = trim(old[at[0]])
    new = _filled(query.new, comment, elided)
    if new is None:
        return None
    return apply_stricter(query.repaired(_with(query.old, comment, elided), new), "elision", ("an elision",))


def _elided(query: Query, head: list[str], end: list[str]) -> list[str] | None:
    """The file's lines, blank ones too, between `head` and `end`, which must be there once each.

    The lines are indented as in the search text, where that is indented evenly more or less than the file.
    """
    view = query.view
    keys = query.old.keys(FOLDED)
    above, below = (view.windows(FOLDED, one) for one in (keys[: len(head)], keys[len(head) + 1 :]))
    if len(above) != 1 or len(below) != 1:
        return None
    start, stop = above[0] + len(head), below[0]
    if not start <= stop <= start + _MOST_ELIDED:
        return None
    there = [*view.solid[above[0] : start], *view.solid[stop : stop + len(end)]]
    shift = even([(indent(ours), indent(theirs)) for ours, theirs in zip([*head, *end], there, strict=True)])
    lines = view.all[view.at[start - 1] + 1 : view.at[stop]]
    if shift is None or shift == AS_WRITTEN:
        return lines
    back = Frame(added=shift.removed, removed=shift.added)
    indents = [shifted(indent(line), back) if trim(line) else "" for line in lines]
    pairs = zip(indents, lines, strict=True)
    return None if None in indents else [f"{start}{line.lstrip(WHITESPACE)}" for start, line in pairs]


def _filled(new: Lines, comment: str, elided: list[str]) -> str | None:
    """The new text with the elided lines for the comment; None if it has neither the comment nor all of these lines."""
    comments = sum(trim(line) == comment for line in new.all)
    if comments == 1:
        return _with(new, comment, elided)
    rest = iter(map(trim, new.solid))
    has_all = all(trim(line) in rest for line in elided if trim(line))
    return new.text if has_all and not comments else None


def _with(text: Lines, comment: str, elided: list[str]) -> str:
    """The text with the elided lines in place of the comment and of the blank lines around it."""
    at = next(n for n, line in enumerate(text.all) if trim(line) == comment)
    start = max((n + 1 for n in range(at) if trim(text.all[n])), default=0)
    stop = next((n for n in range(at + 1, len(text.all)) if trim(text.all[n])), len(text.all))
    lines = [*text.all[:start], *elided, *text.all[stop:]]
    return "\n".join(lines) + ("\n" if text.text.endswith("\n") and lines[-1] else "")
