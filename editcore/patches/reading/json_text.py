"""A patch in a JSON document, or in the escapes of a JSON string, as when a tool's arguments are sent as its text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress

_MOST_UNESCAPED = 2
"""Times that a patch is read as a JSON string: it is escaped once by its format, and once more by mistake."""
_MOST_VALUES = 1000
"""Values of a JSON document that are looked at."""


def out_of_json(text: str, signs: Sequence[str], notes: list[str]) -> str:
    """The patch in a JSON text; the text itself if it is none. A note tells what was read.

    `signs` are what a patch has, the best ones first: of several strings in a document, one only may have one.
    """
    for _ in range(_MOST_UNESCAPED):
        # A whole patch on one line: JSON, or a string of it.
        if "\n" in text.strip() or ("\\n" not in text and "{" not in text):
            break
        text = _unescaped(text, signs, notes)
    if text.lstrip()[:1] in ("{", "[") and "\\n" in text:
        text = _unescaped(text, signs, notes)
    return text


def _unescaped(text: str, signs: Sequence[str], notes: list[str]) -> str:
    text = text.strip()
    value: object = None
    with suppress(ValueError, RecursionError):
        value = json.loads(text if text[:1] in ('"', "{", "[") else f'"{text}"')
    if isinstance(value, str):
        notes.append("read as one JSON string")
        return value
    strings = list(_strings(value))
    for sign in signs:
        found = [one for one in strings if sign in one]
        if len(found) == 1:
            notes.append("read from a JSON document")
            return found[0]
        if found:
            break
    return text


def _strings(value: object) -> Iterator[str]:
    """The strings in a JSON value, at any depth; at most those of the first values."""
    waiting, n_seen = [value], 0
    while waiting and n_seen < _MOST_VALUES:
        one = waiting.pop()
        n_seen += 1
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
