r"""The tier `escapes`: an edit that was encoded once too often.

    search text  |print(\"a\")       file  |print("a")     new text  |print(\"b\")     written  |print("b")

Forgives: backslash escapes as in JSON, once or twice; entities of HTML. The new text is decoded where it shows the same
damage: it has no escapes but of the search text's kinds, and of what they stand for nothing that is not escaped. It is
taken as it is where it has no escape, or quotes that are not escaped and only escapes that strings have. Refuses: text
of which some must be decoded and some must not; a new text with escapes of which neither is certain. Known limit: the
other way round, where the file has an escape and the search text its character, is not tried.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from editcore.tiers.merging.repairing import apply_repaired
from editcore.tiers.placing.query import Query
from editcore.types import EditResult

_ESCAPE = re.compile(r"\\([ntr\"'`\\$/])")
_MEANT = {"n": "\n", "t": "\t", "r": "\r"}
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|#39|#x27|nbsp);")
_IN_STRINGS = {*_MEANT, "\\"}
"""Escapes that code has in strings, so that they alone show no damage."""

Decode = Callable[[str], str]


def escapes(query: Query) -> EditResult | None:
    """Text that was escaped once too often, with backslashes or as HTML."""
    old = query.old.text
    if query.exact_places:
        return None  # The file has the escapes too.
    if "\\" in old:
        for n_times in (1, 2):
            result = _decoded(query, without_escapes, _ESCAPE, n_times, "backslash escapes")
            if result is not None:
                return result
    return _decoded(query, _without_entities, _ENTITY, 1, "HTML entities") if _ENTITY.search(old) else None


def _decoded(query: Query, decode: Decode, escape: re.Pattern[str], n_times: int, phrase: str) -> EditResult | None:
    old, kinds = query.old.text, set[str]()
    for _ in range(n_times):
        here = set(escape.findall(old))
        if _raw(old, escape, here):
            return None
        kinds |= here
        old = decode(old)
    new = query.new.text
    if _is_damaged_too(new, old, escape, kinds):
        for _ in range(n_times):
            new = decode(new)
    elif not _is_as_meant(new, old, escape, kinds):
        return None
    return apply_repaired(query, old, new, "escapes", phrase)


def _is_damaged_too(new: str, old: str, escape: re.Pattern[str], kinds: set[str]) -> bool:
    """Whether a new text is encoded as the search text was, which is decoded here, by nothing but these escapes.

    A doubled backslash shows nothing, nor does an escape that the decoded search text still has.
    """
    in_new = set(escape.findall(new))
    shows = in_new - {"\\", *escape.findall(old)}
    return bool(shows) and in_new <= kinds and not _raw(new, escape, kinds) and not _keeps_an_escape(new, old, escape)


def _is_as_meant(new: str, old: str, escape: re.Pattern[str], kinds: set[str]) -> bool:
    """Whether a new text is not encoded."""
    in_new = set(escape.findall(new))
    if not in_new or _keeps_an_escape(new, old, escape):
        return True
    return not in_new - _IN_STRINGS and bool(_raw(new, escape, kinds) - _IN_STRINGS)


def _keeps_an_escape(new: str, old: str, escape: re.Pattern[str]) -> bool:
    """Whether a line with an escape stands in the new text as in the decoded search text."""
    lines = {line.strip() for line in old.split("\n") if escape.search(line)}
    return any(line.strip() in lines for line in new.split("\n"))


def _raw(text: str, escape: re.Pattern[str], kinds: set[str]) -> set[str]:
    """Of these kinds of escapes, those whose meaning is in a text without being escaped; as an entity, `&` always."""
    rest = escape.sub("", text)
    if escape is _ENTITY:
        return {kind for kind in (*kinds, "&amp;") if _unescaped(kind) in rest}
    return {kind for kind in kinds if _MEANT.get(kind, kind) in rest}


def without_escapes(text: str) -> str:
    """The text with each backslash escape decoded once."""
    return _ESCAPE.sub(lambda found: _MEANT.get(found[1], found[1]), text)


def _without_entities(text: str) -> str:
    return _ENTITY.sub(lambda found: _unescaped(found[0]), text)


def _unescaped(entity: str) -> str:
    from html import unescape  # Its table is large, and seldom needed.

    return unescape(entity)
