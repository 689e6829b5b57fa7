"""Failed edits that had to fail: by the edit and the file text alone, nothing may change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from corpora.importers.session import Attempt
from editcore.text.keys import SQUEEZED
from editcore.types import Edit

_bare = SQUEEZED.of


def refusal_source(attempt: Attempt, texts: Iterable[str], n_found: int) -> str | None:
    """The label source of a failed edit that is to be refused; None if the file texts do not make that certain.

    `n_found` is the number of places of its search text, 2 for more than one.
    """
    edits = attempt.edits or ()
    if edits and all(edit.old_string == edit.new_string != "" for edit in edits):
        return "identical"
    if n_found == 2 and attempt.outcome == "ambiguous":
        return "exact_ambiguous"
    (text, *others) = [*texts] or [""]
    if attempt.outcome == "no_match" and edits and not others and all(_is_applied(edit, text) for edit in edits):
        return "already_applied"
    return None


def _is_applied(edit: Edit, text: str) -> bool:
    """Whether the text has the new text once, and, whitespace apart, none of the lines that go."""
    old, new = _lines(edit.old_string), _lines(edit.new_string)
    standing = Counter(_lines(text))
    goes, comes = Counter(old) - Counter(new), Counter(new) - Counter(old)
    if edit.replace_all or not old or not comes or _bare(edit.old_string) in _bare(text):
        return False
    # Where its first line stands twice, the edit may be about the other place.
    return standing.keys().isdisjoint(goes) and standing[old[0]] < 2 and text.count(edit.new_string.strip("\n")) == 1


def _lines(text: str) -> list[str]:
    """The lines that are not blank, without their whitespace."""
    return list(filter(None, map(_bare, text.split("\n"))))
