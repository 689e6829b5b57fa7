r"""The tier `escapes`: a search text that was encoded once too often.

    search text  |print(\"a\")\n     file  |print("a")     taken; the new text is decoded if that makes it more alike

Forgives: backslash escapes as in JSON, once or twice; entities of HTML. Refuses: text of which some must be decoded and
some must not. Known limit: the other way round, where the file has an escape and the search text its character, is not
tried.
"""

from __future__ import annotations

import re
from html import unescape

from editcore.tiers.merging.repairing import apply_repaired
from editcore.tiers.placing.attempt import Attempt
from editcore.types import EditResult

_ESCAPE = re.compile(r"\\([ntr\"'`\\$/])")
_MEANT = {"n": "\n", "t": "\t", "r": "\r"}
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|#39|#x27|nbsp);")


def escapes(attempt: Attempt) -> EditResult | None:
    """Text that was escaped once too often, with backslashes or as HTML."""
    if "\\" in attempt.old.text:
        for repair in (without_escapes, _without_double_escapes):
            result = apply_repaired(attempt, repair, "escapes", "backslash escapes")
            if result is not None:
                return result
    if _ENTITY.search(attempt.old.text):
        return apply_repaired(attempt, _without_entities, "escapes", "HTML entities")
    return None


def without_escapes(text: str) -> str:
    """The text with each backslash escape decoded once."""
    return _ESCAPE.sub(lambda found: _MEANT.get(found[1], found[1]), text)


def _without_double_escapes(text: str) -> str:
    return without_escapes(without_escapes(text))


def _without_entities(text: str) -> str:
    return _ENTITY.sub(lambda found: unescape(found[0]), text)
